/// The meshes of one robot: finds the files that a description names, and loads each file and scale once.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "load/source_text.h"
#include "model/spec.h"

namespace gradus {

/// Paths at which a mesh named in `robot_file` may lie, in the order in which they are tried:
///   package://P/x, model://P/x   D/P/x, then D/x       for D = the robot file's folder and the three folders above it
///   file:///x                    /x
///   x                            D/x for the same D, or x itself if it begins with '/'
std::vector<std::string> mesh_candidates(const std::string& robot_file, const std::string& name);

enum class MeshUse { drawn, touched };

/// A mesh that cannot be found or read is a warning, and the robot goes without it.
class MeshStore {
 public:
  MeshStore(std::string robot_file, ProblemList& problems) : robot_file_(std::move(robot_file)), problems_(problems) {}
  /// Index of the mesh, −1 after reporting. `place` is where the description names it.
  int get(const std::string& name, Vec3 scale, const Place& place, MeshUse use);
  std::vector<MeshSpec> take() && { return std::move(meshes_); }

 private:
  void report(Diagnostic d, const std::string& name, const Place& place);
  int refuse(const Place& place, std::string text, const std::string& suggestion, MeshUse use);
  int load(const std::string& name, Vec3 scale, const Place& place, MeshUse use);

  std::string robot_file_;
  ProblemList& problems_;
  std::vector<MeshSpec> meshes_;
  std::size_t triangle_count_ = 0;
  std::map<std::tuple<std::string, double, double, double>, int> known_;  // name and scale -> index or −1
};

}  // namespace gradus

/// Collects the triangles of a mesh file: scales, merges equal vertices, drops triangles without area.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "load/source_text.h"
#include "model/spec.h"

namespace gradus {

class MeshBuilder {
 public:
  MeshBuilder(std::string file, Vec3 scale);
  /// False if a scaled coordinate is not finite; then nothing is added.
  bool add_triangle(const std::array<Vec3, 3>& corners);
  bool full() const { return seen_ > limit_; }
  /// Triangles offered so far, with the dropped ones.
  std::size_t seen() const { return seen_; }
  std::size_t dropped() const { return dropped_; }
  MeshSpec take() && { return std::move(mesh_); }

 private:
  int vertex_of(Vec3 p);
  void grow_slots();

  MeshSpec mesh_;
  Vec3 scale_;
  bool mirrored_;
  std::size_t limit_, seen_ = 0, dropped_ = 0;
  std::vector<int> slots_;  // open-addressing hash table of vertex numbers, −1 = free; size a power of two
};

void read_stl(std::string_view bytes, const LineMap& lines, MeshBuilder& mesh, ProblemList& problems);
void read_obj(std::string_view bytes, const LineMap& lines, MeshBuilder& mesh, ProblemList& problems);

/// COLLADA and others by the Assimp library; extension as ".dae".
bool assimp_reads(const std::string& extension);
void read_with_assimp(std::string_view bytes, const std::string& extension, const Place& place, MeshBuilder& mesh,
                      ProblemList& problems);

}  // namespace gradus

#include "load/mesh_store.h"

#include <fmt/format.h>

#include <filesystem>

#include "load/mesh.h"

namespace gradus {

namespace fs = std::filesystem;

namespace {

constexpr int kParentFolders = 3;
constexpr std::size_t kRobotTriangleLimit = 4 * kMeshTriangleLimit;

/// The part behind "scheme://" if the name begins with it.
std::optional<std::string> behind(const std::string& name, const std::string& scheme) {
  if (!name.starts_with(scheme)) return std::nullopt;
  return name.substr(scheme.size());
}

}  // namespace

std::vector<std::string> mesh_candidates(const std::string& robot_file, const std::string& name) {
  if (const auto path = behind(name, "file://")) return {*path};
  if (fs::path(name).is_absolute()) return {name};
  std::optional<std::string> in_package = behind(name, "package://");
  if (!in_package) in_package = behind(name, "model://");
  std::vector<std::string> candidates;
  fs::path folder = fs::path(robot_file).parent_path();
  for (int i = 0; i <= kParentFolders; ++i) {
    candidates.push_back((folder / in_package.value_or(name)).lexically_normal().string());
    if (in_package) {
      const std::size_t slash = in_package->find('/');
      if (slash != std::string::npos)
        candidates.push_back((folder / in_package->substr(slash + 1)).lexically_normal().string());
    }
    const fs::path above = folder.empty() || folder.filename() == ".." ? folder / ".." : folder.parent_path();
    if (above == folder) break;  // the root
    folder = above;
  }
  return candidates;
}

int MeshStore::get(const std::string& name, Vec3 scale, const Place& place, MeshUse use) {
  const auto key = std::tuple(name, scale.x, scale.y, scale.z);
  const auto it = known_.find(key);
  if (it != known_.end()) return it->second;
  return known_[key] = load(name, scale, place, use);
}

/// What concerns the whole mesh is reported where the robot names it; a line of the mesh speaks for itself.
void MeshStore::report(Diagnostic d, const std::string& name, const Place& place) {
  if (d.place.line == 0) {
    d.text = "the mesh " + in_quotes(name) + ": " + d.text;
    d.place = place;
  }
  d.severity = Severity::warning;
  problems_.append({std::move(d)});
}

int MeshStore::refuse(const Place& place, std::string text, const std::string& suggestion, MeshUse use) {
  text += use == MeshUse::drawn ? ": what touches is drawn instead" : ": the link goes without this collision shape";
  problems_.warning(place, std::move(text), suggestion);
  return -1;
}

int MeshStore::load(const std::string& name, Vec3 scale, const Place& place, MeshUse use) {
  if (name.find("://") != std::string::npos && !name.starts_with("package://") && !name.starts_with("model://") &&
      !name.starts_with("file://")) {
    return refuse(place, "the mesh " + in_quotes(name) + " is not a file", "use package://, file:// or a relative path",
                  use);
  }
  const std::vector<std::string> candidates = mesh_candidates(robot_file_, name);
  for (const std::string& path : candidates) {
    std::error_code failure;
    if (!fs::exists(path, failure) || failure) continue;
    Result<MeshSpec> mesh = load_mesh(path, scale);
    for (const Diagnostic& d : mesh.notes()) report(d, name, place);
    if (!mesh) return refuse(place, "the mesh " + in_quotes(name) + " cannot be used", "", use);
    triangle_count_ += mesh->triangles.size();
    if (triangle_count_ > kRobotTriangleLimit) {
      problems_.error(place, fmt::format("the robot's meshes have more than {} triangles", kRobotTriangleLimit),
                      "simplify them");
      return -1;
    }
    meshes_.push_back(std::move(*mesh));
    return static_cast<int>(meshes_.size()) - 1;
  }
  return refuse(place, "the mesh " + in_quotes(name) + " is not there",
                fmt::format("tried {}", fmt::join(candidates, ", ")), use);
}

}  // namespace gradus

/// Any bytes as STL and as OBJ: a sound mesh or errors.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "load/mesh.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void check(const gradus::Result<gradus::MeshSpec>& mesh) {
  demand(static_cast<bool>(mesh) != gradus::has_errors(mesh.notes()));
  if (!mesh) return;
  demand(!mesh->triangles.empty());
  for (const auto& t : mesh->triangles) {
    for (const int v : t) demand(v >= 0 && v < static_cast<int>(mesh->vertices.size()));
  }
  for (const gradus::Vec3& v : mesh->vertices) demand(std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(gradus::parse_mesh("fuzz.stl", bytes, {1, -2, 0.5}));
  check(gradus::parse_mesh("fuzz.obj", bytes, {1, 1, 1e-3}));
  return 0;
}

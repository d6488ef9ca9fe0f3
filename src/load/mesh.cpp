#include "load/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/hash.h"
#include "load/mesh_builder.h"

namespace gradus {

namespace {

bool is_finite(Vec3 p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }
bool equal(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

std::string lower_case_extension(const std::string& path) {
  std::string e = std::filesystem::path(path).extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return e;
}

}  // namespace

MeshBuilder::MeshBuilder(std::string file, Vec3 scale)
    : scale_(scale), mirrored_(scale.x * scale.y * scale.z < 0), limit_(kMeshTriangleLimit), slots_(64, -1) {
  mesh_.file = std::move(file);
}

bool MeshBuilder::add_triangle(const std::array<Vec3, 3>& corners) {
  if (++seen_ > limit_) return true;
  std::array<Vec3, 3> p;
  for (int i = 0; i < 3; ++i) {
    p[i] = {corners[i].x * scale_.x, corners[i].y * scale_.y, corners[i].z * scale_.z};
    if (!is_finite(p[i])) return false;
    p[i] = p[i] + Vec3{0, 0, 0};  // −0 becomes 0: equal vertices have equal bits
  }
  if (mirrored_) std::swap(p[1], p[2]);
  if (equal(cross(p[1] - p[0], p[2] - p[0]), {0, 0, 0})) {
    ++dropped_;
    return true;
  }
  mesh_.triangles.push_back({vertex_of(p[0]), vertex_of(p[1]), vertex_of(p[2])});
  return true;
}

int MeshBuilder::vertex_of(Vec3 p) {
  if (2 * (mesh_.vertices.size() + 1) > slots_.size()) grow_slots();
  std::size_t i = hash_bytes(&p, sizeof p) & (slots_.size() - 1);
  while (slots_[i] >= 0) {
    if (equal(mesh_.vertices[slots_[i]], p)) return slots_[i];
    i = (i + 1) & (slots_.size() - 1);
  }
  slots_[i] = static_cast<int>(mesh_.vertices.size());
  mesh_.vertices.push_back(p);
  return slots_[i];
}

void MeshBuilder::grow_slots() {
  slots_.assign(2 * slots_.size(), -1);
  for (std::size_t v = 0; v < mesh_.vertices.size(); ++v) {
    std::size_t i = hash_bytes(&mesh_.vertices[v], sizeof(Vec3)) & (slots_.size() - 1);
    while (slots_[i] >= 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = static_cast<int>(v);
  }
}

/// Sum over the tetrahedra (o, a, b, c) of all triangles, o being the first vertex: on the surface, so that little
/// cancels [Eberly 2002, "Polyhedral Mass Properties (Revisited)"]. With a, b, c from o, d = a · (b × c) and s = a + b
/// + c:
///   V = Σ d/6   (1)     V c = Σ d s/24   (2)     ∫ x xᵀ = Σ d (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/120   (3)
///   I = tr(C) 1 − C with C = ∫ x xᵀ − V c cᵀ                                                      (4)
SolidProperties solid_properties(const MeshSpec& mesh) {
  SolidProperties solid;
  if (mesh.vertices.empty()) return solid;
  const Vec3 o = mesh.vertices.front();
  double V = 0;
  Vec3 Vc{0, 0, 0};
  Sym3 C{0, 0, 0, 0, 0, 0};
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]] - o, b = mesh.vertices[t[1]] - o, c = mesh.vertices[t[2]] - o, s = a + b + c;
    const double d = dot(a, cross(b, c));
    V += d / 6;                           // (1)
    Vc += s * (d / 24);                   // (2)
    for (const Vec3& p : {a, b, c, s}) {  // (3)
      const Vec3 q = p * (d / 120);
      C += Sym3{q.x * p.x, q.x * p.y, q.x * p.z, q.y * p.y, q.y * p.z, q.z * p.z};
    }
  }
  solid.volume = V;
  if (V == 0) return solid;
  const Vec3 c = Vc * (1 / V);
  C += Sym3{-Vc.x * c.x, -Vc.x * c.y, -Vc.x * c.z, -Vc.y * c.y, -Vc.y * c.z, -Vc.z * c.z};
  solid.centre = o + c;
  solid.inertia = {C.yy + C.zz, -C.xy, -C.xz, C.xx + C.zz, -C.yz, C.xx + C.yy};  // (4)
  return solid;
}

bool is_closed(const MeshSpec& mesh) {
  std::vector<std::uint64_t> edges;  // smaller vertex, larger vertex, direction: sorting brings the two sides together
  edges.reserve(3 * mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t from = t[i], to = t[(i + 1) % 3];
      edges.push_back(std::min(from, to) << 33 | std::max(from, to) << 1 | (from < to));
    }
  }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size();) {
    long balance = 0;
    const std::uint64_t edge = edges[i] >> 1;
    for (; i < edges.size() && edges[i] >> 1 == edge; ++i) balance += edges[i] & 1 ? 1 : -1;
    if (balance != 0) return false;
  }
  return !edges.empty();
}

namespace {

void check_surface(const MeshSpec& mesh, std::size_t dropped, const Place& place, ProblemList& problems) {
  if (mesh.triangles.empty()) {
    problems.error(place, "the mesh has no triangle with an area", "export it again with faces");
    return;
  }
  if (dropped > 0) {
    problems.warning(place, fmt::format("{} triangle{} without area left out", dropped, dropped == 1 ? "" : "s"));
  }
  if (is_closed(mesh) && solid_properties(mesh).volume < 0) {
    problems.warning(place, "the surface is inside out: corners run clockwise seen from outside",
                     "flip the normals in the modelling program and export it again");
  }
}

Diagnostics refusal(const std::string& path, std::string text, std::string suggestion) {
  return {{{path, 0, 0}, Severity::error, std::move(text), std::move(suggestion)}};
}

/// What can be said before the file is read; empty if nothing.
Diagnostics check_request(const std::string& path, Vec3 scale) {
  if (!is_finite(scale) || scale.x == 0 || scale.y == 0 || scale.z == 0) {
    return refusal(path, "the mesh's scale must be three finite numbers other than 0",
                   "use 1 1 1 for a file in metres");
  }
  const std::string extension = lower_case_extension(path);
  if (extension == ".stl" || extension == ".obj" || assimp_reads(extension)) return {};
  return refusal(path,
                 extension.empty() ? "a mesh file without extension" : "unknown mesh format " + in_quotes(extension),
                 "convert it to STL (.stl), Wavefront OBJ (.obj) or COLLADA (.dae)");
}

}  // namespace

Result<MeshSpec> load_mesh(const std::string& path, Vec3 scale) {
  Diagnostics refused = check_request(path, scale);
  if (!refused.empty()) return refused;
  const Result<std::string> bytes = read_bytes(path, kMeshFileLimit);
  if (!bytes) return bytes.notes();
  return parse_mesh(path, *bytes, scale);
}

Result<MeshSpec> parse_mesh(const std::string& path, std::string_view bytes, Vec3 scale) {
  Diagnostics refused = check_request(path, scale);
  if (!refused.empty()) return refused;
  const Place place{path, 0, 0};
  ProblemList problems;
  MeshBuilder builder(path, scale);
  const LineMap lines(path, bytes);
  const std::string extension = lower_case_extension(path);
  if (extension == ".stl")
    read_stl(bytes, lines, builder, problems);
  else if (extension == ".obj")
    read_obj(bytes, lines, builder, problems);
  else
    read_with_assimp(bytes, extension, place, builder, problems);
  if (builder.full()) {
    problems.error(place, fmt::format("the mesh has more than {} triangles", kMeshTriangleLimit), "simplify it");
  }
  const std::size_t dropped = builder.dropped();
  MeshSpec mesh = std::move(builder).take();
  if (problems.error_count() == 0) check_surface(mesh, dropped, place, problems);
  const bool failed = problems.error_count() > 0;
  Diagnostics notes = std::move(problems).take(place);
  if (failed) return notes;
  return {std::move(mesh), std::move(notes)};
}

}  // namespace gradus

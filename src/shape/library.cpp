#include "shape/library.h"

#include <fmt/format.h>

#include <cmath>

namespace gradus {
namespace {

bool positive(double x) { return std::isfinite(x) && x > 0; }

Diagnostics error(const Place& place, std::string text) {
  return Diagnostics{{place, Severity::error, std::move(text), ""}};
}

/// What building a shape found is told where the shape is described, with the file that it came from.
Result<Shape> told(Result<Shape> shape, const ShapeSpec& spec, const std::string& file) {
  if (shape) return shape;
  Diagnostics notes = shape.notes();
  for (Diagnostic& d : notes) d.place = spec.place, d.text = file.empty() ? d.text : file + ": " + d.text;
  return notes;
}

}  // namespace

Result<Shape> ShapeLibrary::add(const ShapeSpec& spec, std::span<const MeshSpec> meshes, MeshUse use,
                                std::span<const HeightMapSpec> maps) {
  switch (spec.kind) {
    case ShapeKind::plane:
      return plane_shape();
    case ShapeKind::sphere:
      if (!positive(spec.radius)) return error(spec.place, "a sphere needs a radius above zero");
      return sphere_shape(spec.radius);
    case ShapeKind::box:
      if (!positive(spec.size.x) || !positive(spec.size.y) || !positive(spec.size.z))
        return error(spec.place, "a box needs three sizes above zero");
      return box_shape(spec.size * 0.5);
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      if (!positive(spec.radius) || !positive(spec.length))
        return error(spec.place, fmt::format("a {} needs a radius and a length above zero",
                                             spec.kind == ShapeKind::capsule ? "capsule" : "cylinder"));
      return spec.kind == ShapeKind::capsule ? capsule_shape(spec.radius, spec.length * 0.5)
                                             : cylinder_shape(spec.radius, spec.length * 0.5);
    case ShapeKind::height_field:
      if (spec.map < 0 || spec.map >= static_cast<int>(maps.size()))
        return error(spec.place, fmt::format("map number {} of {} does not exist", spec.map, maps.size()));
      return told(add_field(maps[spec.map].grid, maps[spec.map].unknown), spec, maps[spec.map].file);
    case ShapeKind::mesh:
    case ShapeKind::hull:
      break;
  }
  if (spec.mesh < 0 || spec.mesh >= static_cast<int>(meshes.size()))
    return error(spec.place, fmt::format("mesh number {} of {} does not exist", spec.mesh, meshes.size()));
  const MeshSpec& m = meshes[spec.mesh];
  const bool hull = spec.kind == ShapeKind::hull || use == MeshUse::hull;
  return told(hull ? add_hull(m.vertices) : add_mesh(m.vertices, m.triangles), spec, m.file);
}

Result<Shape> ShapeLibrary::add_hull(std::span<const Vec3> points) {
  Result<Hull> h = build_hull(points);
  if (!h) return h.notes();
  hulls_.push_back(std::make_unique<Hull>(*std::move(h)));
  return {hull_shape(*hulls_.back()), h.notes()};
}

Result<Shape> ShapeLibrary::add_mesh(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles) {
  Result<TriangleMesh> m = TriangleMesh::build(vertices, triangles);
  if (!m) return m.notes();
  meshes_.push_back(std::make_unique<TriangleMesh>(*std::move(m)));
  return {mesh_shape(*meshes_.back()), m.notes()};
}

Result<Shape> ShapeLibrary::add_field(HeightGrid grid, UnknownHeights unknown) {
  Result<HeightField> f = HeightField::build(std::move(grid), unknown);
  if (!f) return f.notes();
  fields_.push_back(std::make_unique<HeightField>(*std::move(f)));
  return {field_shape(*fields_.back()), f.notes()};
}

}  // namespace gradus

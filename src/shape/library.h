/// Owner of the big parts of shapes. Filled when a scene is compiled; addresses stay, so Shapes may point into it.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "shape/height_field.h"
#include "shape/hull.h"
#include "shape/mesh.h"
#include "shape/shape.h"
#include "model/spec.h"

namespace gradus {

/// What a mesh file becomes: its convex hull (moving bodies: robust and fast) or the triangles themselves (static
/// scenery, hollow things).
enum class MeshUse { hull, triangles };

class ShapeLibrary {
 public:
  /// Checked: sizes finite and above zero, mesh and map numbers in range. The shape's pose X_OS is the caller's
  /// business.
  Result<Shape> add(const ShapeSpec& spec, std::span<const MeshSpec> meshes, MeshUse use = MeshUse::hull,
                    std::span<const HeightMapSpec> maps = {});
  Result<Shape> add_hull(std::span<const Vec3> points);
  Result<Shape> add_mesh(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles);
  Result<Shape> add_field(HeightGrid grid, UnknownHeights unknown = UnknownHeights::hole);

 private:
  std::vector<std::unique_ptr<Hull>> hulls_;
  std::vector<std::unique_ptr<TriangleMesh>> meshes_;
  std::vector<std::unique_ptr<HeightField>> fields_;
};

}  // namespace gradus

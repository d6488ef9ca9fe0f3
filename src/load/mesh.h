/// Triangle meshes from STL (binary and ASCII) and Wavefront OBJ files by readers of our own, from COLLADA (.dae), PLY
/// and glTF files by the Assimp library [mesh_assimp.cpp].
///
/// Read: positions and faces. Polygons are cut into a fan from their first corner (right for convex ones). Normals,
/// texture, groups and materials are ignored; the outside of a triangle is the side from which its corners run
/// counter-clockwise. Vertices with equal coordinates become one; vertices are numbered by their first use in a face,
/// so the result depends on the file alone. A scale with an odd number of negative factors mirrors the mesh, and the
/// corners are swapped to keep the outside outside.
///
/// Refused: files over 256 MiB or 5 million triangles, triangle counts that the file cannot hold, coordinates that are
/// not finite, indices without vertex. Reported as warnings: triangles without area (dropped), a closed surface that is
/// inside out.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "math/vec.h"
#include "model/spec.h"

namespace gradus {

inline constexpr std::size_t kMeshFileLimit = std::size_t{256} << 20;  // [byte]
inline constexpr std::size_t kMeshTriangleLimit = 5'000'000;

/// `scale` multiplies the file's coordinates and must give metres.
Result<MeshSpec> load_mesh(const std::string& path, Vec3 scale);
/// The same from bytes in memory; `path` gives the format by its extension and the messages their file.
Result<MeshSpec> parse_mesh(const std::string& path, std::string_view bytes, Vec3 scale);

/// The body enclosed by a closed surface, with density 1. Negative volume: the surface is inside out.
struct SolidProperties {
  double volume = 0;               // [m³]
  Vec3 centre{0, 0, 0};            // centre of volume                                       [m]
  Sym3 inertia{0, 0, 0, 0, 0, 0};  // about the centre, axes of the mesh; times density      [m⁵]
};
SolidProperties solid_properties(const MeshSpec& mesh);

/// Every edge belongs to as many triangles in one direction as in the other.
bool is_closed(const MeshSpec& mesh);

}  // namespace gradus

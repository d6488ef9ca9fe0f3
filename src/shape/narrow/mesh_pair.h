/// Mesh against mesh for apart.h: all in the frame of a.
#pragma once
#include <array>

#include "shape/mesh.h"

namespace gradus {

/// Do two triangles have a point in common?
bool triangles_cross(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);
/// Nearest points of two triangles; 0 if they cross. The squared distance [m²].
double triangle_distance2(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b, Vec3& p_a, Vec3& p_b);

/// Do the surfaces cross? Says nothing about one inside the other.
bool meshes_cross(const TriangleMesh& a, const TriangleMesh& b, const Pose& X_AB);
/// Nearest points of the surfaces if they are nearer than best2 [m²], which becomes their squared distance.
bool nearest_of_meshes(const TriangleMesh& a, const TriangleMesh& b, const Pose& X_AB, double& best2, Vec3& p_a, Vec3& p_b);

}  // namespace gradus

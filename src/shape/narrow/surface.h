/// Contacts with planes, meshes and height fields. Everything in the frame of the surface, which is shape a.
#pragma once
#include "shape/narrow/manifold.h"

namespace gradus {

void plane_against(const Shape& b, const Pose& X_AB, double margin, Candidates& out);
/// Mesh or height field against a convex shape.
void surface_against_convex(const Shape& a, const Shape& b, const Pose& X_AB, double margin, Candidates& out);
/// Mesh against a mesh or a height field (a: the one whose kind comes first).
void surface_against_mesh(const Shape& a, const Shape& b, const Pose& X_AB, double margin, Candidates& out);

}  // namespace gradus

/// Closed forms for the nearest or deepest points of simple convex pairs; GJK and the expanding polytope for all
/// others.
#pragma once
#include "shape/narrow/gjk.h"

namespace gradus {

/// Nearest surface point of a convex solid to a point: p and outward normal, distance negative inside. All in the
/// solid's frame.
struct SignedPoint {
  Vec3 p, n;
  double distance;
};
SignedPoint nearest_on_box(Vec3 half, Vec3 q);
SignedPoint nearest_on_cylinder(double radius, double half_length, Vec3 q);

/// Nearest points of segments p ± u and q ± v.
void nearest_on_segments(Vec3 p, Vec3 u, Vec3 q, Vec3 v, Vec3& on_p, Vec3& on_q);

/// Deepest points of two convex shapes with a.kind ≤ b.kind; false if farther apart than margin.
bool deepest_of_pair(const CorePair& pair, double margin, Deepest& out);

}  // namespace gradus

/// Ray casts against every shape: for sonar, picking, height scans.
#pragma once
#include "shape/shape.h"

namespace gradus {

struct RayHit {
  double t = 0;          // along the ray                                       [in lengths of d]
  Vec3 normal{0, 0, 1};  // of the surface, in W, against the ray
  int triangle = -1;     // of meshes and height fields
};

/// First point p + t d, 0 ≤ t ≤ t_max, that belongs to the solid. A ray that starts inside hits at once (t = 0, normal
/// −d/|d|); open meshes are hit from both sides.
bool cast_ray(const Shape& s, const Pose& X_WS, Vec3 p_W, Vec3 d_W, double t_max, RayHit& hit);

}  // namespace gradus

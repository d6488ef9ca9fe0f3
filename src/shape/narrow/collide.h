/// Contact between two shapes: a manifold of at most four well-spread points, always in the same order.
///
/// gap is the distance where shapes are apart (right up to `margin`), and minus the depth where they overlap: the
/// length of the shortest translation that parts them. Every pair is computed in the frame of the first shape, so
/// moving both rigidly moves the result. Deterministic, no allocation. docs/collision.md has the method of every pair.
#pragma once
#include <cstdint>

#include "shape/shape.h"

namespace gradus {

/// Plain, without initial values: work space for many of them costs nothing to open.
struct Contact {
  Vec3 point;             // midway between the two surfaces, in W                       [m]
  Vec3 normal;            // unit, from b to a, in W
  double gap;             // along the normal; negative: penetration                     [m]
  std::uint32_t feature;  // which corners, edges or triangles meet: the key of warm starts
};

inline constexpr int kContactMax = 4;

/// Contacts with gap ≤ margin into out[kContactMax]; returns how many. Two planes, and two surfaces of which one is a
/// plane or height field, are static scenery and never touch. near: spheres around them are known to be within the
/// margin.
int collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin, Contact* out,
            bool near = false);

}  // namespace gradus

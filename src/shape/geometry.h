/// Small vector helpers that collision code shares.
#pragma once
#include <algorithm>
#include <limits>

#include "math/vec.h"

namespace gradus {

inline double component(const Vec3& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
inline double& component(Vec3& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }
inline Vec3 smaller(Vec3 a, Vec3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
inline Vec3 larger(Vec3 a, Vec3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }
inline Vec3 magnitude(Vec3 a) { return {std::abs(a.x), std::abs(a.y), std::abs(a.z)}; }

/// v / |v|; `otherwise` where v is too short to have a direction.
inline Vec3 direction(Vec3 v, Vec3 otherwise) {
  const double length = norm(v);
  return length > 1e-300 ? v * (1 / length) : otherwise;
}

/// A unit vector perpendicular to the unit vector n; a continuous choice but for one seam, the same on every machine.
inline Vec3 perpendicular(Vec3 n) {
  const Vec3 e = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  return direction(cross(n, e), {0, 0, 1});
}

/// Axis-aligned box.
struct Box3 {
  Vec3 lo, hi;
};
inline Box3 empty_box() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  return {{inf, inf, inf}, {-inf, -inf, -inf}};
}
inline void include(Box3& b, Vec3 p) { b = {smaller(b.lo, p), larger(b.hi, p)}; }
inline void include(Box3& b, const Box3& c) { b = {smaller(b.lo, c.lo), larger(b.hi, c.hi)}; }
inline Box3 grown(const Box3& b, double by) { return {b.lo - Vec3{by, by, by}, b.hi + Vec3{by, by, by}}; }
inline bool overlap(const Box3& a, const Box3& b) {
  return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
         b.lo.z <= a.hi.z;
}
/// Box around a box that was moved: |R| takes half extents to half extents.
inline Box3 moved(const Pose& X, const Box3& b) {
  const Vec3 centre = X * ((b.lo + b.hi) * 0.5), half = (b.hi - b.lo) * 0.5;
  const Vec3 reach = magnitude(X.R.x) * half.x + magnitude(X.R.y) * half.y + magnitude(X.R.z) * half.z;
  return {centre - reach, centre + reach};
}

}  // namespace gradus

/// Bounding volumes of the compound trees: sphere, axis-aligned box or oriented box, one kind for a whole scene.
#pragma once
#include <cstdint>

#include "shape/shape.h"

namespace gradus {

enum class VolumeKind : std::uint8_t { sphere, aabb, obb };
const char* to_string(VolumeKind kind);

/// In W. A sphere uses c and r, an axis-aligned box c and half, an oriented box c, R and half.
struct Volume {
  Vec3 c{0, 0, 0};
  double r = 0;
  Vec3 half{0, 0, 0};
  Mat3 R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

/// What volumes need of a bounded shape: its box and its sphere, in the shape's frame.
struct Extent {
  Vec3 centre, half;  // of the box
  Vec3 sphere_centre;
  double radius;
};
Extent extent_of(const Shape& s);
/// Of a bounded shape, grown by `reach`.
Volume volume_of(VolumeKind kind, const Extent& e, const Pose& X_WS, double reach);
/// Around two volumes: the smallest sphere or axis-aligned box; an oriented box takes the axes of the larger one.
Volume merged(VolumeKind kind, const Volume& a, const Volume& b);
bool overlap(VolumeKind kind, const Volume& a, const Volume& b);

// Axis-aligned boxes, the default, are made for every shape that is near another: into place, without the numbers of
// the other kinds.
inline void set_box(const Extent& e, const Pose& X_WS, double reach, Volume& out) {
  out.c = X_WS * e.centre;
  out.half = magnitude(X_WS.R.x) * e.half.x + magnitude(X_WS.R.y) * e.half.y + magnitude(X_WS.R.z) * e.half.z +
             Vec3{reach, reach, reach};
}
inline void set_merged_box(const Volume& a, const Volume& b, Volume& out) {
  const Vec3 lo = smaller(a.c - a.half, b.c - b.half), hi = larger(a.c + a.half, b.c + b.half);
  out.c = (lo + hi) * 0.5, out.half = (hi - lo) * (0.5 * (1 + 1e-14));
}
inline bool boxes_overlap(const Volume& a, const Volume& b) {
  const Vec3 m = magnitude(b.c - a.c), h = a.half + b.half;
  return m.x <= h.x && m.y <= h.y && m.z <= h.z;
}
/// What "larger" means when a descent chooses: the radius, or half the diagonal.
double size(VolumeKind kind, const Volume& v);
/// Lowest point along the unit vector n: min of n · x.
double lowest(VolumeKind kind, const Volume& v, Vec3 n);
Box3 box_around(VolumeKind kind, const Volume& v);

}  // namespace gradus

#include "shape/trees/volume.h"

namespace gradus {

const char* to_string(VolumeKind kind) {
  return kind == VolumeKind::sphere ? "sphere" : kind == VolumeKind::aabb ? "aabb" : "obb";
}

namespace {

/// Half extent of an oriented box along the unit vector n.
double reach_along(const Volume& v, Vec3 n) {
  return std::abs(dot(v.R.x, n)) * v.half.x + std::abs(dot(v.R.y, n)) * v.half.y + std::abs(dot(v.R.z, n)) * v.half.z;
}

Volume merged_spheres(const Volume& a, const Volume& b) {
  const Vec3 d = b.c - a.c;
  const double apart = norm(d);
  if (apart + b.r <= a.r) return a;
  if (apart + a.r <= b.r) return b;
  Volume v;
  v.r = 0.5 * (apart + a.r + b.r);
  v.c = a.c + d * ((v.r - a.r) / apart);
  v.r *= 1 + 1e-14;  // rounding must not let the children stick out
  return v;
}

Volume merged_boxes(const Volume& a, const Volume& b) {
  Volume v = dot(a.half, a.half) >= dot(b.half, b.half) ? a : b;
  const Vec3 axes[3] = {v.R.x, v.R.y, v.R.z};
  Vec3 centre{0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    const double ra = reach_along(a, axes[k]), rb = reach_along(b, axes[k]), ca = dot(a.c, axes[k]),
                 cb = dot(b.c, axes[k]);
    const double lo = std::min(ca - ra, cb - rb), hi = std::max(ca + ra, cb + rb);
    centre += axes[k] * (0.5 * (lo + hi));
    component(v.half, k) = 0.5 * (hi - lo) * (1 + 1e-14);
  }
  v.c = centre;
  return v;
}

bool overlap_obb(const Volume& a, const Volume& b) {
  const Vec3 t = b.c - a.c, ea[3] = {a.R.x, a.R.y, a.R.z}, eb[3] = {b.R.x, b.R.y, b.R.z};
  auto apart = [&](Vec3 l) { return std::abs(dot(t, l)) > reach_along(a, l) + reach_along(b, l); };
  for (int k = 0; k < 3; ++k)
    if (apart(ea[k]) || apart(eb[k])) return false;
  for (const Vec3& u : ea)
    for (const Vec3& v : eb) {
      const Vec3 l = cross(u, v);
      if (dot(l, l) > 1e-12 && apart(l)) return false;
    }
  return true;
}

}  // namespace

Extent extent_of(const Shape& s) {
  Extent e;
  const Box3 box = bounds(s);
  e.centre = (box.lo + box.hi) * 0.5, e.half = (box.hi - box.lo) * 0.5;
  bounding_sphere(s, e.sphere_centre, e.radius);
  return e;
}

Volume volume_of(VolumeKind kind, const Extent& e, const Pose& X_WS, double reach) {
  Volume v;
  if (kind == VolumeKind::aabb) {
    set_box(e, X_WS, reach, v);
  } else if (kind == VolumeKind::sphere) {
    v.c = X_WS * e.sphere_centre, v.r = e.radius + reach;
  } else {
    v.c = X_WS * e.centre, v.half = e.half + Vec3{reach, reach, reach}, v.R = X_WS.R;
  }
  return v;
}

Volume merged(VolumeKind kind, const Volume& a, const Volume& b) {
  if (kind == VolumeKind::sphere) return merged_spheres(a, b);
  if (kind == VolumeKind::obb) return merged_boxes(a, b);
  Volume v;
  set_merged_box(a, b, v);
  return v;
}

bool overlap(VolumeKind kind, const Volume& a, const Volume& b) {
  if (kind == VolumeKind::aabb) return boxes_overlap(a, b);
  if (kind == VolumeKind::obb) return overlap_obb(a, b);
  const Vec3 d = b.c - a.c;
  return dot(d, d) <= (a.r + b.r) * (a.r + b.r);
}

double size(VolumeKind kind, const Volume& v) { return kind == VolumeKind::sphere ? v.r : norm(v.half); }

double lowest(VolumeKind kind, const Volume& v, Vec3 n) {
  return dot(n, v.c) - (kind == VolumeKind::sphere ? v.r : reach_along(v, n));
}

Box3 box_around(VolumeKind kind, const Volume& v) {
  if (kind == VolumeKind::sphere) return {v.c - Vec3{v.r, v.r, v.r}, v.c + Vec3{v.r, v.r, v.r}};
  const Vec3 h = magnitude(v.R.x) * v.half.x + magnitude(v.R.y) * v.half.y + magnitude(v.R.z) * v.half.z;
  return {v.c - h, v.c + h};
}

}  // namespace gradus

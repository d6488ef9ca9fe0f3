/// Body of ground_points.h for any scalar.
#pragma once
#include "contact/ground_points.h"

namespace gradus {
namespace ground {

/// Faster points are found one step late, when they are already inside; nothing is missed.
constexpr double kFastest = 10;  // [m/s]
constexpr double kNear = 0.02;   // [m]

/// Numbers of one robot's search that all its points share.
template <class T>
struct SearchT {
  Vec3T<T> n;                // the ground's normal
  T root_height;             // of the root over the ground          [m]
  T reach;                   // points above it cannot touch         [m]
  T h, fall;                 // step; speed gained by falling        [s, m/s]
  Vec3T<T> v_WB;
};

/// (1) to (3) for one point; where it touches. The contact is filled only if some lane does.
template <class T, class F>
GRADUS_INLINE MaskOf<T> touch(const SearchT<T>& s, const FrameT<T>& f, const ContactPointT<F>& p, StaticContactT<T>& c) {
  const Vec3T<T> r = f.p + f.R * cast<T>(p.p_BC) - s.n * T(p.radius);
  const T gap = s.root_height + dot(s.n, r);
  const auto near = gap <= s.reach;
  if (!any(near)) return near;
  const Vec3T<T> u = s.v_WB + velocity_at(f.V, r);
  const auto inside = mask_and(near, gap + s.h * (dot(s.n, u) + s.fall) < T(0.0));
  if (!any(inside)) return inside;
  c.r = r;
  c.gap = gap;
  c.u = u;
  return inside;
}

}  // namespace ground

template <class T, class F, class FrameOf>
GRADUS_INLINE int find_ground_points(const KindArraysT<F>& kind, const PlaneT<F>& plane, Vec3T<F> gravity, F h,
                                     const RootMotionT<T>& root, FrameOf&& frame_of, const ContactMemoryT<T>* memory,
                                     StaticContactT<T>* contacts, int* begin) {
  ground::SearchT<T> s{cast<T>(plane.n), T(0.0), T(F(ground::kNear) + h * F(ground::kFastest)),
                       T(h),             T(h * dot(gravity, plane.n)), root.v_WB};
  s.root_height = dot(s.n, root.p_WB) - T(plane.offset);
  int count = 0;
  for (int i = 0; i < kind.nlink; ++i) {
    begin[i] = count;
    const FrameT<T>& f = frame_of(i);
    if (kind.bound_radius[i] < 0) continue;
    const T height = s.root_height + dot(s.n, f.p + f.R * cast<T>(kind.bound_centre[i])) - T(kind.bound_radius[i]);
    if (!any(height <= s.reach)) continue;
    for (int k = kind.point_begin[i]; k < kind.point_begin[i + 1]; ++k) {
      StaticContactT<T>& c = contacts[count];
      const auto touches = ground::touch(s, f, kind.points[k], c);
      if (!any(touches)) continue;
      c.point = k;
      c.link = i;
      c.active = touches;
      c.sliding = memory[k].sliding != T(0.0);
      c.fn = memory[k].fn;
      ++count;
    }
  }
  begin[kind.nlink] = count;
  return count;
}

}  // namespace gradus

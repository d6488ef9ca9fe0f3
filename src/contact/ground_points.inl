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

/// Gap and speed along the normal of a link's points as linear functions of p_BC, so that a point which does not touch costs
/// two scalar products:  gap = height + a·p_BC − radius,  n·u = speed + b·p_BC.
template <class T>
struct NearLinkT {
  Vec3T<T> a, b;             // Rᵀ n, Rᵀ (n × V.a)
  T height, speed;
};

template <class T>
GRADUS_INLINE MaskOf<T> touches(const SearchT<T>& s, const NearLinkT<T>& l, Vec3T<T> p_BC, T radius) {
  const T gap = l.height + dot(l.a, p_BC) - radius, speed = l.speed + dot(l.b, p_BC);
  return mask_and(gap <= s.reach, gap + s.h * (speed + s.fall) < T(0.0));
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
    ground::NearLinkT<T> l;
    l.a = transpose_times(f.R, s.n);
    l.height = s.root_height + dot(s.n, f.p);
    if (!any(l.height + dot(l.a, cast<T>(kind.bound_centre[i])) - T(kind.bound_radius[i]) <= s.reach)) continue;
    const Vec3T<T> across = cross(s.n, f.V.a);
    l.b = transpose_times(f.R, across);
    l.speed = dot(s.n, s.v_WB + f.V.l) + dot(across, f.p);
    for (int k = kind.point_begin[i]; k < kind.point_begin[i + 1]; ++k) {
      const ContactPointT<F>& p = kind.points[k];
      const auto touches = ground::touches(s, l, cast<T>(p.p_BC), T(p.radius));
      if (!any(touches)) continue;
      StaticContactT<T>& c = contacts[count++];
      c.point = k;
      c.link = i;
      c.active = touches;
      c.sliding = memory[k].sliding != T(0.0);
      c.r = f.p + f.R * cast<T>(p.p_BC) - s.n * T(p.radius);
      c.gap = s.root_height + dot(s.n, c.r);
      c.u = s.v_WB + velocity_at(f.V, c.r);
      c.fn = memory[k].fn;
    }
  }
  begin[kind.nlink] = count;
  return count;
}

}  // namespace gradus

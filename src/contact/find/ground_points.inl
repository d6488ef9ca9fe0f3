/// Body of ground_points.h for any scalar.
#pragma once
#include "contact/find/ground_points.h"
#include "contact/find/plane.h"

namespace gradus {
namespace ground {

/// Faster points are found one step late, when they are already inside; nothing is missed.
constexpr double kFastest = 10;  // [m/s]
constexpr double kNear = 0.002;  // [m]

/// Numbers of one robot's search that all its points share. Axes: TiltedT or LevelT.
template <class T, class Axes>
struct SearchT {
  Axes ground;
  T root_height;  // of the root over the ground          [m]
  T reach;        // points above it cannot touch         [m]
  T h, fall;      // step; speed gained by falling        [s, m/s]
  Vec3T<T> v_WB;
};

/// Gap and speed along the normal of a link's points as linear functions of p_BC, so that a point which does not touch
/// costs two scalar products:  gap = height + a·p_BC − radius,  n·u = speed + b·p_BC.
template <class T>
struct NearLinkT {
  Vec3T<T> a, b;  // Rᵀ n, Rᵀ (n × V.a)
  T height, speed;
};

template <class T, class Axes>
GRADUS_INLINE NearLinkT<T> near_link(const SearchT<T, Axes>& s, const FrameT<T>& f, Vec3T<T> a, T height) {
  const Vec3T<T> across = s.ground.across(f.V.a);
  return {a, transpose_times(f.R, across), height, s.ground.along(s.v_WB + f.V.l) + dot(across, f.p)};
}

template <class T, class Axes>
GRADUS_INLINE MaskOf<T> touches(const SearchT<T, Axes>& s, const NearLinkT<T>& l, Vec3T<T> p_BC, T radius) {
  const T gap = l.height + dot(l.a, p_BC) - radius, speed = l.speed + dot(l.b, p_BC);
  return mask_and(gap <= s.reach, gap + s.h * (speed + s.fall) < T(0.0));
}

/// (1) and (2)
template <class T, class F, class Axes>
GRADUS_INLINE void fill(const SearchT<T, Axes>& s, const FrameT<T>& f, const ContactPointT<F>& p,
                        StaticContactT<T>& c) {
  c.r = f.p + f.R * cast<T>(p.p_BC) - s.ground.normal(T(p.radius));
  c.gap = s.root_height + s.ground.along(c.r);
  c.u = s.v_WB + velocity_at(f.V, c.r);
}

template <class T, class F, class Axes, class FrameOf>
GRADUS_INLINE int find(const Axes& axes, const KindArraysT<F>& kind, const PlaneT<F>& plane, Vec3T<F> gravity, F h,
                       const RootMotionT<T>& root, FrameOf&& frame_of, const ContactMemoryT<T>* memory,
                       StaticContactT<T>* contacts, int* begin) {
  const SearchT<T, Axes> s{axes,
                           axes.along(root.p_WB) - T(plane.offset),
                           T(F(kNear) + h * F(kFastest)),
                           T(h),
                           T(h * dot(gravity, plane.n)),
                           root.v_WB};
  int count = 0;
  for (int i = 0; i < kind.nlink; ++i) {
    begin[i] = count;
    const FrameT<T>& f = frame_of(i);
    if (kind.point_begin[i] == kind.point_begin[i + 1]) continue;
    const Vec3T<T> a = s.ground.in_axes_of(f.R);
    const T height = s.root_height + s.ground.along(f.p);
    if (!any(height + dot(a, cast<T>(kind.bound_centre[i])) - T(kind.bound_radius[i]) <= s.reach)) continue;
    const NearLinkT<T> l = near_link(s, f, a, height);
    for (int k = kind.point_begin[i]; k < kind.point_begin[i + 1]; ++k) {
      const ContactPointT<F>& p = kind.points[k];
      const auto inside = touches(s, l, cast<T>(p.p_BC), T(p.radius));
      if (!any(inside)) continue;
      StaticContactT<T>& c = contacts[count++];
      c.point = k;
      c.link = i;
      c.near = c.active = inside;
      c.sliding = memory[k].sliding != T(0.0);
      c.fn = memory[k].fn;
      fill(s, f, p, c);
    }
  }
  begin[kind.nlink] = count;
  return count;
}

}  // namespace ground

template <class T, class F, class FrameOf>
GRADUS_INLINE int find_ground_points(const KindArraysT<F>& kind, const PlaneT<F>& plane, Vec3T<F> gravity, F h,
                                     const RootMotionT<T>& root, FrameOf&& frame_of, const ContactMemoryT<T>* memory,
                                     StaticContactT<T>* contacts, int* begin) {
  if (is_level(plane))
    return ground::find(LevelT<T>{}, kind, plane, gravity, h, root, frame_of, memory, contacts, begin);
  return ground::find(tilted<T>(plane), kind, plane, gravity, h, root, frame_of, memory, contacts, begin);
}

}  // namespace gradus

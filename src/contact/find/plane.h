/// The ground's axes as the contact kernels use them, for any plane and, with the same results at a fraction of the
/// operations, for level ground: n = z, t1 = x, t2 = y, where a scalar product is a coordinate.
#pragma once
#include "model/model.h"

namespace gradus {

/// Any plane.
template <class T>
struct TiltedT {
  Vec3T<T> n, t1, t2;
  GRADUS_INLINE T along(Vec3T<T> a) const { return dot(n, a); }                      // n · a
  GRADUS_INLINE Vec3T<T> normal(T s) const { return n * s; }                         // n s
  GRADUS_INLINE Vec3T<T> tangential(Vec3T<T> a) const { return a - n * dot(n, a); }  // a without its part along n
  GRADUS_INLINE Vec3T<T> tangent(T a, T b) const { return t1 * a + t2 * b; }         // t1 a + t2 b
  GRADUS_INLINE T first(Vec3T<T> a) const { return dot(a, t1); }
  GRADUS_INLINE T second(Vec3T<T> a) const { return dot(a, t2); }
  GRADUS_INLINE Vec3T<T> across(Vec3T<T> a) const { return cross(n, a); }  // n × a
  GRADUS_INLINE Vec3T<T> in_axes_of(const Mat3T<T>& R) const { return transpose_times(R, n); }
  /// w (1 − n nᵀ) + wn n nᵀ
  GRADUS_INLINE Sym3T<T> axial(T wn, T w) const {
    const T e = wn - w;
    return {w + e * n.x * n.x, e * n.x * n.y, e * n.x * n.z, w + e * n.y * n.y, e * n.y * n.z, w + e * n.z * n.z};
  }
};

/// n = z, t1 = x, t2 = y.
template <class T>
struct LevelT {
  GRADUS_INLINE T along(Vec3T<T> a) const { return a.z; }
  GRADUS_INLINE Vec3T<T> normal(T s) const { return {T(0.0), T(0.0), s}; }
  GRADUS_INLINE Vec3T<T> tangential(Vec3T<T> a) const { return {a.x, a.y, T(0.0)}; }
  GRADUS_INLINE Vec3T<T> tangent(T a, T b) const { return {a, b, T(0.0)}; }
  GRADUS_INLINE T first(Vec3T<T> a) const { return a.x; }
  GRADUS_INLINE T second(Vec3T<T> a) const { return a.y; }
  GRADUS_INLINE Vec3T<T> across(Vec3T<T> a) const { return {-a.y, a.x, T(0.0)}; }
  GRADUS_INLINE Vec3T<T> in_axes_of(const Mat3T<T>& R) const { return {R.x.z, R.y.z, R.z.z}; }
  GRADUS_INLINE Sym3T<T> axial(T wn, T w) const {
    const T o = T(0.0);
    return {w, o, o, w, o, w + (wn - w)};  // the bits of TiltedT, which is off by rounding
  }
};

template <class F>
GRADUS_INLINE bool is_level(const PlaneT<F>& p) {
  const F o = F(0.0), i = F(1.0);
  return all(p.n.z == i) && all(p.n.x == o) && all(p.n.y == o) && all(p.t1.x == i) && all(p.t2.y == i);
}

template <class T, class F>
GRADUS_INLINE TiltedT<T> tilted(const PlaneT<F>& p) {
  return {cast<T>(p.n), cast<T>(p.t1), cast<T>(p.t2)};
}

}  // namespace gradus

/// Vectors, rotations and symmetric matrices of the kernels, for any scalar. Sums are written as multiply-add chains.
#pragma once
#include "math/scalar.h"

namespace gradus {

// One operation a line: clang-format 14 would give each template four.
// clang-format off

template <class T>
struct Vec3T {
  T x, y, z;
};
using Vec3 = Vec3T<double>;

template <class T>
GRADUS_INLINE Vec3T<T> operator+(Vec3T<T> a, Vec3T<T> b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
template <class T>
GRADUS_INLINE Vec3T<T> operator-(Vec3T<T> a, Vec3T<T> b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
template <class T>
GRADUS_INLINE Vec3T<T> operator-(Vec3T<T> a) { return {-a.x, -a.y, -a.z}; }
template <class T>
GRADUS_INLINE Vec3T<T> operator*(Vec3T<T> a, T s) { return {a.x * s, a.y * s, a.z * s}; }
template <class T>
GRADUS_INLINE Vec3T<T>& operator+=(Vec3T<T>& a, Vec3T<T> b) { return a = a + b; }
template <class T>
GRADUS_INLINE Vec3T<T>& operator-=(Vec3T<T>& a, Vec3T<T> b) { return a = a - b; }
template <class T>
GRADUS_INLINE T dot(Vec3T<T> a, Vec3T<T> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T>
GRADUS_INLINE Vec3T<T> cross(Vec3T<T> a, Vec3T<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// c + a × b
template <class T>
GRADUS_INLINE Vec3T<T> cross_add(Vec3T<T> c, Vec3T<T> a, Vec3T<T> b) {
  return {c.x + a.y * b.z - a.z * b.y, c.y + a.z * b.x - a.x * b.z, c.z + a.x * b.y - a.y * b.x};
}
template <class T>
GRADUS_INLINE T norm(Vec3T<T> a) { return square_root(dot(a, a)); }
template <class T>
GRADUS_INLINE Vec3T<T> zero3() { return {T(0.0), T(0.0), T(0.0)}; }
/// Lane by lane: a where m holds, else b.
template <class T>
GRADUS_INLINE Vec3T<T> select(MaskOf<T> m, Vec3T<T> a, Vec3T<T> b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}
/// The same vector in another scalar type (a constant spread over lanes).
template <class T, class F>
GRADUS_INLINE Vec3T<T> cast(const Vec3T<F>& a) { return {T(a.x), T(a.y), T(a.z)}; }
#if !defined(__CUDACC__)
GRADUS_INLINE Vec3T<Two> two(Vec3 a, Vec3 b) { return {two(a.x, b.x), two(a.y, b.y), two(a.z, b.z)}; }
GRADUS_INLINE Vec3T<Two> load_two(const Vec3& a, const Vec3& b) {
  return {load_two(&a.x, &b.x), load_two(&a.y, &b.y), load_two(&a.z, &b.z)};
}
GRADUS_INLINE void store_two(const Vec3T<Two>& ab, Vec3& a, Vec3& b) {
  store_two(ab.x, &a.x, &b.x);
  store_two(ab.y, &a.y, &b.y);
  store_two(ab.z, &a.z, &b.z);
}
GRADUS_INLINE Vec3 sum_of(const Vec3T<Two>& a) { return {sum_of(a.x), sum_of(a.y), sum_of(a.z)}; }
#endif

/// Columns x, y, z.
template <class T>
struct Mat3T {
  Vec3T<T> x, y, z;
};
using Mat3 = Mat3T<double>;

template <class T>
GRADUS_INLINE Vec3T<T> operator*(const Mat3T<T>& m, Vec3T<T> a) {
  return {m.x.x * a.x + m.y.x * a.y + m.z.x * a.z, m.x.y * a.x + m.y.y * a.y + m.z.y * a.z,
          m.x.z * a.x + m.y.z * a.y + m.z.z * a.z};
}
template <class T>
GRADUS_INLINE Mat3T<T> operator*(const Mat3T<T>& a, const Mat3T<T>& b) { return {a * b.x, a * b.y, a * b.z}; }
template <class T>
GRADUS_INLINE Vec3T<T> transpose_times(const Mat3T<T>& m, Vec3T<T> a) { return {dot(m.x, a), dot(m.y, a), dot(m.z, a)}; }
template <class T>
GRADUS_INLINE Mat3T<T> transpose(const Mat3T<T>& m) {
  return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}
template <class T>
GRADUS_INLINE Mat3T<T> identity3() {
  const T o = T(0.0), i = T(1.0);
  return {{i, o, o}, {o, i, o}, {o, o, i}};
}

/// Symmetric 3×3.
template <class T>
struct Sym3T {
  T xx, xy, xz, yy, yz, zz;
};
using Sym3 = Sym3T<double>;

template <class T>
GRADUS_INLINE Vec3T<T> operator*(const Sym3T<T>& s, Vec3T<T> a) {
  return {s.xx * a.x + s.xy * a.y + s.xz * a.z, s.xy * a.x + s.yy * a.y + s.yz * a.z,
          s.xz * a.x + s.yz * a.y + s.zz * a.z};
}
template <class T>
GRADUS_INLINE Sym3T<T>& operator+=(Sym3T<T>& a, const Sym3T<T>& b) {
  a.xx += b.xx; a.xy += b.xy; a.xz += b.xz; a.yy += b.yy; a.yz += b.yz; a.zz += b.zz;
  return a;
}
template <class T>
GRADUS_INLINE Sym3T<T> select(MaskOf<T> m, const Sym3T<T>& a, const Sym3T<T>& b) {
  return {select(m, a.xx, b.xx), select(m, a.xy, b.xy), select(m, a.xz, b.xz),
          select(m, a.yy, b.yy), select(m, a.yz, b.yz), select(m, a.zz, b.zz)};
}
template <class T, class F>
GRADUS_INLINE Sym3T<T> cast(const Sym3T<F>& s) { return {T(s.xx), T(s.xy), T(s.xz), T(s.yy), T(s.yz), T(s.zz)}; }
#if !defined(__CUDACC__)
GRADUS_INLINE Sym3 sum_of(const Sym3T<Two>& s) {
  return {sum_of(s.xx), sum_of(s.xy), sum_of(s.xz), sum_of(s.yy), sum_of(s.yz), sum_of(s.zz)};
}
#endif
/// R S Rᵀ
template <class T>
GRADUS_INLINE Sym3T<T> rotated(const Mat3T<T>& R, const Sym3T<T>& S) {
  const Vec3T<T> a = R.x * S.xx + R.y * S.xy + R.z * S.xz, b = R.x * S.xy + R.y * S.yy + R.z * S.yz,
                 c = R.x * S.xz + R.y * S.yz + R.z * S.zz;  // columns of R S
  return {a.x * R.x.x + b.x * R.y.x + c.x * R.z.x, a.x * R.x.y + b.x * R.y.y + c.x * R.z.y,
          a.x * R.x.z + b.x * R.y.z + c.x * R.z.z, a.y * R.x.y + b.y * R.y.y + c.y * R.z.y,
          a.y * R.x.z + b.y * R.y.z + c.y * R.z.z, a.z * R.x.z + b.z * R.y.z + c.z * R.z.z};
}
/// R diag(a, b, c) Rᵀ
template <class T>
GRADUS_INLINE Sym3T<T> rotated_diagonal(const Mat3T<T>& R, T a, T b, T c) {
  const Vec3T<T> x = R.x * a, y = R.y * b, z = R.z * c;
  return {x.x * R.x.x + y.x * R.y.x + z.x * R.z.x, x.x * R.x.y + y.x * R.y.y + z.x * R.z.y,
          x.x * R.x.z + y.x * R.y.z + z.x * R.z.z, x.y * R.x.y + y.y * R.y.y + z.y * R.z.y,
          x.y * R.x.z + y.y * R.y.z + z.y * R.z.z, x.z * R.x.z + y.z * R.y.z + z.z * R.z.z};
}
/// S += k a aᵀ
template <class T>
GRADUS_INLINE void add_outer(Sym3T<T>& S, Vec3T<T> a, T k) {
  const Vec3T<T> b = a * k;
  S.xx += a.x * b.x; S.xy += a.x * b.y; S.xz += a.x * b.z; S.yy += a.y * b.y; S.yz += a.y * b.z; S.zz += a.z * b.z;
}
/// m (|p|² 1 − p pᵀ): what a point mass m at p adds to a rotational inertia.
template <class T>
GRADUS_INLINE Sym3T<T> point_inertia(T m, Vec3T<T> p) {
  const Vec3T<T> h = p * m;
  const T xx = h.x * p.x, yy = h.y * p.y, zz = h.z * p.z;
  return {yy + zz, -(h.x * p.y), -(h.x * p.z), xx + zz, -(h.y * p.z), xx + yy};
}
/// S⁻¹ of a regular symmetric matrix, by cofactors.
template <class T>
GRADUS_INLINE Sym3T<T> inverse(const Sym3T<T>& s) {
  const T a = s.yy * s.zz - s.yz * s.yz, b = s.xz * s.yz - s.xy * s.zz, c = s.xy * s.yz - s.xz * s.yy;
  const T d = T(1.0) / (s.xx * a + s.xy * b + s.xz * c);
  return {a * d, b * d, c * d, (s.xx * s.zz - s.xz * s.xz) * d, (s.xy * s.xz - s.xx * s.yz) * d,
          (s.xx * s.yy - s.xy * s.xy) * d};
}

/// Unit quaternion (w, x, y, z).
template <class T>
struct QuatT {
  T w, x, y, z;
};
using Quat = QuatT<double>;

template <class T>
GRADUS_INLINE QuatT<T> operator*(const QuatT<T>& a, const QuatT<T>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x};
}
template <class T>
GRADUS_INLINE QuatT<T> conjugate(const QuatT<T>& q) { return {q.w, -q.x, -q.y, -q.z}; }
/// Of length 1. Near it, as after one step, by one step of Newton's method for 1/√n instead of a root and a division.
template <class T>
GRADUS_INLINE QuatT<T> normalized(const QuatT<T>& q) {
  constexpr double near = sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-8;  // the error, 3/8 (n − 1)², is below rounding
  const T n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  T k = T(1.5) - T(0.5) * n;
  const auto far = mask_or(n > T(1 + near), n < T(1 - near));
  if (any(far)) k = select(far, T(1.0) / square_root(n), k);
  return {q.w * k, q.x * k, q.y * k, q.z * k};
}
template <class T>
GRADUS_INLINE Mat3T<T> to_matrix(const QuatT<T>& q) {
  const T one = T(1.0), two = T(2.0), x = q.x, y = q.y, z = q.z, w = q.w;
  return {{one - two * (y * y + z * z), two * (x * y + w * z), two * (x * z - w * y)},
          {two * (x * y - w * z), one - two * (x * x + z * z), two * (y * z + w * x)},
          {two * (x * z + w * y), two * (y * z - w * x), one - two * (x * x + y * y)}};
}
/// Quaternion of the rotation by |r| about r (exponential map), exact to rounding for any |r|.
///   (cos |r|/2, r sin(|r|/2)/|r|)
/// Up to 0.2 rad, more than a body turns in one step, both are series of y = |r|²/4 whose next term is below 1e-16: without
/// the root, the sine and the division that would wait for each other.
template <class T>
GRADUS_INLINE QuatT<T> exponential(Vec3T<T> r) {
  const T angle2 = dot(r, r), y = T(0.25) * angle2, yy = y * y;
  T c = T(1.0) - T(1.0 / 2) * y + yy * (T(1.0 / 24) - T(1.0 / 720) * y + yy * T(1.0 / 40320));
  T k = T(0.5) - T(1.0 / 12) * y + yy * (T(1.0 / 240) - T(1.0 / 10080) * y + yy * T(1.0 / 725760));
  const auto large = angle2 > T(0.04);
  if (any(large)) {
    const T angle = square_root(select(large, angle2, T(1.0)));
    T s_large, c_large;
    sine_cosine(T(0.5) * angle, s_large, c_large);
    c = select(large, c_large, c);
    k = select(large, s_large / angle, k);
  }
  return {c, r.x * k, r.y * k, r.z * k};
}
Quat to_quaternion(const Mat3& R);                         // of a rotation matrix
Quat from_roll_pitch_yaw(double roll, double pitch, double yaw);  // R = Rz(yaw) Ry(pitch) Rx(roll)
Vec3 to_roll_pitch_yaw(const Quat& q);
Quat from_axis_angle(Vec3 axis, double angle);             // axis of any length but zero
/// Rotation vector (axis times angle, |angle| ≤ π) of a unit quaternion; the inverse of exponential.
Vec3 logarithm(const Quat& q);

/// Pose of B in A: rotation takes B coordinates to A, p is from Ao to Bo written in A.
template <class T>
struct PoseT {
  Mat3T<T> R;
  Vec3T<T> p;
};
using Pose = PoseT<double>;

template <class T>
GRADUS_INLINE Vec3T<T> operator*(const PoseT<T>& X, Vec3T<T> a) { return X.p + X.R * a; }
template <class T>
GRADUS_INLINE PoseT<T> operator*(const PoseT<T>& a, const PoseT<T>& b) { return {a.R * b.R, a.p + a.R * b.p}; }
template <class T>
GRADUS_INLINE PoseT<T> inverse(const PoseT<T>& X) {
  const Mat3T<T> R = transpose(X.R);
  return {R, -(R * X.p)};
}
inline Pose identity_pose() { return {identity3<double>(), {0, 0, 0}}; }

// clang-format on
}  // namespace gradus

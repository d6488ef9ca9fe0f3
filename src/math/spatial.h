/// Spatial algebra in world axes about one common origin (the robot's root): every quantity of a robot shares one
/// frame, so inertias pass from link to link without a transform [Featherstone 2008, ch. 2; the common frame: shared
/// axes ABA]. Angular part first.
#pragma once
#include "math/vec.h"

namespace gradus {

// One operation a line: clang-format 14 would give each template four.
// clang-format off

/// Motion (angular velocity, linear velocity of the point at the origin) or force (moment about the origin, force).
template <class T>
struct Vec6T {
  Vec3T<T> a, l;
};
using Vec6 = Vec6T<double>;

template <class T>
GRADUS_INLINE Vec6T<T> operator+(const Vec6T<T>& p, const Vec6T<T>& q) { return {p.a + q.a, p.l + q.l}; }
template <class T>
GRADUS_INLINE Vec6T<T> operator-(const Vec6T<T>& p, const Vec6T<T>& q) { return {p.a - q.a, p.l - q.l}; }
template <class T>
GRADUS_INLINE Vec6T<T> operator*(const Vec6T<T>& p, T s) { return {p.a * s, p.l * s}; }
template <class T>
GRADUS_INLINE Vec6T<T>& operator+=(Vec6T<T>& p, const Vec6T<T>& q) { return p = p + q; }
template <class T>
GRADUS_INLINE T dot(const Vec6T<T>& p, const Vec6T<T>& q) { return dot(p.a, q.a) + dot(p.l, q.l); }
template <class T>
GRADUS_INLINE Vec6T<T> zero6() { return {zero3<T>(), zero3<T>()}; }
template <class T, class F>
GRADUS_INLINE Vec6T<T> cast(const Vec6T<F>& v) { return {cast<T>(v.a), cast<T>(v.l)}; }
/// V × m for motions
template <class T>
GRADUS_INLINE Vec6T<T> cross_motion(const Vec6T<T>& V, const Vec6T<T>& m) {
  return {cross(V.a, m.a), cross_add(cross(V.a, m.l), V.l, m.a)};
}
/// V ×* f for forces
template <class T>
GRADUS_INLINE Vec6T<T> cross_force(const Vec6T<T>& V, const Vec6T<T>& f) {
  return {cross_add(cross(V.a, f.a), V.l, f.l), cross(V.a, f.l)};
}
/// Velocity of the point at r.
template <class T>
GRADUS_INLINE Vec3T<T> velocity_at(const Vec6T<T>& V, Vec3T<T> r) { return cross_add(V.l, V.a, r); }
/// Force f at the point r as a spatial force.
template <class T>
GRADUS_INLINE Vec6T<T> wrench_at(Vec3T<T> r, Vec3T<T> f) { return {cross(r, f), f}; }

/// Symmetric 6×6 inertia [A B; Bᵀ C]: of a rigid body, a composite or an articulated body.
template <class T>
struct Mat6T {
  Sym3T<T> A;
  Mat3T<T> B;
  Sym3T<T> C;
};
using Mat6 = Mat6T<double>;

template <class T>
GRADUS_INLINE Vec6T<T> operator*(const Mat6T<T>& I, const Vec6T<T>& m) {
  return {I.A * m.a + I.B * m.l, transpose_times(I.B, m.a) + I.C * m.l};
}
template <class T>
GRADUS_INLINE Mat6T<T>& operator+=(Mat6T<T>& a, const Mat6T<T>& b) {
  a.A += b.A;
  a.B.x += b.B.x; a.B.y += b.B.y; a.B.z += b.B.z;
  a.C += b.C;
  return a;
}
template <class T>
GRADUS_INLINE Mat6T<T> zero66() {
  const T o = T(0.0);
  return {{o, o, o, o, o, o}, {zero3<T>(), zero3<T>(), zero3<T>()}, {o, o, o, o, o, o}};
}
#if !defined(__CUDACC__)
GRADUS_INLINE Vec6T<Two> load_two(const Vec6& a, const Vec6& b) { return {load_two(a.a, b.a), load_two(a.l, b.l)}; }
GRADUS_INLINE void store_two(const Vec6T<Two>& ab, Vec6& a, Vec6& b) {
  store_two(ab.a, a.a, b.a);
  store_two(ab.l, a.l, b.l);
}
GRADUS_INLINE Vec6 sum_of(const Vec6T<Two>& v) { return {sum_of(v.a), sum_of(v.l)}; }
GRADUS_INLINE Mat6 sum_of(const Mat6T<Two>& I) {
  return {sum_of(I.A), {sum_of(I.B.x), sum_of(I.B.y), sum_of(I.B.z)}, sum_of(I.C)};
}
#endif
/// I − u wᵀ for w proportional to u: removes one direction.
template <class T>
GRADUS_INLINE void subtract_outer(Mat6T<T>& I, const Vec6T<T>& u, const Vec6T<T>& w) {
  I.A.xx -= u.a.x * w.a.x; I.A.xy -= u.a.x * w.a.y; I.A.xz -= u.a.x * w.a.z;
  I.A.yy -= u.a.y * w.a.y; I.A.yz -= u.a.y * w.a.z; I.A.zz -= u.a.z * w.a.z;
  I.B.x -= u.a * w.l.x; I.B.y -= u.a * w.l.y; I.B.z -= u.a * w.l.z;
  I.C.xx -= u.l.x * w.l.x; I.C.xy -= u.l.x * w.l.y; I.C.xz -= u.l.x * w.l.z;
  I.C.yy -= u.l.y * w.l.y; I.C.yz -= u.l.y * w.l.z; I.C.zz -= u.l.z * w.l.z;
}
/// Rigid body of mass m, centre c and rotational inertia J about c.
template <class T>
GRADUS_INLINE Mat6T<T> rigid_inertia(T m, Vec3T<T> c, const Sym3T<T>& J) {
  const T o = T(0.0);
  const Vec3T<T> h = c * m;
  Mat6T<T> I;
  I.A = point_inertia(m, c);
  I.A += J;
  I.B = {{o, h.z, -h.y}, {-h.z, o, h.x}, {h.y, -h.x, o}};  // [h]×
  I.C = {m, o, o, m, o, m};
  return I;
}
/// add_point for W = diag(a, b, c): half the work.
template <class T>
GRADUS_INLINE void add_point_diagonal(Mat6T<T>& I, Vec3T<T> r, T a, T b, T c) {
  const T ay = a * r.y, az = a * r.z, bx = b * r.x, bz = b * r.z, cx = c * r.x, cy = c * r.y;
  I.B.x.y += az; I.B.x.z -= ay;
  I.B.y.x -= bz; I.B.y.z += bx;
  I.B.z.x += cy; I.B.z.y -= cx;
  I.C.xx += a; I.C.yy += b; I.C.zz += c;
  I.A.xx += bz * r.z + cy * r.y;
  I.A.xy -= cy * r.x;
  I.A.xz -= bz * r.x;
  I.A.yy += az * r.z + cx * r.x;
  I.A.yz -= az * r.y;
  I.A.zz += bx * r.x + ay * r.y;
}
/// Adds W at the point r: what a force −W u (u the point's velocity) contributes, [r]× W [r]×ᵀ and so on.
template <class T>
GRADUS_INLINE void add_point(Mat6T<T>& I, Vec3T<T> r, const Sym3T<T>& W) {
  const T o = T(0.0);
  if (!any(mask_or(W.xy != o, mask_or(W.xz != o, W.yz != o)))) {  // a sticking point on level ground
    add_point_diagonal(I, r, W.xx, W.yy, W.zz);
    return;
  }
  const Vec3T<T> x{W.xx, W.xy, W.xz}, y{W.xy, W.yy, W.yz}, z{W.xz, W.yz, W.zz};
  const Vec3T<T> bx = cross(r, x), by = cross(r, y), bz = cross(r, z);  // columns of [r]× W
  I.B.x += bx; I.B.y += by; I.B.z += bz;
  I.C += W;
  // A += [r]× W [r]×ᵀ; column j of [r]×ᵀ is −[r]× e_j = e_j × r … row by row:
  I.A.xx += by.x * -r.z + bz.x * r.y;
  I.A.xy += bx.x * r.z - bz.x * r.x;
  I.A.xz += by.x * r.x - bx.x * r.y;
  I.A.yy += bx.y * r.z - bz.y * r.x;
  I.A.yz += by.y * r.x - bx.y * r.y;
  I.A.zz += by.z * r.x - bx.z * r.y;
}

/// Twist of one link per impulse on another (or the same): columns for moments x, y, z, then forces x, y, z.
struct Response {
  Vec6 column[6];
};
inline Vec6 operator*(const Response& m, const Vec6& f) {
  return m.column[0] * f.a.x + m.column[1] * f.a.y + m.column[2] * f.a.z + m.column[3] * f.l.x + m.column[4] * f.l.y +
         m.column[5] * f.l.z;
}

/// L D Lᵀ factor of a regular Mat6, for many right-hand sides.
template <class T>
struct Factor6T {
  T l[6][6];   // strict lower part holds L; unit diagonal
  T d_inv[6];  // 1 / D
};
using Factor6 = Factor6T<double>;

template <class T>
GRADUS_INLINE void factorize(const Mat6T<T>& I, Factor6T<T>& f) {
  T(&a)[6][6] = f.l;
  a[0][0] = I.A.xx; a[1][0] = I.A.xy; a[2][0] = I.A.xz; a[1][1] = I.A.yy; a[2][1] = I.A.yz; a[2][2] = I.A.zz;
  a[3][0] = I.B.x.x; a[3][1] = I.B.x.y; a[3][2] = I.B.x.z;
  a[4][0] = I.B.y.x; a[4][1] = I.B.y.y; a[4][2] = I.B.y.z;
  a[5][0] = I.B.z.x; a[5][1] = I.B.z.y; a[5][2] = I.B.z.z;
  a[3][3] = I.C.xx; a[4][3] = I.C.xy; a[5][3] = I.C.xz; a[4][4] = I.C.yy; a[5][4] = I.C.yz; a[5][5] = I.C.zz;
  GRADUS_UNROLL
  for (int j = 0; j < 6; ++j) {
    if (j % 2 == 0) {  // two pivots at once, so that one division does not wait for the other: D₁ = (a₀ a₁ − b²)/a₀
      f.d_inv[j] = T(1.0) / a[j][j];
      f.d_inv[j + 1] = a[j][j] / (a[j][j] * a[j + 1][j + 1] - a[j + 1][j] * a[j + 1][j]);
    }
    GRADUS_UNROLL
    for (int i = j + 1; i < 6; ++i) {
      const T m = a[i][j] * f.d_inv[j];
      GRADUS_UNROLL
      for (int k = j + 1; k <= i; ++k) a[i][k] -= m * a[k][j];
    }
  }
  GRADUS_UNROLL
  for (int j = 0; j < 6; ++j)
    GRADUS_UNROLL
    for (int i = j + 1; i < 6; ++i) a[i][j] = a[i][j] * f.d_inv[j];
}
template <class F, class T>
GRADUS_INLINE Vec6T<T> solve(const Factor6T<F>& f, const Vec6T<T>& y) {
  T b[6] = {y.a.x, y.a.y, y.a.z, y.l.x, y.l.y, y.l.z};
  GRADUS_UNROLL
  for (int j = 0; j < 6; ++j)
    GRADUS_UNROLL
    for (int i = j + 1; i < 6; ++i) b[i] -= T(f.l[i][j]) * b[j];
  GRADUS_UNROLL
  for (int j = 5; j >= 0; --j) {
    T x = b[j] * T(f.d_inv[j]);
    GRADUS_UNROLL
    for (int i = 5; i > j; --i) x -= T(f.l[i][j]) * b[i];  // the newest last: nothing waits for it but one subtraction
    b[j] = x;
  }
  return {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
}

// clang-format on
}  // namespace gradus

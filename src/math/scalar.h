/// The few scalar functions kernels need, for double, float and packs of lanes (one lane = one world), on CPU and CUDA.
/// A kernel written with these is one source for all of them.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/hd.h"

namespace gradus {

#if !defined(__CUDACC__)  // a CUDA thread is one lane already
/// N worlds side by side in one SIMD register (GCC and clang vector extension).
template <class F, int N>
struct Lane {
  typedef F V __attribute__((vector_size(sizeof(F) * N)));
  using I = std::conditional_t<sizeof(F) == 4, std::int32_t, std::int64_t>;
  typedef I Mask __attribute__((vector_size(sizeof(F) * N)));
  alignas(sizeof(F) * N) V v;  // said: units for narrow registers would align and lay out otherwise
  Lane() = default;
  GRADUS_INLINE Lane(V x) : v(x) {}
  // x − 0 is x for every x, −0 included, so that nothing is computed; 0 + x is not.
  GRADUS_INLINE explicit Lane(double x) : v(static_cast<F>(x) - V{}) {}
  GRADUS_INLINE explicit Lane(float x) : v(static_cast<F>(x) - V{}) {}
  friend GRADUS_INLINE Lane operator+(Lane a, Lane b) { return a.v + b.v; }
  friend GRADUS_INLINE Lane operator-(Lane a, Lane b) { return a.v - b.v; }
  friend GRADUS_INLINE Lane operator*(Lane a, Lane b) { return a.v * b.v; }
  friend GRADUS_INLINE Lane operator/(Lane a, Lane b) { return a.v / b.v; }
  friend GRADUS_INLINE Lane operator-(Lane a) { return -a.v; }
  // clang-format off
  GRADUS_INLINE Lane& operator+=(Lane b) { v += b.v; return *this; }
  GRADUS_INLINE Lane& operator-=(Lane b) { v -= b.v; return *this; }
  GRADUS_INLINE Lane& operator*=(Lane b) { v *= b.v; return *this; }
  // clang-format on
  friend GRADUS_INLINE Mask operator<(Lane a, Lane b) { return a.v < b.v; }
  friend GRADUS_INLINE Mask operator>(Lane a, Lane b) { return a.v > b.v; }
  friend GRADUS_INLINE Mask operator<=(Lane a, Lane b) { return a.v <= b.v; }
  friend GRADUS_INLINE Mask operator>=(Lane a, Lane b) { return a.v >= b.v; }
  friend GRADUS_INLINE Mask operator==(Lane a, Lane b) { return a.v == b.v; }
  friend GRADUS_INLINE Mask operator!=(Lane a, Lane b) { return a.v != b.v; }
};
#endif

#if !defined(__CUDACC__)
/// Not two worlds but two parts of one robot side by side: half the instructions, on every x86-64.
using Two = Lane<double, 2>;
GRADUS_INLINE Two two(double a, double b) { return Two(Two::V{a, b}); }
GRADUS_INLINE double sum_of(Two x) { return x.v[0] + x.v[1]; }
/// x, of which the compiler must not know the parts: GCC else keeps the two numbers apart beside the pair and runs out
/// of registers. Costs no instruction.
GRADUS_INLINE Two whole(Two x) {
#if defined(__SSE2__)
  asm("" : "+x"(x.v));
#endif
  return x;
}
/// Bit k: lane k of a comparison holds.
GRADUS_INLINE unsigned lane_bits(Two::Mask m) {
#if defined(__SSE2__)
  return static_cast<unsigned>(__builtin_ia32_movmskpd((Two::V)m));
#else
  return (m[0] ? 1u : 0u) | (m[1] ? 2u : 0u);
#endif
}
/// *a and *b, and back.
GRADUS_INLINE Two load_two(const double* a, const double* b) { return whole(two(*a, *b)); }
GRADUS_INLINE void store_two(Two x, double* a, double* b) {
  x = whole(x);
  *a = x.v[0];
  *b = x.v[1];
}
#endif

template <class T>
struct ScalarTraits {
  using Real = T;
  using Mask = bool;
  static constexpr int lanes = 1;
};
#if !defined(__CUDACC__)
template <class F, int N>
struct ScalarTraits<Lane<F, N>> {
  using Real = F;
  using Mask = typename Lane<F, N>::Mask;
  static constexpr int lanes = N;
};
#endif
template <class T>
using RealOf = typename ScalarTraits<T>::Real;
template <class T>
using MaskOf = typename ScalarTraits<T>::Mask;

// Decisions. A mask says for which lanes something holds; for a plain number it is a bool. A kernel writes
//   if (any(mask)) x = select(mask, f(x), x);
// which is a branch for one world and costs lanes nothing while none of them needs it.
// clang-format off
GRADUS_INLINE double select(bool m, double a, double b) { return m ? a : b; }
GRADUS_INLINE float select(bool m, float a, float b) { return m ? a : b; }
GRADUS_INLINE bool mask_select(bool m, bool a, bool b) { return m ? a : b; }
GRADUS_INLINE bool any(bool m) { return m; }
GRADUS_INLINE bool all(bool m) { return m; }
GRADUS_INLINE bool mask_and(bool a, bool b) { return a && b; }
GRADUS_INLINE bool mask_or(bool a, bool b) { return a || b; }
GRADUS_INLINE bool mask_not(bool a) { return !a; }
GRADUS_INLINE double square_root(double a) { return ::sqrt(a); }
GRADUS_INLINE float square_root(float a) { return ::sqrtf(a); }

#if !defined(__CUDACC__)
template <class F, int N>
GRADUS_INLINE Lane<F, N> select(typename Lane<F, N>::Mask m, Lane<F, N> a, Lane<F, N> b) { return m ? a.v : b.v; }
template <class M, class = decltype(std::declval<M>()[0])>
GRADUS_INLINE bool any(const M& m) {
  std::int64_t w[sizeof(M) / 8], o = 0;
  std::memcpy(w, &m, sizeof m);
  for (std::size_t i = 0; i < sizeof(M) / 8; ++i) o |= w[i];
  return o != 0;
}
template <class M, class = decltype(std::declval<M>()[0])>
GRADUS_INLINE M mask_and(const M& a, const M& b) { return a & b; }
template <class M, class = decltype(std::declval<M>()[0])>
GRADUS_INLINE M mask_or(const M& a, const M& b) { return a | b; }
template <class M, class = decltype(std::declval<M>()[0])>
GRADUS_INLINE M mask_not(const M& a) { return ~a; }
template <class M, class = decltype(std::declval<M>()[0])>
GRADUS_INLINE bool all(const M& m) { return !any(mask_not(m)); }
template <class M, class = decltype(std::declval<M>()[0])>
GRADUS_INLINE M mask_select(const M& m, const M& a, const M& b) { return (m & a) | (~m & b); }
template <class F, int N>
GRADUS_INLINE Lane<F, N> square_root(Lane<F, N> a) {
  Lane<F, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = square_root(a.v[i]);  // one vector instruction with -O3
  return r;
}
#endif

template <class T>
GRADUS_INLINE T maximum(T a, T b) { return select(a > b, a, b); }
template <class T>
GRADUS_INLINE T minimum(T a, T b) { return select(a < b, a, b); }
template <class T>
GRADUS_INLINE T clamped(T x, T lo, T hi) { return minimum(hi, maximum(lo, x)); }

// clang-format on

/// sin and cos of x − k π/2, which is in [−π/4, π/4]: π/2 in three parts (Cody–Waite), then the fdlibm polynomials.
template <class T>
GRADUS_INLINE void sine_cosine_of_rest(T x, T k, T& s, T& c) {
  using F = RealOf<T>;
  if constexpr (sizeof(F) == 4) {
    const T y = x - k * T(F(1.5703125)) - k * T(F(4.837512969970703125e-4)) - k * T(F(7.54978995489188216e-8));
    const T z = y * y;
    s = y + y * z * (T(F(-1.6666654611e-1)) + z * (T(F(8.3321608736e-3)) + z * T(F(-1.9515295891e-4))));
    c = T(F(1)) - T(F(0.5)) * z +
        z * z * (T(F(4.166664568298827e-2)) + z * (T(F(-1.388731625493765e-3)) + z * T(F(2.443315711809948e-5))));
  } else {
    const T y = x - k * T(F(1.5707963267341256)) - k * T(F(6.0771005065061922e-11)) - k * T(F(2.0222662487959506e-21));
    const T z = y * y, zz = z * z;
    const T s1 = T(F(-1.66666666666666324348e-1)) + z * T(F(8.33333333332248946124e-3));
    const T s2 = T(F(-1.98412698298579493134e-4)) + z * T(F(2.75573137070700676789e-6));
    const T s3 = T(F(-2.50507602534068634195e-8)) + z * T(F(1.58969099521155010221e-10));
    s = y + y * z * (s1 + zz * (s2 + zz * s3));
    const T c1 = T(F(4.16666666666666019037e-2)) + z * T(F(-1.38888888888741095749e-3));
    const T c2 = T(F(2.48015872894767294178e-5)) + z * T(F(-2.75573143513906633035e-7));
    const T c3 = T(F(2.08757232129817482790e-9)) + z * T(F(-1.13596475577881948265e-11));
    c = T(F(1)) - (T(F(0.5)) * z - zz * (c1 + zz * (c2 + zz * c3)));
  }
}

/// sin and cos together, the same bits with every compiler: the nearest multiple k of π/2 is taken off, and comes back
/// as the quadrant. No branches, so lanes stay together.
/// Good to 1 ulp for |x| up to about 1e5 (double) or 1e3 (float); joint angles never get there.
template <class T>
GRADUS_INLINE void sine_cosine(T x, T& s, T& c) {
  using F = RealOf<T>;
  constexpr F magic = sizeof(F) == 4 ? F(12582912.0) : F(6755399441055744.0);  // 1.5 * 2^23, 1.5 * 2^52: rounds
  const T kk = x * T(F(0.63661977236758134308)) + T(magic);                    // its low bits are k
  const T k = kk - T(magic);
  T sp, cp;
  sine_cosine_of_rest(x, k, sp, cp);
  if constexpr (ScalarTraits<T>::lanes > 1) {
    using M = MaskOf<T>;
    constexpr int to_sign = 8 * sizeof(F) - 2;  // from the bit of 2 to the bit of the sign
    const M q = (M)kk.v, swap = ((M)sp.v ^ (M)cp.v) & -(q & 1);
    s = (typename T::V)((M)sp.v ^ swap ^ ((q & 2) << to_sign));
    c = (typename T::V)((M)cp.v ^ swap ^ (((q + 1) & 2) << to_sign));
  } else {
    const int q = static_cast<int>(k);
    const T a = q & 1 ? cp : sp, b = q & 1 ? sp : cp;
    s = q & 2 ? -a : a;
    c = (q + 1) & 2 ? -b : b;
  }
}

}  // namespace gradus

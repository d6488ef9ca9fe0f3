/// The few operations of rays side by side that math/scalar.h has no fast form of: minimum, maximum, root, whole
/// numbers, "does any lane?". Every one gives in each lane exactly what the plain float gives, so that all lane counts
/// have the same bits. Everything has internal linkage: the same names are compiled once for each instruction set.
#pragma once
#include <cstdint>
#include <cstring>

#include "math/scalar.h"
#if defined(__SSE2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

namespace gradus::render {
namespace {

// clang-format off
// ---- one lane: a float ---------------------------------------------------------------------------------------------
template <class T> struct WholeOf { using U = std::uint32_t; };
GRADUS_INLINE float least(float a, float b) { return a < b ? a : b; }
GRADUS_INLINE float most(float a, float b) { return a > b ? a : b; }
GRADUS_INLINE float root(float a) { return square_root(a); }
GRADUS_INLINE bool some(bool m) { return m; }
GRADUS_INLINE float magnitude_of(float a) { return a < 0 ? -a : a; }
GRADUS_INLINE std::uint32_t whole(float a) { return static_cast<std::uint32_t>(static_cast<std::int32_t>(a)); }
GRADUS_INLINE float real(std::uint32_t a, float) { return static_cast<float>(static_cast<std::int32_t>(a)); }
GRADUS_INLINE float load(const float* p, float) { return *p; }
GRADUS_INLINE void store(float a, float* p) { *p = a; }
GRADUS_INLINE void store_16(float a, std::uint16_t* p) { *p = static_cast<std::uint16_t>(a); }
GRADUS_INLINE float load_16(const std::uint16_t* p, float) { return static_cast<float>(*p); }
GRADUS_INLINE float at(float a, int) { return a; }
GRADUS_INLINE void put(float& a, int, float x) { a = x; }
GRADUS_INLINE bool at_mask(bool m, int) { return m; }
GRADUS_INLINE std::uint32_t lane_numbers(float) { return 0; }

#if !defined(__CUDACC__)
// ---- N lanes -------------------------------------------------------------------------------------------------------
template <int N> using Pack = Lane<float, N>;
template <int N> struct WholeOf<Pack<N>> { typedef std::uint32_t U __attribute__((vector_size(4 * N))); };
template <int N> struct Shorts { typedef std::uint16_t V __attribute__((vector_size(2 * N))); };

template <int N> GRADUS_INLINE Pack<N> operator*(Pack<N> a, float b) { return a.v * b; }
template <int N> GRADUS_INLINE Pack<N> operator*(float a, Pack<N> b) { return a * b.v; }
template <int N> GRADUS_INLINE Pack<N> operator+(Pack<N> a, float b) { return a.v + b; }
template <int N> GRADUS_INLINE Pack<N> operator+(float a, Pack<N> b) { return a + b.v; }
template <int N> GRADUS_INLINE Pack<N> operator-(Pack<N> a, float b) { return a.v - b; }
template <int N> GRADUS_INLINE Pack<N> operator-(float a, Pack<N> b) { return a - b.v; }
template <int N> GRADUS_INLINE Pack<N> operator/(float a, Pack<N> b) { return a / b.v; }
template <int N> GRADUS_INLINE Pack<N> operator/(Pack<N> a, float b) { return a.v / b; }
template <int N> GRADUS_INLINE auto operator<(Pack<N> a, float b) { return a.v < b; }
template <int N> GRADUS_INLINE auto operator>(Pack<N> a, float b) { return a.v > b; }
template <int N> GRADUS_INLINE auto operator<=(Pack<N> a, float b) { return a.v <= b; }
template <int N> GRADUS_INLINE auto operator>=(Pack<N> a, float b) { return a.v >= b; }
template <int N> GRADUS_INLINE auto operator==(Pack<N> a, float b) { return a.v == b; }

// GCC 12 does not turn a < b ? a : b into the instruction that does exactly that.
template <int N> GRADUS_INLINE Pack<N> least(Pack<N> a, Pack<N> b) {
#if defined(__AVX512F__)
  if constexpr (N == 16) return (typename Pack<N>::V)_mm512_min_ps((__m512)a.v, (__m512)b.v); else
#endif
#if defined(__AVX__)
  if constexpr (N == 8) return (typename Pack<N>::V)_mm256_min_ps((__m256)a.v, (__m256)b.v); else
#endif
#if defined(__SSE2__)
  if constexpr (N == 4) return (typename Pack<N>::V)_mm_min_ps((__m128)a.v, (__m128)b.v); else
#endif
  return a.v < b.v ? a.v : b.v;
}
template <int N> GRADUS_INLINE Pack<N> most(Pack<N> a, Pack<N> b) {
#if defined(__AVX512F__)
  if constexpr (N == 16) return (typename Pack<N>::V)_mm512_max_ps((__m512)a.v, (__m512)b.v); else
#endif
#if defined(__AVX__)
  if constexpr (N == 8) return (typename Pack<N>::V)_mm256_max_ps((__m256)a.v, (__m256)b.v); else
#endif
#if defined(__SSE2__)
  if constexpr (N == 4) return (typename Pack<N>::V)_mm_max_ps((__m128)a.v, (__m128)b.v); else
#endif
  return a.v > b.v ? a.v : b.v;
}
template <int N> GRADUS_INLINE Pack<N> root(Pack<N> a) {
#if defined(__AVX512F__)
  if constexpr (N == 16) return (typename Pack<N>::V)_mm512_sqrt_ps((__m512)a.v); else
#endif
#if defined(__AVX__)
  if constexpr (N == 8) return (typename Pack<N>::V)_mm256_sqrt_ps((__m256)a.v); else
#endif
#if defined(__SSE2__)
  if constexpr (N == 4) return (typename Pack<N>::V)_mm_sqrt_ps((__m128)a.v); else
#endif
  return square_root(a);
}
template <class M, class = decltype(std::declval<M>()[0])>
GRADUS_INLINE bool some(const M& m) {
#if defined(__AVX512DQ__)
  if constexpr (sizeof(M) == 64) return _mm512_movepi32_mask((__m512i)m) != 0; else
#endif
#if defined(__AVX__)
  if constexpr (sizeof(M) == 32) return _mm256_movemask_ps((__m256)m) != 0; else
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(M) == 16) return _mm_movemask_ps((__m128)m) != 0; else
#endif
  return any(m);
}
template <int N> GRADUS_INLINE Pack<N> magnitude_of(Pack<N> a) {
  return (typename Pack<N>::V)((typename Pack<N>::Mask)a.v & 0x7fffffff);
}
template <int N> GRADUS_INLINE auto whole(Pack<N> a) {
  return (typename WholeOf<Pack<N>>::U)__builtin_convertvector(a.v, typename Pack<N>::Mask);
}
template <int N> GRADUS_INLINE Pack<N> real(typename WholeOf<Pack<N>>::U a, Pack<N>) {
  return __builtin_convertvector((typename Pack<N>::Mask)a, typename Pack<N>::V);
}
template <int N> GRADUS_INLINE Pack<N> load(const float* p, Pack<N>) {
  typename Pack<N>::V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <int N> GRADUS_INLINE void store(Pack<N> a, float* p) { std::memcpy(p, &a.v, sizeof a.v); }
template <int N> GRADUS_INLINE void store_16(Pack<N> a, std::uint16_t* p) {
  const auto i = __builtin_convertvector(a.v, typename Pack<N>::Mask);
#if defined(__AVX512F__)
  if constexpr (N == 16) _mm256_storeu_si256((__m256i*)p, _mm512_cvtepi32_epi16((__m512i)i)); else
#endif
#if defined(__AVX2__)
  if constexpr (N == 8)
    _mm_storeu_si128((__m128i*)p, _mm_packus_epi32(_mm256_castsi256_si128((__m256i)i), _mm256_extracti128_si256((__m256i)i, 1)));
  else
#endif
  {
    const auto s = __builtin_convertvector(i, typename Shorts<N>::V);
    std::memcpy(p, &s, sizeof s);
  }
}
template <int N> GRADUS_INLINE Pack<N> load_16(const std::uint16_t* p, Pack<N>) {
  typename Shorts<N>::V s;
  std::memcpy(&s, p, sizeof s);
  return __builtin_convertvector(__builtin_convertvector(s, typename Pack<N>::Mask), typename Pack<N>::V);
}
template <int N> GRADUS_INLINE float at(Pack<N> a, int i) { return a.v[i]; }
template <int N> GRADUS_INLINE void put(Pack<N>& a, int i, float x) { a.v[i] = x; }
template <class M, class = decltype(std::declval<M>()[0])>
GRADUS_INLINE bool at_mask(const M& m, int i) { return m[i] != 0; }
template <int N> GRADUS_INLINE auto lane_numbers(Pack<N>) {
  typename WholeOf<Pack<N>>::U u;
  for (int i = 0; i < N; ++i) u[i] = static_cast<std::uint32_t>(i);
  return u;
}
#endif

template <class T> GRADUS_INLINE T between_0_and_1(T a) { return least(most(a, T(0.0f)), T(1.0f)); }
/// Largest whole number not above a; |a| < 2³¹.
template <class T> GRADUS_INLINE T floor_of(T a) {
  const T r = real(whole(a), a);
  return select(r > a, r - T(1.0f), r);
}
// clang-format on

}  // namespace
}  // namespace gradus::render

#include "learn/matrix.h"

#include <cstring>

// Compiled for several instruction sets, of which the loader takes the best; contraction is off, so the bits are the
// same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define GRADUS_WIDE [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define GRADUS_WIDE
#endif

namespace gradus::learn {
namespace {

typedef float V __attribute__((vector_size(4 * kPad), aligned(4)));

#define GRADUS_HERE static inline __attribute__((always_inline))

/// Rows [0, R) and L registers of columns.
template <int R, int L>
GRADUS_HERE void block(int k, const float* A, std::ptrdiff_t a_row, std::ptrdiff_t a_column, const float* B,
                       std::ptrdiff_t b_row, float* C, std::ptrdiff_t c_row, bool add) {
  V sum[R][L];
  for (int r = 0; r < R; ++r)
    for (int l = 0; l < L; ++l) sum[r][l] = add ? *reinterpret_cast<const V*>(C + r * c_row + l * kPad) : V{};
  for (int i = 0; i < k; ++i) {
    V b[L];
    for (int l = 0; l < L; ++l) b[l] = *reinterpret_cast<const V*>(B + i * b_row + l * kPad);
    for (int r = 0; r < R; ++r) {
      const float a = A[r * a_row + i * a_column];
      for (int l = 0; l < L; ++l) sum[r][l] += a * b[l];
    }
  }
  for (int r = 0; r < R; ++r)
    for (int l = 0; l < L; ++l) *reinterpret_cast<V*>(C + r * c_row + l * kPad) = sum[r][l];
}

template <int L>
GRADUS_HERE void columns(int m, int k, const float* A, std::ptrdiff_t a_row, std::ptrdiff_t a_column, const float* B,
                         std::ptrdiff_t b_row, float* C, std::ptrdiff_t c_row, bool add) {
  int i = 0;
  for (; i + 6 <= m; i += 6) block<6, L>(k, A + i * a_row, a_row, a_column, B, b_row, C + i * c_row, c_row, add);
  for (; i + 2 <= m; i += 2) block<2, L>(k, A + i * a_row, a_row, a_column, B, b_row, C + i * c_row, c_row, add);
  for (; i < m; ++i) block<1, L>(k, A + i * a_row, a_row, a_column, B, b_row, C + i * c_row, c_row, add);
}

}  // namespace

GRADUS_WIDE void multiply(int m, int n, int k, const float* A, std::ptrdiff_t a_row, std::ptrdiff_t a_column,
                          const float* B, std::ptrdiff_t b_row, float* C, std::ptrdiff_t c_row, bool add) {
  int j = 0;
  for (; j + 4 * kPad <= n; j += 4 * kPad) columns<4>(m, k, A, a_row, a_column, B + j, b_row, C + j, c_row, add);
  for (; j + kPad <= n; j += kPad) columns<1>(m, k, A, a_row, a_column, B + j, b_row, C + j, c_row, add);
}

/// tanh x = x p(x²)/q(x²) on ±7.9, beyond which it is ±1 to rounding [the rational minimax form of Eigen's ptanh].
GRADUS_WIDE void tanh_all(float* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float y = x[i] > 7.905311f ? 7.905311f : x[i] < -7.905311f ? -7.905311f : x[i];
    const float s = y * y;
    float p = s * -2.76076847742355e-16f + 2.00018790482477e-13f;
    p = p * s + -8.60467152213735e-11f;
    p = p * s + 5.12229709037114e-08f;
    p = p * s + 1.48572235717979e-05f;
    p = p * s + 6.37261928875436e-04f;
    p = p * s + 4.89352455891786e-03f;
    float q = s * 1.19825839466702e-06f + 1.18534705686654e-04f;
    q = q * s + 2.26843463243900e-03f;
    q = q * s + 4.89352518554385e-03f;
    x[i] = y * p / q;
  }
}

}  // namespace gradus::learn

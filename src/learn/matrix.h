/// Products of small matrices of float, row after row. Every number of a product is summed in the order of k whatever
/// registers there are: the same bits on every machine and for every number of threads.
#pragma once
#include <cstddef>

namespace gradus::learn {

inline constexpr int kPad = 16;  // rows of B and C are whole numbers of these
inline int padded(int n) { return (n + kPad - 1) / kPad * kPad; }

/// C (m × n) = A B, or C += A B. a(i, k) is at A[i·a_row + k·a_column]; B and C have rows of b_row and c_row numbers.
/// n: a multiple of kPad.
void multiply(int m, int n, int k, const float* A, std::ptrdiff_t a_row, std::ptrdiff_t a_column, const float* B,
              std::ptrdiff_t b_row, float* C, std::ptrdiff_t c_row, bool add);
/// x ← tanh x, to 1e-7 and a few units in the last place.
void tanh_all(float* x, std::size_t count);

}  // namespace gradus::learn

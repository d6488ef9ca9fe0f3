/// The sparse 6×6-block factorisation of Couple's Newton step (14).
///
/// The pattern is that of the contact graph plus fill. Without pivoting between blocks: for sticking contacts every
/// leading principal part of 1 + K Ω (K and Ω positive semidefinite, Ω block diagonal) is regular; within blocks rows
/// are pivoted.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "contact/solve/couple.h"

namespace gradus {
namespace {

/// B ← B⁻¹ by Gauss–Jordan with row pivoting; false if singular.
bool invert6(double* B) {
  double a[6][12];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) a[i][j] = B[6 * i + j], a[i][6 + j] = i == j;
  for (int k = 0; k < 6; ++k) {
    int p = k;
    for (int i = k + 1; i < 6; ++i)
      if (std::abs(a[i][k]) > std::abs(a[p][k])) p = i;
    if (!(std::abs(a[p][k]) > 1e-300)) return false;
    if (p != k)
      for (int j = 0; j < 12; ++j) std::swap(a[p][j], a[k][j]);
    const double inv = 1 / a[k][k];
    for (int j = 0; j < 12; ++j) a[k][j] *= inv;
    for (int i = 0; i < 6; ++i) {
      const double m = a[i][k];
      if (i == k || m == 0) continue;
      for (int j = 0; j < 12; ++j) a[i][j] -= m * a[k][j];
    }
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) B[6 * i + j] = a[i][6 + j];
  return true;
}

/// C = A B
void multiply6(const double* A, const double* B, double* C) {
  for (int i = 0; i < 6; ++i) {
    double row[6] = {0, 0, 0, 0, 0, 0};
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) row[j] += A[6 * i + k] * B[6 * k + j];
    std::memcpy(C + 6 * i, row, sizeof row);
  }
}
/// C −= A B
void subtract_product6(const double* A, const double* B, double* C) {
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) C[6 * i + j] -= A[6 * i + k] * B[6 * k + j];
}
/// y −= A x
void subtract_times6(const double* A, const double* x, double* y) {
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k) y[i] -= A[6 * i + k] * x[k];
}

}  // namespace

bool Couple::allocate_block(int i, int j) {
  if (block_at_[i * local_count_ + j] >= 0) return true;
  if (block_count_ == capacity_.blocks) return false;
  block_at_[i * local_count_ + j] = block_count_++;
  return true;
}

/// Places for the island's slots by minimum degree (ties: lowest slot), and blocks for the pattern with its fill.
bool Couple::order_slots(int lo, int hi) {
  list_slots(lo, hi);
  std::fill(adjacent_.begin(), adjacent_.begin() + static_cast<std::ptrdiff_t>(local_count_) * words(), 0);
  for (int i = lo; i < hi; ++i) {
    const Row& r = rows_[order_[i]];
    for (int s : {r.a, r.b})
      for (int q = r.first; q < r.last && s >= 0; ++q)
        if (effects_[q].slot != s) join(local_[s], local_[effects_[q].slot]), join(local_[effects_[q].slot], local_[s]);
  }
  eliminate_by_degree();
  if (!allocate_pattern()) return false;
  for (int i = 0; i < local_count_; ++i) local_[local_slots_[i]] = place_[i];
  return true;
}

/// The slots that the island's contacts reach, ascending.
void Couple::list_slots(int lo, int hi) {
  std::fill(local_.begin(), local_.begin() + static_cast<std::ptrdiff_t>(slots_.size()), -1);
  for (int i = lo; i < hi; ++i) {
    const Row& r = rows_[order_[i]];
    for (int q = r.first; q < r.last; ++q) local_[effects_[q].slot] = 0;
  }
  local_count_ = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s)
    if (local_[s] == 0) local_[s] = local_count_, local_slots_[local_count_++] = static_cast<int>(s);
}

/// Elimination on the bit matrix: the neighbours of an eliminated node become a clique without it. Afterwards the row
/// of a node holds its neighbours at its elimination, all placed later.
void Couple::eliminate_by_degree() {
  const int n = local_count_;
  std::fill(place_.begin(), place_.begin() + n, -1);
  for (int place = 0; place < n; ++place) {
    const int best = least_joined();
    place_[best] = place;
    const std::uint64_t out = ~(1ull << (best % 64));
    for (int j = 0; j < n; ++j) {
      if (place_[j] >= 0) continue;
      std::uint64_t* row = neighbours(j);
      if (joined(best, j)) {
        for (int w = 0; w < words(); ++w) row[w] |= neighbours(best)[w];
        row[j / 64] &= ~(1ull << (j % 64));
      }
      row[best / 64] &= out;
    }
  }
}

/// Of the nodes that are not eliminated yet the one with the fewest neighbours.
int Couple::least_joined() {
  int best = -1, least = local_count_ + 1;
  for (int i = 0; i < local_count_; ++i) {
    if (place_[i] >= 0) continue;
    int degree = 0;
    for (int w = 0; w < words(); ++w) degree += std::popcount(neighbours(i)[w]);
    if (degree < least) least = degree, best = i;
  }
  return best;
}

bool Couple::allocate_pattern() {
  const int n = local_count_;
  std::fill(block_at_.begin(), block_at_.begin() + static_cast<std::ptrdiff_t>(n) * n, -1);
  block_count_ = 0;
  for (int i = 0; i < n; ++i) {
    const int p = place_[i];
    if (!allocate_block(p, p)) return false;
    for (int j = 0; j < n; ++j) {
      if (!joined(i, j) || place_[j] <= p) continue;
      if (!allocate_block(p, place_[j]) || !allocate_block(place_[j], p)) return false;
    }
  }
  return true;
}

/// 1 + Σ Jᵀ K (J Ω) and Σ Jᵀ c over the active contacts.
void Couple::assemble(int lo, int hi) {
  std::fill(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(block_count_) * 36, 0);
  std::fill(rhs_.begin(), rhs_.begin() + static_cast<std::ptrdiff_t>(local_count_) * 6, 0);
  for (int i = 0; i < local_count_; ++i) {
    loaded_[i] = 0;
    for (int k = 0; k < 6; ++k) block(i, i)[7 * k] = 1;
  }
  for (int i = lo; i < hi; ++i) {
    const Row& r = rows_[order_[i]];
    if (!r.active) continue;
    if (r.a >= 0) loaded_[local_[r.a]] = 1;
    if (r.b >= 0) loaded_[local_[r.b]] = 1;
  }
  for (int i = lo; i < hi; ++i) {
    const Row& r = rows_[order_[i]];
    if (!r.active) continue;
    add_side(r, r.a, r.ja, 1);
    add_side(r, r.b, r.jb, -1);
  }
}

/// What a contact adds to the equations of one of its slots.
void Couple::add_side(const Row& r, int slot, const Vec6* j, double sign) {
  if (slot < 0) return;
  double jt[6][3], jk[6][3];  // Jᵀ with its sign, Jᵀ K
  for (int k = 0; k < 3; ++k) {
    const double v[6] = {j[k].a.x, j[k].a.y, j[k].a.z, j[k].l.x, j[k].l.y, j[k].l.z};
    for (int m = 0; m < 6; ++m) jt[m][k] = sign * v[m];
  }
  for (int m = 0; m < 6; ++m)
    for (int l = 0; l < 3; ++l) jk[m][l] = jt[m][0] * r.K[0][l] + jt[m][1] * r.K[1][l] + jt[m][2] * r.K[2][l];
  double* f = &rhs_[static_cast<std::size_t>(local_[slot]) * 6];
  for (int m = 0; m < 6; ++m) f[m] += jt[m][0] * r.c[0] + jt[m][1] * r.c[1] + jt[m][2] * r.c[2];
  for (int q = r.first; q < r.last; ++q) {
    if (!loaded_[local_[effects_[q].slot]]) continue;
    double* B = block(local_[slot], local_[effects_[q].slot]);
    for (int l = 0; l < 3; ++l) {
      const Vec6& w = effects_[q].w[l];
      const double e[6] = {w.a.x, w.a.y, w.a.z, w.l.x, w.l.y, w.l.z};
      for (int m = 0; m < 6; ++m)
        for (int o = 0; o < 6; ++o) B[6 * m + o] += jk[m][l] * e[o];
    }
  }
}

/// Block LU, right-looking, and both substitutions; the solution replaces rhs_. Slots that only contacts without force
/// touch take no part: their f is 0.
bool Couple::factorise() {
  const int n = local_count_;
  double L[36];
  for (int k = 0; k < n; ++k) {
    if (!loaded_[k]) continue;
    if (!invert6(block(k, k))) return false;
    for (int i = k + 1; i < n; ++i) {
      if (!loaded_[i] || !has_block(i, k)) continue;
      multiply6(block(i, k), block(k, k), L);
      for (int j = k + 1; j < n; ++j)
        if (loaded_[j] && has_block(k, j)) subtract_product6(L, block(k, j), block(i, j));
      subtract_times6(L, &rhs_[static_cast<std::size_t>(k) * 6], &rhs_[static_cast<std::size_t>(i) * 6]);
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    if (!loaded_[k]) continue;
    double* x = &rhs_[static_cast<std::size_t>(k) * 6];
    for (int j = k + 1; j < n; ++j)
      if (loaded_[j] && has_block(k, j)) subtract_times6(block(k, j), &rhs_[static_cast<std::size_t>(j) * 6], x);
    double y[6] = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 6; ++i)
      for (int m = 0; m < 6; ++m) y[i] += block(k, k)[6 * i + m] * x[m];
    std::memcpy(x, y, sizeof y);
  }
  for (int i = 0; i < 6 * n; ++i)
    if (!std::isfinite(rhs_[i])) return false;
  return true;
}

}  // namespace gradus

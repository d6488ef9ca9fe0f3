/// Dense linear algebra by the plainest means, to judge the O(n) recursions by.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace gradus::test {

/// Row-major n × n.
struct Dense {
  explicit Dense(int size) : n(size), m(static_cast<std::size_t>(size * size), 0.0) {}
  double& operator()(int r, int c) { return m[static_cast<std::size_t>(r * n + c)]; }
  double operator()(int r, int c) const { return m[static_cast<std::size_t>(r * n + c)]; }
  int n;
  std::vector<double> m;
};

/// A x = y by elimination with row pivoting.
inline std::vector<double> solve(Dense a, std::vector<double> y) {
  const int n = a.n;
  auto at = [&](int i) -> double& { return y[static_cast<std::size_t>(i)]; };
  for (int j = 0; j < n; ++j) {
    int p = j;
    for (int i = j + 1; i < n; ++i)
      if (std::fabs(a(i, j)) > std::fabs(a(p, j))) p = i;
    for (int k = 0; k < n; ++k) std::swap(a(j, k), a(p, k));
    std::swap(at(j), at(p));
    for (int i = j + 1; i < n; ++i) {
      const double f = a(i, j) / a(j, j);
      for (int k = j; k < n; ++k) a(i, k) -= f * a(j, k);
      at(i) -= f * at(j);
    }
  }
  for (int j = n - 1; j >= 0; --j) {
    for (int k = j + 1; k < n; ++k) at(j) -= a(j, k) * at(k);
    at(j) /= a(j, j);
  }
  return y;
}

/// Largest difference over the largest value of the reference.
inline double relative_error(const double* x, const double* reference, int n) {
  double error = 0, size = 0;
  for (int i = 0; i < n; ++i) {
    error = std::max(error, std::isnan(x[i]) ? 1e300 : std::fabs(x[i] - reference[i]));
    size = std::max(size, std::fabs(reference[i]));
  }
  return size > 0 ? error / size : error;
}
inline double relative_error(const std::vector<double>& x, const std::vector<double>& reference) {
  return relative_error(x.data(), reference.data(), static_cast<int>(reference.size()));
}

}  // namespace gradus::test

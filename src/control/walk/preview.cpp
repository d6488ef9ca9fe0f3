#include "control/walk/preview.h"

#include <algorithm>
#include <cmath>

namespace gradus::walk {
namespace {

using Vector = std::array<double, 4>;
using Matrix = std::array<Vector, 4>;  // rows

Vector transpose_times(const Matrix& M, const Vector& a) {
  Vector out{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) out[j] += M[i][j] * a[i];
  return out;
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

/// The system extended by the error of the zero-moment point: Ã, B̃.
struct Extended {
  Matrix A;
  Vector B;
};
Extended extended(double dt, double omega2) {
  const double w = omega2 * dt;
  return {{{{1, 0, 0, 1}, {0, 1, dt, 0}, {0, w, 1, -w}, {0, 0, 0, 1}}}, {dt, 0, 0, dt}};
}

/// P, s, K and A_c = Ã − B̃ K of (4).
struct Riccati {
  Matrix P, closed;
  Vector K, PB;
  double s;
};

void close_loop(const Extended& e, double R, Riccati& r) {
  for (std::size_t i = 0; i < 4; ++i) r.PB[i] = dot(r.P[i], e.B);
  r.s = 1 / (R + dot(e.B, r.PB));
  r.K = transpose_times(e.A, r.PB);
  for (std::size_t j = 0; j < 4; ++j) r.K[j] *= r.s;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) r.closed[i][j] = e.A[i][j] - e.B[i] * r.K[j];
}

/// One step of the recursion (4); returns the largest relative change.
double iterate(const Extended& e, const Vector& Q, Riccati& r) {
  Matrix next{};
  for (std::size_t j = 0; j < 4; ++j) {
    Vector column{};  // P A_c
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 4; ++k) column[i] += r.P[i][k] * r.closed[k][j];
    const Vector back = transpose_times(e.A, column);
    for (std::size_t i = 0; i < 4; ++i) next[i][j] = back[i] + (i == j ? Q[i] : 0);
  }
  double change = 0;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      const double x = 0.5 * (next[i][j] + next[j][i]);
      change = std::max(change, std::fabs(x - r.P[i][j]) / (1 + std::fabs(x)));
      r.P[i][j] = x;
    }
  return change;
}

/// Starts above Q: from Q alone the recursion ends in a solution that does not stabilise.
Riccati solve(const Extended& e, const Vector& Q, double R) {
  constexpr int kMost = 100'000;
  constexpr double kSmall = 1e-14;
  Riccati r{};
  for (std::size_t i = 0; i < 4; ++i) r.P[i][i] = Q[i] + 1;
  close_loop(e, R, r);
  for (int n = 0; n < kMost; ++n) {
    const double change = iterate(e, Q, r);
    close_loop(e, R, r);
    if (change < kSmall) break;
  }
  return r;
}

}  // namespace

PreviewGains preview_gains(const PreviewSpec& spec) {
  PreviewGains g;
  g.period = spec.period;
  g.omega2 = spec.gravity / spec.height;
  const Extended e = extended(spec.period, g.omega2);
  const Riccati r = solve(e, {spec.error_weight, 0, 0, spec.zmp_weight}, spec.input_weight);
  g.integral = r.s * r.PB[0];
  for (std::size_t j = 0; j < 3; ++j) g.state[j] = r.K[j + 1];  // F̃ is Ã without its first column
  Vector X{};
  for (std::size_t i = 0; i < 4; ++i) X[i] = -r.P[i][0];
  g.preview.push_back(-g.integral);
  while (static_cast<int>(g.preview.size()) < spec.horizon) {
    X = transpose_times(r.closed, X);
    g.preview.push_back(r.s * dot(e.B, X));
  }
  return g;
}

PreviewState at_rest(double r) { return {r, 0, r, 0}; }

void advance(const PreviewGains& g, std::span<const double> reference, PreviewState& x) {
  x.error_sum += x.p - reference[0];
  double u = -g.integral * x.error_sum - g.state[0] * x.c - g.state[1] * x.c_dot - g.state[2] * x.p;
  for (std::size_t j = 0; j < g.preview.size(); ++j) u -= g.preview[j] * reference[j + 1];
  const double c = x.c;
  x.c += g.period * x.c_dot;
  x.c_dot += g.omega2 * g.period * (c - x.p);
  x.p += g.period * u;
}

}  // namespace gradus::walk

/// A smooth stretch of one body's motion: polynomials in the time since its start, with bounds of their derivatives.
/// The polynomials *are* the trajectory: gaps are evaluated on them, so integrator and event search cannot disagree.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "wheels/vec2.h"

namespace gradus::wheels {

inline constexpr int kOrder = 10;  // of the Taylor series of positions
inline constexpr double kNever = 1e9;
using Series = std::array<double, kOrder + 1>;

inline double series_value(const Series& c, int degree, double s) {
  double value = c[degree];
  for (int k = degree - 1; k >= 0; --k) value = value * s + c[k];
  return value;
}

struct Piece {
  double t0 = 0, t1 = 0;  // [s] since the start of the call of advance
  int degree = 0;         // of x, y, theta; v, u, w have kOrder - 1 (free) or 0 (slice)
  Series x{}, y{}, theta{};
  Series v{}, u{}, w{};                                   // robot: body axes
  double v_max = 0, a_max = 0, w_max = 0, alpha_max = 0;  // over the piece, by bounds()

  /// Bounds from the sums of the terms' sizes: exact at the order that matters, never too small.
  void bounds() {
    const double h = t1 - t0;
    double power = 1, vx = 0, vy = 0, wz = 0, ax = 0, ay = 0, az = 0;
    for (int k = 1; k <= degree; ++k) {
      vx += k * std::fabs(x[k]) * power, vy += k * std::fabs(y[k]) * power, wz += k * std::fabs(theta[k]) * power;
      if (k < degree) {
        const double kk = k * (k + 1);
        ax += kk * std::fabs(x[k + 1]) * power, ay += kk * std::fabs(y[k + 1]) * power;
        az += kk * std::fabs(theta[k + 1]) * power;
      }
      power *= h;
    }
    v_max = square_root(vx * vx + vy * vy);
    a_max = square_root(ax * ax + ay * ay);
    w_max = wz;
    alpha_max = az;
  }
};

/// Place and velocity of a body's origin and its turning.
struct Kinematics {
  Vec2 p, v;
  double theta = 0, w = 0;
};

inline Kinematics evaluate(const Piece& piece, double t) {
  const double s = t - piece.t0;
  double x = 0, y = 0, a = 0, dx = 0, dy = 0, da = 0;
  for (int k = piece.degree; k >= 0; --k) {
    dx = dx * s + x, dy = dy * s + y, da = da * s + a;
    x = x * s + piece.x[k], y = y * s + piece.y[k], a = a * s + piece.theta[k];
  }
  return {{x, y}, {dx, dy}, a, da};
}
inline Vec2 position(const Piece& piece, double t) {
  const double s = t - piece.t0;
  return {series_value(piece.x, piece.degree, s), series_value(piece.y, piece.degree, s)};
}

/// Earliest s at which f + f' s − B s²/2 can reach zero: nothing happens before [docs/planar_wheels.md, eq. (11)].
inline double safe_time(double f, double slope, double bound) {
  if (f <= 0) return slope > 0 ? (bound > 0 ? 2 * slope / bound : kNever) : (slope == 0 && bound <= 0 ? kNever : 0);
  const double q = square_root(slope * slope + 2 * bound * f);
  if (slope <= 0) return q - slope > 0 ? 2 * f / (q - slope) : kNever;
  return bound > 0 ? (slope + q) / bound : kNever;
}

}  // namespace gradus::wheels

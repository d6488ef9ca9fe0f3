#include "math/angle.h"

#include "math/scalar.h"

namespace gradus {

/// In the first octant a = t (1.0515 − 0.2681 t²), t = min/max, is right to 0.03; then Newton's rule for the angle between (x, y) and
/// (cos a, sin a):  a += δ − δ³/3 + …,  δ = (y cos a − x sin a)/(x cos a + y sin a) = tan of what is missing. Three terms leave an error of
/// δ⁷/7: 1e-11 after the first round, nothing after the second.
double arc_tangent(double y, double x) {
  const double ax = x < 0 ? -x : x, ay = y < 0 ? -y : y;
  const bool steep = ay > ax;
  const double greater = steep ? ay : ax, lesser = steep ? ax : ay;
  if (!(greater > 0)) return 0;
  const double u = 1, v = lesser / greater;  // no overflow
  double a = v * (1.0515 - 0.2681 * v * v);
  for (int round = 0; round < 2; ++round) {
    double s, c;
    sine_cosine(a, s, c);
    const double d = (v * c - u * s) / (u * c + v * s), dd = d * d;
    a += d * (1 - dd * (1.0 / 3 - dd * 0.2));
  }
  constexpr double kQuarter = 1.5707963267948966, kHalf = 3.141592653589793;
  if (steep) a = kQuarter - a;
  if (x < 0) a = kHalf - a;
  return y < 0 ? -a : a;
}

double arc_sine(double x) {
  const double s = x > 1 ? 1 : x < -1 ? -1 : x;
  return arc_tangent(s, square_root((1 - s) * (1 + s)));
}

double arc_cosine(double x) {
  const double c = x > 1 ? 1 : x < -1 ? -1 : x;
  return arc_tangent(square_root((1 - c) * (1 + c)), c);
}

}  // namespace gradus

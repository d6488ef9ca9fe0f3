/// The rough map of facts/legged.md 4.1: h = 0.05 sin 7x cos 5y + 0.02 sin(31x + 11y) + 0.01 sin 97x sin 89y over 5.99
/// m.
#pragma once
#include <cmath>

#include "shape/height_field.h"

namespace gradus::test {

inline double rough_height(double x, double y) {
  return 0.05 * std::sin(7 * x) * std::cos(5 * y) + 0.02 * std::sin(31 * x + 11 * y) +
         0.01 * std::sin(97 * x) * std::sin(89 * y);
}
inline HeightGrid rough_map(int n) {
  const double side = 5.99, d = side / (n - 1);
  HeightGrid g{n, n, d, d, -side / 2, -side / 2, {}};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) g.z.push_back(rough_height(g.x0 + i * d, g.y0 + j * d));
  return g;
}

}  // namespace gradus::test

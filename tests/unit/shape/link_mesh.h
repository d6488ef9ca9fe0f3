/// A link as robots have them: closed, longer than wide, with bumps and hollows, so not convex.
#pragma once
#include <array>
#include <cmath>
#include <vector>

#include "math/vec.h"

namespace gradus::test {

/// Twice around × along triangles, less the caps: around 48, along 50 gives 4704.
inline void make_link_mesh(int around, int along, double phase, std::vector<Vec3>& v, std::vector<std::array<int, 3>>& t) {
  const int rings = along - 1;
  for (int i = 1; i <= rings; ++i)
    for (int j = 0; j < around; ++j) {
      const double a = M_PI * i / along, b = 2 * M_PI * j / around;
      const double r = 0.06 * std::sin(a) * (1 + 0.25 * std::sin(5 * a + phase) + 0.2 * std::cos(3 * b + 4 * a));
      v.push_back({r * std::cos(b), r * std::sin(b), -0.15 * std::cos(a)});
    }
  const int south = static_cast<int>(v.size()), north = south + 1;
  v.push_back({0, 0, -0.15});
  v.push_back({0, 0, 0.15});
  const auto at = [&](int i, int j) { return i * around + j % around; };
  for (int j = 0; j < around; ++j) {
    t.push_back({south, at(0, j + 1), at(0, j)});
    t.push_back({north, at(rings - 1, j), at(rings - 1, j + 1)});
    for (int i = 0; i + 1 < rings; ++i) {
      t.push_back({at(i, j), at(i, j + 1), at(i + 1, j + 1)});
      t.push_back({at(i, j), at(i + 1, j + 1), at(i + 1, j)});
    }
  }
}

}  // namespace gradus::test

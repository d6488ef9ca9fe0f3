/// A sphere that rests on a grid touches it and is nowhere inside.
#include "model/rest_on_grid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace gradus {
namespace {

template <class Height>
HeightGrid grid(int n, double cell, const Height& height) {
  HeightGrid g{n, n, cell, cell, -0.5 * cell * (n - 1), -0.5 * cell * (n - 1), {}};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) g.z.push_back(height(g.x0 + i * cell, g.y0 + j * cell));
  return g;
}

/// c = h + r / cos α.
TEST(RestOnGrid, OnASlopeTheSphereIsHigherThanItsRadius) {
  const HeightGrid g = grid(41, 0.02, [](double x, double y) { return 0.5 * x - 0.2 * y; });
  for (const double r : {0.003, 0.02, 0.07})
    EXPECT_NEAR(rest_height(g, 0.011, -0.027, r), 0.5 * 0.011 + 0.2 * 0.027 + r * std::sqrt(1 + 0.25 + 0.04), 1e-14);
}

/// On the node of a spike, and beside it: h + √(r² − d²).
TEST(RestOnGrid, OnASpikeItRestsOnTheNode) {
  HeightGrid g = grid(11, 0.1, [](double, double) { return 0.0; });
  g.z[5 * 11 + 5] = 1;
  EXPECT_NEAR(rest_height(g, 0, 0, 0.05), 1.05, 1e-12);
  EXPECT_NEAR(rest_height(g, 0.0, 0.001, 0.05), 1 + std::sqrt(0.05 * 0.05 - 1e-6), 1e-12);
  EXPECT_NEAR(rest_height(g, 0.3, 0.3, 0.05), 0.05, 1e-12);
}

TEST(RestOnGrid, HolesAndTheOutsideCarryNothing) {
  HeightGrid g = grid(11, 0.1, [](double, double) { return 0.2; });
  g.z[5 * 11 + 5] = std::nan("");
  EXPECT_TRUE(std::isnan(rest_height(g, 0.01, 0.02, 0.05)));
  EXPECT_NEAR(rest_height(g, 0.09, 0, 0.05), 0.2 + std::sqrt(0.05 * 0.05 - 0.01 * 0.01), 1e-12) << "on the hole's edge";
  EXPECT_TRUE(std::isnan(rest_height(g, 0.6, 0, 0.05)));
  EXPECT_TRUE(std::isnan(rest_height(g, 1e300, -1e300, 0.05)));
  EXPECT_NEAR(rest_height(g, 0.53, 0, 0.05), 0.24, 1e-12) << "on the map's edge";
  EXPECT_EQ(rest_height(g, 0.3, 0.3, 0), 0.2);
}

/// Against the definition, by trying points of the surface: never lower, and as near as the trying is fine.
TEST(RestOnGrid, IsTheMaximumOverTheSurface) {
  const RandomKey key{5, 0, 0};
  std::uint32_t count = 0;
  const HeightGrid g = grid(21, 0.02, [&](double, double) { return random_in(key, 0, count++, -0.02, 0.02); });
  for (std::uint32_t n = 0; n < 60; ++n) {
    const double x = random_in(key, 1, n, -0.12, 0.12), y = random_in(key, 2, n, -0.12, 0.12),
                 r = random_in(key, 3, n, 0.005, 0.06), fine = r / 150;
    double tried = -1;
    for (double u = -r; u <= r; u += fine)
      for (double v = -r; v <= r; v += fine)
        if (u * u + v * v <= r * r) tried = std::max(tried, height_at(g, x + u, y + v) + std::sqrt(r * r - u * u - v * v));
    const double c = rest_height(g, x, y, r);
    EXPECT_GE(c, tried - 1e-12) << n;
    EXPECT_LT(c, tried + 4 * fine) << n;
  }
}

}  // namespace
}  // namespace gradus

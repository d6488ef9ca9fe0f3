// Support polygon and stability margins against closed forms: squares, slopes, stairs, segments; nothing of it depends on axes or order.
#include "world/stability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gradus {
namespace {

constexpr double kG = 9.81;
const Vec3 kDown{0, 0, -kG};

TEST(Stability, over_a_rectangle_the_nearest_edge_counts) {
  // 0.6 m along x, 0.4 m along y; 5 cm forward and 3 cm to the left of the middle, 0.5 m high
  const std::vector<Vec3> feet{{0.3, 0.2, 0}, {-0.3, 0.2, 0}, {-0.3, -0.2, 0}, {0.3, -0.2, 0}, {0.1, 0.05, 0}};  // one inside
  const Stability s = stability_of(feet, {0.05, 0.03, 0.5}, 20, kDown);
  ASSERT_EQ(s.polygon.size(), 4u);
  double area = 0;  // counter-clockwise from above: positive
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 a = s.polygon[i], b = s.polygon[(i + 1) % 4];
    area += 0.5 * (a.x * b.y - b.x * a.y);
  }
  EXPECT_NEAR(area, 0.24, 1e-12);
  EXPECT_NEAR(s.margin, 0.17, 1e-12);                                                     // to the left edge
  EXPECT_NEAR(s.energy, 20 * kG * (std::hypot(0.17, 0.5) - 0.5), 1e-9);                    // over it
  EXPECT_NEAR(stability_of(feet, {0.05, 0.23, 0.5}, 20, kDown).margin, -0.03, 1e-12);       // outside it
  EXPECT_EQ(stability_of(feet, {0.05, 0.23, 0.5}, 20, kDown).energy, 0);
  EXPECT_NEAR(stability_of(feet, {0.34, 0.23, 0.5}, 20, kDown).margin, -0.05, 1e-12);       // at a corner: 4 and 3 cm off
}

TEST(Stability, on_a_slope_the_lower_edge_is_near_and_the_least_energy_is_over_it) {
  // feet at ±a along the slope and ±a across, mass h above it; the slope of angle α falls towards −x
  const double a = 0.3, h = 0.4, alpha = 20 * 3.14159265358979323846 / 180, c = std::cos(alpha), s = std::sin(alpha);
  const auto on_slope = [&](double x, double y, double z) { return Vec3{c * x - s * z, y, s * x + c * z}; };
  std::vector<Vec3> feet;
  for (const double x : {-a, a})
    for (const double y : {-a, a}) feet.push_back(on_slope(x, y, 0));
  const Stability t = stability_of(feet, on_slope(0, 0, h), 5, kDown);
  EXPECT_NEAR(t.margin, a * c - h * s, 1e-12);
  EXPECT_NEAR(t.energy, 5 * kG * (std::hypot(a, h) - (a * s + h * c)), 1e-9);
  // the same as standing level under gravity that is turned
  std::vector<Vec3> level;
  for (const double x : {-a, a})
    for (const double y : {-a, a}) level.push_back({x, y, 0});
  const Stability turned = stability_of(level, {0, 0, h}, 5, Vec3{-s, 0, -c} * kG);
  EXPECT_NEAR(turned.margin, t.margin, 1e-12);
  EXPECT_NEAR(turned.energy, t.energy, 1e-9);
}

TEST(Stability, a_slanted_edge_takes_the_energy_of_the_turn_about_it) {
  // One foot of the front edge is on a stair: turn the mass about the edge in small steps and take the highest place.
  const std::vector<Vec3> feet{{0.3, 0.2, 0.15}, {0.3, -0.2, 0}, {-0.6, 0.5, 0}, {-0.6, -0.5, 0}};
  const Vec3 centre{0.2, 0.01, 0.5};
  const Vec3 p = feet[1], edge = feet[0] - feet[1], e = edge * (1 / norm(edge)), r = centre - p;
  double highest = centre.z;
  for (int i = 0; i < 20000; ++i) {
    const double angle = i * 1e-4;
    const Vec3 turned = r * std::cos(angle) + cross(e, r) * std::sin(angle) + e * (dot(e, r) * (1 - std::cos(angle)));
    const Vec3 back = r * std::cos(angle) - cross(e, r) * std::sin(angle) + e * (dot(e, r) * (1 - std::cos(angle)));
    highest = std::max(highest, p.z + std::max(turned.z, back.z));
  }
  const Stability s = stability_of(feet, centre, 3, kDown);
  EXPECT_NEAR(s.energy, 3 * kG * (highest - centre.z), 1e-6);
  EXPECT_GT(s.energy, 0.01);
}

TEST(Stability, on_two_feet_or_one_the_margin_is_the_distance_and_in_the_air_there_is_none) {
  const std::vector<Vec3> two{{0.3, 0.2, 0}, {-0.3, -0.2, 0}};
  EXPECT_NEAR(stability_of(two, {0, 0, 0.5}, 1, kDown).margin, 0, 1e-12);
  EXPECT_NEAR(stability_of(two, Vec3{-0.2, 0.3, 0} * (0.1 / std::hypot(0.2, 0.3)), 1, kDown).margin, -0.1, 1e-12);
  EXPECT_EQ(stability_of(two, {0, 0, 0.5}, 1, kDown).energy, 0);
  EXPECT_NEAR(stability_of(std::vector<Vec3>{{1, 1, 0}}, {0, 0, 0.5}, 1, kDown).margin, -std::sqrt(2.0), 1e-12);
  EXPECT_EQ(stability_of(std::vector<Vec3>{}, {0, 0, 0.5}, 1, kDown).margin, 0);
  EXPECT_EQ(stability_of(two, {0, 0, 0.5}, 1, {0, 0, 0}).margin, 0);
}

}  // namespace
}  // namespace gradus

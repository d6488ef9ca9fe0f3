#include <gtest/gtest.h>

#include <cmath>

#include "math/vec.h"

namespace gradus {
namespace {

/// Distance of two quaternions' components.
double distance(const Quat& a, const Quat& b) {
  const Quat d{a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z};
  return std::sqrt(d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z);
}

Vec3 some_axis(int k) {
  const Vec3 a{std::sin(1.0 + k), std::cos(2.0 * k), std::sin(0.3 * k) - 0.5};
  return a * (1 / norm(a));
}

TEST(Exponential, is_half_the_angle_about_the_axis_on_both_sides_of_the_series) {
  for (double angle : {0.0, 1e-12, 1e-5, 1e-3, 0.05, 0.1, 0.19999, 0.2, 0.20001, 0.3, 1.0, 3.0, 6.0, 20.0})
    for (int k = 0; k < 20; ++k) {
      const Vec3 a = some_axis(k);
      const double s = std::sin(0.5 * angle);
      const Quat exact{std::cos(0.5 * angle), a.x * s, a.y * s, a.z * s};
      EXPECT_LT(distance(exponential(a * angle), exact), 4e-16 * (1 + angle)) << angle;
    }
}

TEST(Exponential, keeps_its_length) {
  for (double angle = 1e-4; angle < 0.5; angle *= 1.1) {
    const Quat q = exponential(some_axis(3) * angle);
    EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 4e-16) << angle;
  }
}

TEST(Normalized, gives_length_one_and_the_same_direction_near_and_far) {
  const Quat unit = exponential(Vec3{0.3, -0.8, 0.5});
  for (double size : {1e-3, 0.5, 1 - 1e-6, 1 - 4e-9, 1.0, 1 + 4e-9, 1 + 1e-6, 2.0, 1e3}) {
    const Quat q = normalized(Quat{unit.w * size, unit.x * size, unit.y * size, unit.z * size});
    EXPECT_LT(distance(q, unit), 4e-16) << size;
  }
}

/// Two joints at a time must be the bits of one after the other.
TEST(SineCosine, of_two_at_a_time_are_the_bits_of_one) {
  for (int k = -2000; k < 2000; ++k) {
    const double x = 0.011 * k, y = 7.3 - 0.37 * k;
    double sx, cx, sy, cy;
    sine_cosine(x, sx, cx);
    sine_cosine(y, sy, cy);
    Two s, c;
    sine_cosine(two(x, y), s, c);
    ASSERT_EQ(s.v[0], sx) << x;
    ASSERT_EQ(c.v[0], cx) << x;
    ASSERT_EQ(s.v[1], sy) << y;
    ASSERT_EQ(c.v[1], cy) << y;
    ASSERT_NEAR(sx, std::sin(x), 3e-16) << x;
    ASSERT_NEAR(cx, std::cos(x), 3e-16) << x;
  }
}

}  // namespace
}  // namespace gradus

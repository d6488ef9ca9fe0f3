#include "math/power.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gradus {
namespace {

TEST(Power, agrees_with_the_c_library_to_1e14) {
  for (int i = 1; i <= 4095; ++i)
    for (const double y : {1 / 2.2, 2.2, 0.5, 1.0, -1.5}) {
      const double x = i / 4095.0, due = std::pow(x, y);
      EXPECT_NEAR(power(x, y), due, 1e-14 * due) << x << " to the power " << y;
    }
  EXPECT_EQ(power(0, 0.5), 0);
  EXPECT_EQ(power(1, 7), 1);
}

TEST(Power, logarithm_and_exponential_are_inverse) {
  for (double x = 1e-6; x < 1e6; x *= 1.37) {
    EXPECT_NEAR(natural_logarithm(x), std::log(x), 1e-15 * std::max(1.0, std::abs(std::log(x))));
    EXPECT_NEAR(exponential(natural_logarithm(x)), x, 4e-15 * x);
  }
}

TEST(Power, tangent_agrees_with_the_c_library) {
  for (double x = -1.5; x < 1.5; x += 0.01)
    EXPECT_NEAR(tangent(x), std::tan(x), 1e-14 * (1 + std::tan(x) * std::tan(x)));
}

}  // namespace
}  // namespace gradus

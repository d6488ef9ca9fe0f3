/// How fast an error falls when the step is halved: the order of a method as a test can see it.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace gradus::test {

/// error(h) must be below `bound` at h, and fall by about 2^order with every halving. The observed order must lie
/// within 0.25 of the promised one: a first-order method that shows 1.5 is not understood.
template <class Error>
void expect_order(const Error& error, double h, int order, double bound) {
  const double e1 = error(h), e2 = error(h / 2), e3 = error(h / 4);
  const double seen1 = std::log2(e1 / e2), seen2 = std::log2(e2 / e3);
  std::printf("  h %g: error %.3e, %.3e, %.3e  order %.2f, %.2f\n", h, e1, e2, e3, seen1, seen2);
  EXPECT_LT(e1, bound);
  EXPECT_NEAR(seen1, order, 0.25);
  EXPECT_NEAR(seen2, order, 0.25);
}

}  // namespace gradus::test

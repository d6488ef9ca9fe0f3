/// What the springs of a contact may hold [contact/law/held.h], against closed forms of one step.
#include "contact/law/held.h"

#include <gtest/gtest.h>

namespace gradus::test {
namespace {

constexpr double kH = 1e-3, kK = 1e4, kD = 20;

/// (4) of docs/step.md, at the end of the step.
double push(double gap, double u) { return -(kK * (gap + kH * u) + kD * u); }

double after(double gap, double u) { return held_after(kH, kK, gap, u, kH * push(gap, u) * u, 0, 0); }

TEST(Held, grows_by_what_the_spring_takes_and_what_the_damper_takes) {
  const double gap = -1e-3, u = -0.1, next = gap + kH * u;
  EXPECT_NEAR(after(gap, u), 0.5 * kK * next * next + kH * kD * u * u + 0.5 * kK * kH * kH * u * u, 1e-15);
}

TEST(Held, is_nothing_beyond_the_damping_once_a_contact_has_opened) {
  const double gap = -1e-4, u = 0.5;  // opens by 0.4 mm
  const double given = 0.5 * kK * gap * gap;
  EXPECT_NEAR(held_after(kH, kK, gap, u, 0, 0, 0), given, 1e-18) << "it gave nothing to the bodies";
  EXPECT_NEAR(held_after(kH, kK, gap, u, given, 0, 0), 0, 1e-18) << "it gave all";
  EXPECT_EQ(held_after(kH, kK, gap, u, 2 * given, 0, 0), 0) << "never negative";
  EXPECT_EQ(held_after(kH, kK, 1e-3, -0.5, 0, 0, 0), 0) << "still open";
}

TEST(Held, friction_pays_for_depth_but_not_what_its_spring_keeps) {
  const double gap = -1e-3, still = 0.5 * kK * gap * gap;
  EXPECT_NEAR(held_after(kH, kK, gap, 0, -2e-3, 0, 0), still + 2e-3, 1e-15);
  EXPECT_NEAR(held_after(kH, kK, gap, 0, -2e-3, 1.5e-3, 0), still + 0.5e-3, 1e-15);
}

/// Two springs, as deep as the one was, hold together what it held.
TEST(Held, a_corner_that_becomes_two_points_holds_what_it_held) {
  const double gap = -2e-3, held = spring_holds(kK, gap), share = felt_share(2 * held, held);
  EXPECT_NEAR(2 * spring_holds(kK, share * gap), held, 1e-15);
  EXPECT_EQ(felt_share(held, 2 * held), 1) << "less deep than it was: as it is found";
  EXPECT_EQ(felt_share(held * (1 + 1e-12), held), 1) << "rounding changes no bit";
}

}  // namespace
}  // namespace gradus::test

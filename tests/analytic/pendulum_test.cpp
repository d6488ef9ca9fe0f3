/// Pendulums against closed forms. The joints' rule, v⁺ = v + h a(q), q⁺ = q + h v⁺, is symplectic Euler: first order
/// in the angle at a given time, second order in the period, energy bounded [Hairer, Lubich, Wanner 2006, I.1.2].
#include <gtest/gtest.h>

#include <cmath>

#include "support/order.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

constexpr double kG = 9.81;

/// A rod of 0.5 m hanging from the world, turning about y; the axis may be any horizontal one.
RobotSpec pendulum(double angle) {
  RobotBuilder b("pendulum");
  b.fixed().base("ceiling").revolute("hinge", {0, 1, 0}).solid_box(2, {0.02, 0.02, 0.5}, {0, 0, -0.25}).initial(angle);
  return b.spec();
}
/// √(I/(m g l)) of that rod: I about the hinge.
double inverse_rate() {
  const double I = 2 * (0.5 * 0.5 + 0.02 * 0.02) / 12 + 2 * 0.25 * 0.25;
  return std::sqrt(I / (2 * kG * 0.25));
}
/// T = 4 √(I/(m g l)) K(sin(θ₀/2)), K the complete elliptic integral of the first kind.
double exact_period(double amplitude) { return 4 * inverse_rate() * std::comp_ellint_1(std::sin(amplitude / 2)); }

/// Mean of five periods, by linear interpolation of the upward zero crossings.
double measured_period(double amplitude, double h) {
  SceneSpec s = scene(h);
  add(s, pendulum(amplitude), "articulated");
  const auto world = make_world(s);
  double first = -1, last = -1;
  for (int crossings = 0; crossings < 6;) {
    const double before = world->q(0)[7], t = world->time();
    world->step();
    const double after = world->q(0)[7];
    if (!(before < 0 && after >= 0)) continue;
    last = t + h * before / (before - after);
    if (crossings++ == 0) first = last;
  }
  return (last - first) / 5;
}

TEST(Pendulum, small_swings_have_the_period_of_the_linear_pendulum) {
  EXPECT_NEAR(exact_period(0.01), 2 * M_PI * inverse_rate(), 1e-5);
  expect_order([](double h) { return std::fabs(measured_period(0.01, h) / exact_period(0.01) - 1); }, 0.008, 2, 1e-3);
}

TEST(Pendulum, large_swings_have_the_period_of_the_elliptic_integral) {
  // terms of second order nearly cancel at this amplitude: at least order two
  auto error = [](double h) { return std::fabs(measured_period(2.5, h) / exact_period(2.5) - 1); };
  EXPECT_LT(error(0.008), 1e-3);
  EXPECT_LT(error(0.002), error(0.008) / 16);
}

TEST(Pendulum, angle_at_a_given_time_is_second_order) {
  // θ = θ₀ cos(ω t) for small θ₀
  auto error = [](double h) {
    SceneSpec s = scene(h);
    add(s, pendulum(1e-3), "articulated");
    const auto world = make_world(s);
    run(*world, 1.0);
    return std::fabs(world->q(0)[7] / 1e-3 - std::cos(world->time() / inverse_rate()));
  };
  expect_order(error, 0.004, 2, 1e-3);
}

TEST(Pendulum, swings_towards_the_side_gravity_pulls) {
  SceneSpec s = scene(0.001);
  s.gravity = {3, 0, -9};  // rest where the rod points along gravity: tan θ = −3/9 about y for a rod along −z
  add(s, pendulum(0), "articulated");
  const auto world = make_world(s);
  run(*world, 0.05);
  EXPECT_LT(world->q(0)[7], 0);  // about y, −z turns to −x for positive angles
}

double double_pendulum_energy_error(double h, double upper, double lower, double seconds) {
  RobotBuilder b("double_pendulum");
  b.fixed().base("ceiling").revolute("upper", {0, 1, 0}).solid_box(1, {0.03, 0.03, 0.4}, {0, 0, -0.2}).initial(upper);
  b.translation("reach", {0, 0, -0.4})
      .revolute("lower", {0.3, 1, 0})
      .solid_box(1, {0.03, 0.03, 0.3}, {0, 0, -0.15})
      .initial(lower);
  SceneSpec s = scene(h);
  add(s, b.spec(), "articulated");
  const auto world = make_world(s);
  const double E0 = world->energy(0);
  double worst = 0;
  while (world->time() < seconds) {
    world->step();
    worst = std::max(worst, std::fabs(world->energy(0) - E0));
  }
  return worst / (2 * kG * 0.4);
}

TEST(DoublePendulum, energy_error_of_wild_swings_is_second_order) {
  expect_order([](double h) { return double_pendulum_energy_error(h, 1.2, -2, 2); }, 0.002, 2, 2e-3);
}

TEST(DoublePendulum, energy_error_over_a_minute_of_moderate_swings_is_second_order) {
  // With inertia that depends on q the rule is not symplectic: the error may grow, but as h² does.
  expect_order([](double h) { return double_pendulum_energy_error(h, 0.7, -0.6, 60); }, 0.002, 2, 5e-3);
}

}  // namespace
}  // namespace gradus::test

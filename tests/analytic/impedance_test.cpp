/// Joints that are commanded by torque, speed and gains.  τ = kp (target − q) + kd (speed − v) + torque
#include <gtest/gtest.h>

#include <cmath>

#include "support/robots.h"

namespace gradus::test {
namespace {

constexpr double kInertia = 0.02, kLimit = 3;  // [kg m²], [N m]

/// One flywheel on a vertical axis, bolted down.
std::unique_ptr<World> flywheel(double h, const char* commands = "impedance") {
  RobotBuilder b("flywheel");
  ServoSpec servo;
  servo.kp = 10, servo.kd = 0.5, servo.torque = kLimit;
  b.fixed().base("post").revolute("wheel", {0, 0, 1}).servo(servo).mass(1, {0, 0, 0}, {kInertia, 0, 0, kInertia, 0, kInertia});
  SceneSpec s = scene(h);
  add(s, b.spec(), "articulated", {0, 0, 0}).commands = commands;
  return make_world(s);
}

TEST(Impedance, torque_alone_accelerates_as_newton_says) {
  for (const double torque : {0.1, -1.7, 2.9}) {
    const auto w = flywheel(0.001);
    RobotCommand c = w->command(0);
    c.kp[0] = c.kd[0] = 0, c.torque[0] = torque;
    run(*w, 0.5);
    EXPECT_NEAR(w->v(0)[6], torque * 0.5 / kInertia, 1e-9 * 0.5 * std::fabs(torque) / kInertia);
    EXPECT_NEAR(w->tau(0)[0], torque, 1e-12);
  }
}

TEST(Impedance, torque_is_kept_within_the_servos_limit) {
  const auto w = flywheel(0.001);
  RobotCommand c = w->command(0);
  c.kp[0] = c.kd[0] = 0, c.torque[0] = 100;
  run(*w, 0.1);
  EXPECT_NEAR(w->v(0)[6], kLimit * 0.1 / kInertia, 1e-9);
}

/// I v' = kd (v_d − v): v = v_d (1 − exp(−kd t/I)), implicit Euler: v_d (1 − (1 + h kd/I)^−n).
TEST(Impedance, speed_control_approaches_the_speed_by_the_closed_form) {
  const double kd = 0.4, wanted = 5, h = 0.001;
  const auto w = flywheel(h);
  RobotCommand c = w->command(0);
  c.kp[0] = 0, c.kd[0] = kd, c.velocity[0] = wanted;
  run(*w, 0.1);
  EXPECT_NEAR(w->v(0)[6], wanted * (1 - std::pow(1 + h * kd / kInertia, -100)), 1e-9);
}

TEST(Impedance, with_the_servos_gains_and_nothing_more_has_the_bits_of_a_position_servo) {
  const auto a = flywheel(0.001), b = flywheel(0.001, "position");
  for (World* w : {a.get(), b.get()}) w->targets(0)[0] = 0.7;
  for (int i = 0; i < 500; ++i) {
    a->step(), b->step();
    ASSERT_EQ(a->q(0)[7], b->q(0)[7]) << i;
  }
  EXPECT_NEAR(a->q(0)[7], 0.7, 0.01);
}

TEST(Impedance, gains_may_change_while_it_runs) {
  const auto w = flywheel(0.001);
  w->targets(0)[0] = 1;
  run(*w, 2);
  RobotCommand c = w->command(0);
  c.torque[0] = 1;  // a push of 1 N m against kp: deflection torque/kp
  run(*w, 2);
  EXPECT_NEAR(w->q(0)[7], 1 + 1.0 / 10, 1e-6);
  c.kp[0] = 50;
  run(*w, 2);
  EXPECT_NEAR(w->q(0)[7], 1 + 1.0 / 50, 1e-6);
}

TEST(Impedance, is_part_of_snapshot_and_hash) {
  const auto w = flywheel(0.001), other = flywheel(0.001);
  const std::uint64_t before = w->hash();
  w->command(0).torque[0] = 0.5;
  EXPECT_NE(w->hash(), before);
  run(*w, 0.01);
  ASSERT_TRUE(other->restore(w->snapshot()));
  run(*w, 0.1), run(*other, 0.1);
  EXPECT_EQ(w->hash(), other->hash());
}

}  // namespace
}  // namespace gradus::test

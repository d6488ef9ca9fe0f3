/// Servos, torque–speed curves and stops against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "support/order.h"
#include "support/robots.h"
#include "tree/kernels.h"

namespace gradus::test {
namespace {

RobotSpec slider(ServoSpec servo, double mass) {
  RobotBuilder b("slider");
  b.fixed().base("rail").prismatic("slide", {1, 2, 2}).solid_box(mass, {0.1, 0.1, 0.1}, {0, 0, 0}).servo(servo);
  return b.spec();
}

/// A flywheel of inertia J about a vertical axis.
RobotSpec wheel(ServoSpec servo, double J) {
  RobotBuilder b("wheel");
  b.fixed().base("stand").revolute("axle", {0, 0, 1}).mass(1, {0, 0, 0}, {J, 0, 0, J, 0, J}).servo(servo);
  return b.spec();
}

RobotSpec horizontal_arm(ServoSpec servo) {  // 2 kg at 0.3 m, turning about −y: positive angles lift it
  RobotBuilder b("arm");
  b.fixed().base("post").revolute("shoulder", {0, -1, 0}).solid_box(2, {0.6, 0.04, 0.04}, {0.3, 0, 0}).servo(servo);
  return b.spec();
}

TEST(SpringDamper, follows_the_damped_oscillation_at_first_order) {
  // m ẍ + kd ẋ + kp (x − x₁) = 0:  x = x₁ (1 − e^{−δt}(cos ωt + δ/ω sin ωt)),  δ = kd/2m,  ω² = kp/m − δ²; rotor adds
  // to m
  auto error = [](double h) {
    ServoSpec servo{100, 2};
    servo.rotor = 0.5;
    SceneSpec s = scene(h);
    s.gravity = {0, 0, 0};
    add(s, slider(servo, 1.5), "articulated");
    const auto world = make_world(s);
    world->targets(0)[0] = 0.2;
    const double m = 2, delta = 2 / (2 * m), omega = std::sqrt(100 / m - delta * delta);
    double worst = 0;
    while (world->time() < 2 - h / 2) {
      world->step();
      const double t = world->time();
      const double x = 0.2 * (1 - std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t)));
      worst = std::max(worst, std::fabs(world->q(0)[7] - x));
    }
    return worst / 0.2;
  };
  expect_order(error, 0.001, 1, 0.02);
}

TEST(SpringDamper, very_stiff_servos_are_stable_at_any_step) {
  for (const double kp : {1e2, 1e4, 1e6, 1e9})
    for (const double h : {0.0005, 0.001, 0.01}) {
      SceneSpec s = scene(h);
      add(s, slider({kp, std::sqrt(kp)}, 1), "articulated");  // half critical
      const auto world = make_world(s);
      world->targets(0)[0] = 0.1;
      run(*world, 5);
      EXPECT_LT(fastest(*world), 1e-9) << kp << " " << h;
    }
}

TEST(Servo, rests_below_its_target_by_torque_over_kp) {
  // kp (target − q) = m g l cos q
  SceneSpec s = scene(0.001);
  add(s, horizontal_arm({80, 4}), "articulated");
  const auto world = make_world(s);
  world->targets(0)[0] = 0.4;
  run(*world, 10);
  const double q = world->q(0)[7], load = 2 * 9.81 * 0.3 * std::cos(q);
  EXPECT_LT(fastest(*world), 1e-9);
  EXPECT_NEAR(0.4 - q, load / 80, 1e-9);
  EXPECT_NEAR(world->tau(0)[0], load, 1e-7);  // and says so
}

TEST(Servo, torque_that_is_too_small_lets_the_arm_sink) {
  SceneSpec s = scene(0.001);
  ServoSpec weak{1000, 10};
  weak.torque = 2;  // needs 5.886
  add(s, horizontal_arm(weak), "articulated");
  const auto world = make_world(s);
  world->targets(0)[0] = 0.5;
  run(*world, 0.01);  // q̈ = (T − m g l)/I at the start, while damping is small
  const double I = 2 * (0.6 * 0.6 + 0.04 * 0.04) / 12 + 2 * 0.3 * 0.3, a = (2 - 2 * 9.81 * 0.3) / I;
  const double v_end = a * 0.01 / (1 + 0.01 * 10 / I);  // one implicit step of 10 ms bounds what damping takes off
  EXPECT_LT(world->v(0)[6], v_end);
  EXPECT_GT(world->v(0)[6], a * 0.01);
  run(*world, 10);
  EXPECT_LT(world->q(0)[7], -1.0);
}

TEST(Servo, held_at_its_torque_limit_accelerates_as_torque_over_inertia) {
  // J q̈ = T while kp (target − q) > T: q = T t²/(2 J)
  auto error = [](double h) {
    ServoSpec servo{1000, 0};
    servo.torque = 3;
    SceneSpec s = scene(h);
    add(s, wheel(servo, 0.5), "articulated");
    const auto world = make_world(s);
    world->targets(0)[0] = 100;
    run(*world, 1);
    EXPECT_NEAR(world->v(0)[6], 6, 1e-9);
    return std::fabs(world->q(0)[7] - 3);
  };
  EXPECT_LT(error(0.004), 1e-9);  // constant forces are exact with the mean velocity
}

TEST(Servo, runs_up_to_its_no_load_speed_as_the_torque_speed_curve_says) {
  // J v̇ = T (1 − v/v₀):  v = v₀ (1 − e^{−T t/(J v₀)})
  auto error = [](double h) {
    ServoSpec servo{1e5, 0};
    servo.torque = 3;
    servo.speed = 8;
    SceneSpec s = scene(h);
    add(s, wheel(servo, 0.5), "articulated");
    const auto world = make_world(s);
    world->targets(0)[0] = 1e4;
    double worst = 0;
    while (world->time() < 6) {
      world->step();
      worst = std::max(worst, std::fabs(world->v(0)[6] - 8 * (1 - std::exp(-3 * world->time() / (0.5 * 8)))));
      EXPECT_LE(world->v(0)[6], 8 * (1 + 1e-12));
    }
    EXPECT_NEAR(world->v(0)[6], 8, 0.1);
    return worst;
  };
  expect_order(error, 0.008, 1, 0.1);
}

TEST(Servo, the_torque_speed_curve_is_the_same_backwards) {
  ServoSpec servo{1e5, 0};
  servo.torque = 3;
  servo.speed = 8;
  double v[2];
  for (const int side : {0, 1}) {
    SceneSpec s = scene(0.001);
    add(s, wheel(servo, 0.5), "articulated");
    const auto world = make_world(s);
    world->targets(0)[0] = side ? 1e4 : -1e4;
    run(*world, 1);
    v[side] = world->v(0)[6];
  }
  EXPECT_DOUBLE_EQ(v[0], -v[1]);
}

/// A link of inertia I that spins up: effort 5, speed 1, target far away. The fastest it gets, after the first step.
double fastest_spin(double inertia, double start, double h, double target, double& last) {
  ServoSpec servo{1e4, 0};
  servo.torque = 5;
  servo.speed = 1;
  SceneSpec s = scene(h);
  add(s, wheel(servo, inertia), "articulated");
  const auto world = make_world(s);
  world->targets(0)[0] = target;
  std::vector<double> v(7, 0.0);
  v[6] = start;
  world->set_v(0, v);
  double most = 0;
  world->step();
  while (world->time() < 1) most = std::max(most, std::fabs(world->v(0)[6])), world->step();
  last = world->v(0)[6];
  return most;
}

TEST(Servo, never_drives_a_joint_beyond_its_speed_limit_however_light_it_is) {
  for (const double inertia : {1e-6, 1e-4, 1e-2, 1.0})
    for (const double h : {0.001, 0.005})
      for (const double target : {1e4, -1e4, 0.5}) {
        double last;
        EXPECT_LE(fastest_spin(inertia, 0, h, target, last), 1 + 1e-9) << inertia << ' ' << h << ' ' << target;
        const bool arrives = target != 0.5 && inertia < 1;
        EXPECT_NEAR(std::fabs(last), arrives ? 1 : std::fabs(last), 1e-6) << inertia << ' ' << h;
      }
}

TEST(Servo, beyond_its_speed_limit_brakes_within_its_torque) {
  double last;
  // one implicit step: v⁺ − v₀ = (v − v₀)/(1 + h T/(max(v₀, v − v₀) I))
  EXPECT_LE(fastest_spin(1e-4, 1.1, 0.001, 1e4, last), 1 + 0.1 / 51 + 1e-9);  // was 2209
  EXPECT_NEAR(last, 1, 1e-6);
  EXPECT_LE(fastest_spin(1e-6, -3, 0.001, -1e4, last), 1 + 2.0 / 2501 + 1e-9);  // was 2.5e7
  EXPECT_NEAR(last, -1, 1e-6);
  EXPECT_LE(fastest_spin(1e-2, 10, 0.005, 1e4, last), 10 - 5 * 0.005 / 1e-2 + 0.6);
  EXPECT_NEAR(last, 1, 1e-6);
  fastest_spin(1, 10, 0.001, 1e4, last);  // 5 N m take 5 rad/s from 1 kg m² in a second; the unbounded line took 8.94
  EXPECT_NEAR(last, 5, 0.01);
}

TEST(Friction, stops_a_light_joint_and_never_turns_it_round) {
  // h F/I = 10 rad/s, far above its speed
  RobotBuilder b("wheel");
  b.fixed().base("stand").revolute("axle", {0, 0, 1}).mass(1, {0, 0, 0}, {1e-4, 0, 0, 1e-4, 0, 1e-4});
  RobotSpec spec = b.spec();
  spec.objects[1].friction = 1;
  SceneSpec s = scene(0.001);
  add(s, spec, "articulated");
  const auto world = make_world(s);
  std::vector<double> v(7, 0.0);
  v[6] = 0.5;
  world->set_v(0, v);
  for (int k = 0; k < 1000; ++k) {
    world->step();
    ASSERT_GE(world->v(0)[6], 0);
    ASSERT_LT(world->v(0)[6], 1e-3);
  }
  EXPECT_LT(world->v(0)[6], 1e-9);
}

/// A mass on a vertical slide that ends 0.1 m below its start.
std::unique_ptr<World> slide_above_its_stop(double mass, double h) {
  RobotBuilder b("lift");
  b.fixed().base("rail").prismatic("slide", {0, 0, 1}).solid_box(mass, {0.1, 0.1, 0.1}, {0, 0, 0}).limits(-0.1, 1);
  SceneSpec s = scene(h);
  add(s, b.spec(), "articulated");
  return make_world(s);
}

TEST(Stop, of_a_slide_stops_any_mass_in_the_same_way_and_within_a_millimetre) {
  // Critically damped with ω = 100 rad/s: a fall of 0.1 m goes v₀/(e ω) = 5.2 mm deep, rest is g/ω² = 0.981 mm
  for (const double mass : {0.01, 5.0, 50.0})
    for (const double h : {0.001, 0.005}) {
      const auto world = slide_above_its_stop(mass, h);
      double deepest = 0;
      while (world->time() < 2) world->step(), deepest = std::max(deepest, -0.1 - world->q(0)[7]);
      EXPECT_LT(deepest, std::sqrt(2 * 9.81 * 0.1) / (std::exp(1.0) * 100) + 0.001) << mass << ' ' << h;
      EXPECT_NEAR(-0.1 - world->q(0)[7], 9.81 / (100 * 100), 1e-6) << mass << ' ' << h;
      EXPECT_LT(fastest(*world), 1e-6) << mass << ' ' << h;
    }
}

TEST(Stop, does_not_pull_a_joint_that_leaves_it) {
  const auto world = slide_above_its_stop(0.01, 0.001);
  std::vector<double> q(world->q(0).begin(), world->q(0).end()), v(7, 0.0);
  q[7] = -0.101;
  v[6] = 1;
  world->set_q(0, q);
  world->set_v(0, v);
  world->step();
  EXPECT_NEAR(world->v(0)[6], 1 - 9.81 * 0.001, 1e-9);  // as free; the pulling damper left 0.902
}

TEST(Stop, numbers_of_the_file_win) {
  RobotBuilder b("lift");
  b.fixed().base("rail").prismatic("slide", {0, 0, 1}).solid_box(2, {0.1, 0.1, 0.1}, {0, 0, 0}).limits(-0.1, 1);
  RobotSpec spec = b.spec();
  spec.objects[1].stop_stiffness = 1e4;
  const auto kind = kind_of(spec);
  EXPECT_EQ(kind->joints[0].stop_k, 1e4);
  EXPECT_NEAR(kind->joints[0].stop_d, 2 * std::sqrt(1e4 * 2), 1e-9);
  spec.objects[1].stop_damping = 7;
  EXPECT_EQ(kind_of(spec)->joints[0].stop_d, 7);
}

TEST(Stop, holds_a_load_beyond_the_limit_by_load_over_stiffness) {
  RobotBuilder b("lift");
  b.fixed().base("rail").prismatic("slide", {0, 0, 1}).solid_box(1, {0.1, 0.1, 0.1}, {0, 0, 0}).limits(-0.2, 0.2);
  SceneSpec s = scene(0.001);
  add(s, b.spec(), "articulated");
  const auto world = make_world(s);
  run(*world, 4);
  const double k = world->model().robots[0].kind->joints[0].stop_k;
  EXPECT_LT(fastest(*world), 1e-6);
  EXPECT_NEAR(world->q(0)[7], -0.2 - 9.81 / k, 1e-7);
}

TEST(Friction, of_a_joint_slows_a_wheel_at_a_constant_rate) {
  // J v̇ = −F: v = v₀ − F t/J until it stops, and stays stopped
  RobotBuilder b("wheel");
  b.fixed().base("stand").revolute("axle", {0, 0, 1}).mass(1, {0, 0, 0}, {0.5, 0, 0, 0.5, 0, 0.5});
  RobotSpec spec = b.spec();
  spec.objects[1].friction = 0.2;
  SceneSpec s = scene(0.001);
  add(s, spec, "articulated");
  const auto world = make_world(s);
  std::vector<double> v(7, 0.0);
  v[6] = 2;
  world->set_v(0, v);
  run(*world, 3);
  EXPECT_NEAR(world->v(0)[6], 2 - 0.2 * 3 / 0.5, 1e-9);
  run(*world, 4);
  EXPECT_LT(std::fabs(world->v(0)[6]), 1e-9);
}

TEST(Mimic, joint_follows_the_other_one_by_its_multiplier_and_offset) {
  for (const char* motion : {"articulated", "prescribed_joints"}) {
    RobotBuilder b("pair");
    b.fixed()
        .base("stand")
        .fork("split")
        .revolute("one", {0, 0, 1})
        .mass(1, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1})
        .servo({50, 5});
    b.after("split").revolute("two", {0, 0, 1}).mass(1, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}).servo({50, 5});
    RobotSpec spec = b.spec();
    spec.objects.back().mimic = MimicSpec{"one", -2, 0.1};
    SceneSpec s = scene(0.001);
    add(s, spec, motion);
    const auto world = make_world(s);
    world->targets(0)[0] = 0.3;
    world->targets(0)[1] = 5;  // of no effect: it has a master
    run(*world, 5);
    EXPECT_NEAR(world->q(0)[7], 0.3, 1e-9) << motion;
    EXPECT_NEAR(world->q(0)[8], -2 * 0.3 + 0.1, 1e-6) << motion;
  }
}

TEST(StaticTorque, of_a_resting_arm_is_the_slope_of_its_potential_energy) {
  // τ_j = ∂V/∂q_j
  const auto kind = kind_of(fixed_arm());
  SceneSpec s = scene(0.001);
  add(s, fixed_arm(), "articulated");
  const auto world = make_world(s);
  TreeScratch scratch(*kind);
  Random random(4);
  for (int k = 0; k < 100; ++k) {
    RandomState state = random_state(*kind, random);
    const std::vector<double> none(state.v.size(), 0.0);
    std::vector<double> tau(state.v.size());
    inverse_dynamics(*kind, state.q.data(), none.data(), none.data(), s.gravity, scratch, tau.data());
    for (std::size_t j = 7; j < state.q.size(); ++j) {
      std::vector<double> q = state.q;
      auto energy = [&](double by) {
        q[j] = state.q[j] + by;
        world->set_q(0, q);
        return world->energy(0);
      };
      const double slope = (energy(1e-5) - energy(-1e-5)) / 2e-5;
      ASSERT_NEAR(tau[j - 1], slope, 1e-6 * (1 + std::fabs(slope)));
    }
  }
}

}  // namespace
}  // namespace gradus::test

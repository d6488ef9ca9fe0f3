/// Actuator chains in a robot: coupled through the articulated-body recursion as a single chain on a flywheel is,
/// stable for the parameter sets of facts nao.md 4.4, and one motor on two joints.
#include <gtest/gtest.h>

#include <cmath>

#include "load/robot_toml.h"
#include "support/dense.h"
#include "support/robots.h"
#include "tree/kernels.h"

namespace gradus::test {
namespace {

constexpr double kDegree = 0.017453292519943295;

DriveSpec knee(double play_degrees = 0) {
  DriveSpec d;
  d.controller.kp = 319.5;
  d.controller.limit = 21.6;
  d.controller.stiffness = 0.7;
  d.motor = {6.44, 0.309e-3, 0.01938, 0.01938, 4.2e-7};
  d.friction.viscous = 0.223;
  d.gear.ratio = 130.85;
  if (play_degrees > 0) {
    d.gear.model = GearModel::elastic;
    d.gear.play = play_degrees * kDegree;
    d.gear.stiffness = 1500;
    d.gear.damping = 2;
  }
  return d;
}

DriveSpec motoflex(bool damped) {
  DriveSpec d = knee();
  d.controller.ki = 14.18586;
  d.controller.kd = 0.1635552;
  d.controller.error_rate = true;
  d.motor.back_emf = 0;
  d.motor.inertia = 0;
  d.friction.viscous = damped ? 0.05346126 : 0.03882954;
  d.friction.coulomb = damped ? 1.661701 : 0.7915588;
  d.gear.model = GearModel::motoflex;
  d.gear.ratio = damped ? 201.3 : 130.85;
  d.gear.inertia = damped ? 1.080835e-3 : 1.103733e-3;
  d.gear.stiffness = damped ? 6130811.0 : 17995220.0;
  d.gear.damping = damped ? 84.36548 : 0.108967;
  d.gear.play = damped ? 1.301046e-5 : 1.050896e-5;
  return d;
}

RobotSpec with_drives(RobotSpec robot, const DriveSpec& drive) {
  for (ObjectSpec& o : robot.objects)
    if (o.kind == ObjectKind::revolute) o.drive = drive;
  return robot;
}

RobotSpec arm(const DriveSpec& d) {  // 0.8 kg at 0.1 m, turning about −y: positive angles lift it
  RobotBuilder b("arm");
  b.fixed().base("post").revolute("shoulder", {0, -1, 0}).solid_box(0.8, {0.2, 0.04, 0.04}, {0.1, 0, 0}).drive(d);
  return b.spec();
}

TEST(ChainInRobot, arm_rests_where_gains_play_and_teeth_put_it) {
  for (const double play : {0.0, 1.4}) {
    SceneSpec s = scene(0.001);
    const DriveSpec d = knee(play);
    add(s, arm(d), "articulated");
    const auto world = make_world(s);
    world->targets(0)[0] = 0.4;
    run(*world, 4);
    const double q = world->q(0)[7], load = 0.8 * 9.81 * 0.1 * std::cos(q);
    EXPECT_LT(fastest(*world), 1e-9);
    EXPECT_NEAR(0.4 - q, load / (0.7 * d.torque_gain() * 319.5), 1e-7);
    EXPECT_NEAR(world->tau(0)[0], load, 1e-6);
    EXPECT_NEAR(world->motor_angle(0, 0) - q, play > 0 ? 0.5 * play * kDegree + load / 1500 : 0, 1e-7);
    OutputRoom room;
    EXPECT_NEAR(world->output(0, room).q_motor[0], world->motor_angle(0, 0), 0);
    EXPECT_NEAR(world->output(0, room).current[0], load / (0.01938 * 130.85), 1e-6);
    EXPECT_NEAR(world->output(0, room).voltage[0], 6.44 * load / (0.01938 * 130.85), 1e-5);  // at rest U = R i
  }
}

TEST(ChainInRobot, every_parameter_set_stands_and_swings_at_1_2_and_5_ms) {
  // humanoid28 on the ground: targets swing; then it must come to rest, not shake
  std::vector<DriveSpec> sets = {knee(), knee(1.0), knee(1.4), motoflex(true), motoflex(false)};
  sets.push_back(knee(1.4));
  sets.back().gear.stiffness = 6e6;
  sets.back().gear.damping = 0;
  for (std::size_t k = 0; k < sets.size(); ++k)
    for (const double h : {0.001, 0.002, 0.005}) {
      SceneSpec s = scene(h);
      add_ground(s);
      add(s, with_drives(humanoid28(), sets[k]), "articulated", {0, 0, kHumanoid28Height});
      const auto world = make_world(s);
      const RobotKind& kind = *world->model().robots[0].kind;
      double most = 0;
      for (int i = 0; i * h < 2; ++i) {
        for (int j = 0; j < kind.njoint(); ++j)
          world->targets(0)[static_cast<std::size_t>(j)] = kind.joints[static_cast<std::size_t>(j)].initial +
                                                           (i * h < 1 && static_cast<int>(i * h / 0.1) % 2 ? 0.05 : 0);
        world->step();
        most = std::max(most, fastest(*world));
      }
      EXPECT_EQ(world->report().not_finite, -1) << k << " " << h;
      EXPECT_LT(most, 30) << k << " " << h;  // falling over is allowed, exploding is not
    }
}

/// The piece is guessed from the last step: play at every joint costs hardly a second prediction. Guessed from the
/// present speed alone it took 1.5.
TEST(ChainInRobot, a_standing_nao_with_play_is_predicted_once_a_step) {
  auto robot = load_robot(GRADUS_SOURCE_DIR "/robots/nao_h25_v6.toml");
  ASSERT_TRUE(robot);
  for (ObjectSpec& o : robot->objects)
    if (o.drive) o.drive->gear = knee(1.4).gear;
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, *robot, "articulated").on_ground = true;
  const auto world = make_world(s);
  run(*world, 1);
  const std::int64_t before = world->report().predictions;
  run(*world, 2);
  EXPECT_LT(static_cast<double>(world->report().predictions - before), 1.15 * 2000);
  EXPECT_LT(world->report().unsettled, 10);
}

// The servo that stands for a chain at other levels must be silent where the chain is: beyond its no-load speed it would brake.
TEST(ChainInRobot, a_released_joint_faster_than_its_motor_ever_turns_it_keeps_its_speed) {
  SceneSpec s = scene(0.001);
  s.gravity = {0, 0, 0};
  DriveSpec d = knee();
  d.friction.viscous = 0;
  add(s, arm(d), "articulated");
  const auto world = make_world(s);
  world->stiffness(0)[0] = 0;
  std::vector<double> v(world->v(0).begin(), world->v(0).end());
  v[6] = 40;  // its motor's no-load speed is 21.6/(0.01938 · 130.85) = 8.5 rad/s
  world->set_v(0, v);
  for (int i = 0; i < 200; ++i) {
    world->step();
    ASSERT_NEAR(world->v(0)[6], 40, 1e-6) << i;
  }
}

TEST(ChainInRobot, energy_falls_when_nothing_drives) {
  // released motors, no gravity: what rotors, teeth and links have can only become less
  for (const double h : {0.001, 0.005}) {
    SceneSpec s = scene(h);
    s.gravity = {0, 0, 0};
    RobotSpec robot = with_drives(fixed_arm(), knee(1.4));
    add(s, robot, "articulated");
    const auto world = make_world(s);
    for (double& x : world->stiffness(0)) x = 0;
    std::vector<double> v(world->v(0).begin(), world->v(0).end());
    for (std::size_t i = 6; i < v.size(); ++i) v[i] = 1 + 0.3 * static_cast<double>(i);
    world->set_v(0, v);
    double before = world->energy(0) + world->drive_energy(0);
    EXPECT_GT(before, 0.01);
    for (int i = 0; i < 400; ++i) {
      world->step();
      const double now = world->energy(0) + world->drive_energy(0);
      ASSERT_LT(now, before * (1 + 2e-2 * (h / 0.005))) << i;  // velocity products are of first order in h
      before = now;
    }
  }
}

TEST(ChainInRobot, snapshot_goes_on_with_the_same_bits_and_levels_can_change) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  DriveSpec d = knee(1.4);
  d.delay = 0.0056;
  add(s, with_drives(humanoid28(), d), "articulated", {0, 0, kHumanoid28Height});
  const auto a = make_world(s), b = make_world(s);
  auto swing = [](World& w) {
    w.targets(0)[4] = 0.01 * static_cast<double>(w.k() % 40);
    w.step();
  };
  for (int i = 0; i < 150; ++i) swing(*a);
  ASSERT_TRUE(b->restore(a->snapshot()));
  for (int i = 0; i < 100; ++i) swing(*a), swing(*b);
  EXPECT_EQ(a->hash(), b->hash());
  ASSERT_TRUE(a->set_motion(0, "single_body").empty());
  run(*a, 0.1);
  EXPECT_EQ(a->motor_angle(0, 3), a->q(0)[10]);  // rotors go with the joints where there are no drives
  ASSERT_TRUE(a->set_motion(0, "articulated").empty());
  run(*a, 0.1);
  EXPECT_LT(fastest(*a), 5);
}

TEST(ChainInRobot, delay_is_the_lag_of_a_joint_that_follows_at_once) {
  DriveSpec d;
  d.controller.kp = 1e7;  // the joint is where the delayed command was
  d.delay = 0.0256;
  SceneSpec s = scene(0.001);
  s.gravity = {0, 0, 0};
  add(s, arm(d), "articulated");
  const auto world = make_world(s);
  for (int i = 0; i < 200; ++i) {
    world->targets(0)[0] = 0.001 * static_cast<double>(world->k());
    world->step();
  }
  // command of step k holds during it: at its end the delayed ramp's mean is (k − 25.6) steps
  EXPECT_NEAR(world->q(0)[7], 0.001 * (199 - 25.6), 1e-6);
}

/// Reduced equations with dense matrices: v = G w drops the follower's column into the leader's.
std::vector<double> reduced_accelerations(const RobotKind& kind, const World& world, const std::vector<double>& tau,
                                          Vec3 gravity) {
  const auto n = static_cast<std::size_t>(kind.nv());
  TreeScratch scratch(kind);
  Dense M(kind.nv());
  std::vector<double> bias(n), none(n, 0.0);
  mass_matrix(kind, world.q(0).data(), scratch, M.m.data());
  inverse_dynamics(kind, world.q(0).data(), world.v(0).data(), none.data(), gravity, scratch, bias.data());
  int follower = 0, leader = 0;
  double m = 0;
  for (int j = 0; j < kind.njoint(); ++j) {
    const Joint& joint = kind.joints[static_cast<std::size_t>(j)];
    if (joint.shared) follower = 6 + j, leader = 6 + joint.mimic_of, m = joint.mimic_multiplier;
  }
  // fold row and column of the follower into the leader's, then make the follower's own trivial
  std::vector<double> f(n);
  for (std::size_t i = 0; i < n; ++i) f[i] = tau[i] - bias[i];
  f[static_cast<std::size_t>(leader)] += m * f[static_cast<std::size_t>(follower)];
  f[static_cast<std::size_t>(follower)] = 0;
  for (int i = 0; i < kind.nv(); ++i) M(i, leader) += m * M(i, follower);
  for (int i = 0; i < kind.nv(); ++i) M(leader, i) += m * M(follower, i);
  for (int i = 0; i < kind.nv(); ++i) M(i, follower) = M(follower, i) = 0;
  M(follower, follower) = 1;
  std::vector<double> a = solve(M, f);
  a[static_cast<std::size_t>(follower)] = m * a[static_cast<std::size_t>(leader)];
  return a;
}

TEST(SharedMotor, one_coordinate_with_two_columns_is_the_reduced_equation_of_motion) {
  for (const bool right_leads : {false, true})
    for (const double multiplier : {1.0, -1.7}) {
      const RobotSpec spec = two_legs(multiplier, right_leads);
      const double h = 1e-9;  // implicit terms vanish
      SceneSpec s = scene(h);
      add(s, spec, "articulated");
      const auto world = make_world(s);
      const RobotKind& kind = *world->model().robots[0].kind;
      Random random(5);
      for (int k = 0; k < 20; ++k) {
        RandomState state = random_state(kind, random);
        for (int j = 0; j < kind.njoint(); ++j) {
          const Joint& joint = kind.joints[static_cast<std::size_t>(j)];
          if (!joint.shared) continue;
          state.q[static_cast<std::size_t>(7 + j)] =
              multiplier * state.q[static_cast<std::size_t>(7 + joint.mimic_of)] + 0.1;
          state.v[static_cast<std::size_t>(6 + j)] = multiplier * state.v[static_cast<std::size_t>(6 + joint.mimic_of)];
        }
        world->set_q(0, state.q);
        world->set_v(0, state.v);
        std::vector<double> tau(state.v.size(), 0.0);
        for (int j = 0; j < kind.njoint(); ++j) {
          const auto u = static_cast<std::size_t>(j);
          world->targets(0)[u] = random.in(-1, 1);
          if (!kind.joints[u].shared) tau[6 + u] = 20 * (world->targets(0)[u] - state.q[7 + u]);
        }
        const std::vector<double> want = reduced_accelerations(kind, *world, tau, s.gravity);
        world->step();
        for (std::size_t i = 0; i < want.size(); ++i) {
          const double got = (world->v(0)[i] - state.v[i]) / h;
          ASSERT_NEAR(got, want[i], 1e-5 * (1 + std::fabs(want[i]) + std::fabs(state.v[i]))) << i;
        }
      }
    }
}

TEST(SharedMotor, impulses_answer_as_the_constrained_robot) {
  // momentum given by an impulse is the impulse, and the shared joints keep their ratio
  SceneSpec s = scene(1e-5);
  s.gravity = {0, 0, 0};
  add(s, two_legs(-1.7, false), "articulated");
  const auto world = make_world(s);
  const RobotKind& kind = *world->model().robots[0].kind;
  world->add_impulse({0, kind.find_joint("r_knee") + 1, {0, 0, -0.05}, {0.3, -0.2, 0.1}});
  world->step();
  const Vec6 p = world->momentum(0);
  EXPECT_NEAR(p.l.x, 0.3, 1e-3);
  EXPECT_NEAR(p.l.y, -0.2, 1e-3);
  EXPECT_NEAR(p.l.z, 0.1, 1e-3);
  const auto l = static_cast<std::size_t>(6 + kind.find_joint("l_hyp")),
             r = static_cast<std::size_t>(6 + kind.find_joint("r_hyp"));
  EXPECT_GT(std::fabs(world->v(0)[l]), 1e-3);
  EXPECT_DOUBLE_EQ(world->v(0)[r], -1.7 * world->v(0)[l]);
}

TEST(SharedMotor, a_chain_drives_both_joints) {
  for (const double play : {0.0, 1.4}) {  // with play: one rotor, two links, held by the encoder on the rotor
    RobotSpec spec = two_legs(1, false);
    for (ObjectSpec& o : spec.objects)
      if (o.is_joint()) {
        o.drive = knee(play);
        o.drive->controller.motor_side = play > 0;
      }
    SceneSpec s = scene(0.001);
    s.gravity = {0, 0, 0};
    add(s, spec, "articulated");
    const auto world = make_world(s);
    const RobotKind& kind = *world->model().robots[0].kind;
    const auto l = static_cast<std::size_t>(kind.find_joint("l_hyp")),
               r = static_cast<std::size_t>(kind.find_joint("r_hyp"));
    world->targets(0)[l] = 0.3;
    world->targets(0)[r] = -5;  // of no effect
    run(*world, 3);
    EXPECT_NEAR(world->motor_angle(0, static_cast<int>(l)), 0.3, 1e-3);
    EXPECT_NEAR(world->q(0)[7 + l], 0.3, 1e-3 + 0.5 * play * kDegree);
    EXPECT_EQ(world->q(0)[7 + r], world->q(0)[7 + l] + 0.1);
  }
}

}  // namespace
}  // namespace gradus::test

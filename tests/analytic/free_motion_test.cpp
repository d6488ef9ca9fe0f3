/// Free flight against closed forms.
#include <gtest/gtest.h>

#include "support/order.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

class FreeFall : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Motions, FreeFall,
                         testing::Values("free_body", "single_body", "prescribed_joints", "articulated"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(FreeFall, follows_the_parabola_to_a_nanometre_over_ten_seconds) {
  // p = p₀ + v₀ t + g t²/2: the mean-velocity rule is exact for it, whatever the step.
  for (const double h : {0.001, 0.005}) {
    SceneSpec s = scene(h);
    auto& r = add(s, solid_box(10, {0.1, 0.4, 0.9}), GetParam(), {1, 2, 3});
    r.v_WB = {-2, 2, 8};
    const auto world = make_world(s);
    run(*world, 10);
    const double t = world->time();
    const Vec3 want = Vec3{1, 2, 3} + Vec3{-2, 2, 8} * t + Vec3{0, 0, -9.81} * (0.5 * t * t);
    EXPECT_LT(norm(base_at(*world) - want), 1e-9) << "h " << h;
    EXPECT_LT(norm(base_velocity_of(*world) - Vec3{-2, 2, 8 - 9.81 * t}), 1e-10);
  }
}

/// A rotation stays one: 20,000 steps of a fast spin leave the quaternion's length at 1 to rounding, at every level.
TEST_P(FreeFall, the_orientation_stays_a_unit_quaternion) {
  SceneSpec s = scene(0.001);
  auto& r = add(s, solid_box(10, {0.1, 0.4, 0.9}), GetParam(), {0, 0, 0});
  r.w_WB = {3, 40, -7};
  const auto world = make_world(s);
  double worst = 0;
  for (int k = 0; k < 20000; ++k) {
    world->step();
    const Quat q = base_orientation(world->q(0).data());
    worst = std::max(worst, std::fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1));
  }
  EXPECT_LT(worst, 1e-14);
}

/// The complex case of the Gazebo "boxes" benchmark [facts/legged.md 1.5]: a box that tumbles while it flies.
struct Tumble {
  double dH = 0, dE = 0,
         dp = 0;  // largest relative change of angular momentum and energy; distance from the parabola [m]
};

Tumble tumble(const char* motion, double h, double seconds = 10) {
  SceneSpec s = scene(h);
  s.gravity = {0, 0, -9.8};
  auto& r = add(s, solid_box(10, {0.1, 0.4, 0.9}), motion, {0, 0, 0});
  r.v_WB = {-2, 2, 8};
  r.w_WB = {0.1, 5, 0.1};
  const auto world = make_world(s);
  auto spin = [&] {  // about the centre of mass
    const Vec6 m = world->momentum(0);
    return m.a - cross(world->centre_of_mass(0), m.l);
  };
  const Vec3 H0 = spin();
  const double E0 = world->energy(0);
  Tumble out;
  while (world->time() < seconds - h / 2) {
    world->step();
    const double t = world->time();
    out.dH = std::max(out.dH, norm(spin() - H0) / norm(H0));
    out.dE = std::max(out.dE, std::fabs(world->energy(0) - E0) / E0);
    out.dp = std::max(out.dp, norm(world->centre_of_mass(0) - (Vec3{-2, 2, 8} * t + Vec3{0, 0, -4.9} * (t * t))));
  }
  return out;
}

class TumblingBox : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Motions, TumblingBox, testing::Values("free_body", "single_body"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(TumblingBox, keeps_energy_and_angular_momentum_better_than_every_first_order_engine) {
  const Tumble t = tumble(GetParam(), 0.001);
  std::printf("  %s, 1 ms: dH/H %.2e  dE/E %.2e  dp %.2e m\n", GetParam(), t.dH, t.dE, t.dp);
  EXPECT_LT(t.dH, 1e-11);  // the best first-order row: 1.2e-2; ours is exact to rounding
  EXPECT_LT(t.dE, 1e-5);   // the best first-order row: 1.0e-2
  EXPECT_LT(t.dp, 1e-9);
}

TEST_P(TumblingBox, energy_error_falls_at_second_order) {
  expect_order([](double h) { return tumble(GetParam(), h).dE; }, 0.004, 2, 1e-4);
}

TEST(TumblingBox, turns_as_euler_s_equations_say) {
  // J ẇ = (J w) × w in body axes, solved here by Runge and Kutta's rule with a step of 10 µs: a wrong sign of the
  // gyroscopic term keeps energy and momentum of a symmetric body but turns this one the other way.
  SceneSpec s = scene(0.0005);
  s.gravity = {0, 0, 0};
  auto& r = add(s, solid_box(10, {0.1, 0.4, 0.9}), "free_body");
  r.w_WB = {0.1, 5, 0.1};
  const auto world = make_world(s);
  run(*world, 3);
  const Sym3 J = inertia_of_box(10, {0.1, 0.4, 0.9});
  auto rate = [&](Vec3 w) {
    const Vec3 m = cross(J * w, w);
    return Vec3{m.x / J.xx, m.y / J.yy, m.z / J.zz};
  };
  Vec3 w{0.1, 5, 0.1};
  const double dt = 1e-5;
  for (int k = 0; k < 300000; ++k) {
    const Vec3 a = rate(w), b = rate(w + a * (dt / 2)), c = rate(w + b * (dt / 2)), d = rate(w + c * dt);
    w += (a + (b + c) * 2.0 + d) * (dt / 6);
  }
  OutputRoom room;
  const RobotOutput out = world->output(0, room);
  EXPECT_LT(norm(out.gyro - w) / norm(w), 2e-5);
  EXPECT_GT(norm(w - Vec3{0.1, 5, 0.1}), 0.5);  // it did tumble
}

TEST_P(FreeFall, a_held_push_accelerates_by_force_over_mass_and_turns_by_its_moment) {
  // m v = F t;  J w = (p × F) t for small angles, whatever the level
  SceneSpec s = scene(0.001);
  s.gravity = {0, 0, 0};
  add(s, solid_box(2, {0.1, 0.4, 0.9}), GetParam());
  const auto world = make_world(s);
  const Vec3 F{0.03, -0.02, 0.05}, p{0.02, 0.1, -0.2};
  world->set_push(0, 0, F, p);
  run(*world, 0.1);
  const Sym3 J = inertia_of_box(2, {0.1, 0.4, 0.9});
  const Vec3 m = cross(p, F) * 0.1, w{m.x / J.xx, m.y / J.yy, m.z / J.zz};
  EXPECT_LT(norm(base_velocity_of(*world) - F * (0.1 / 2)), 1e-12);
  EXPECT_LT(norm(base_angular_velocity(world->v(0).data()) - w), 1e-3 * norm(w));
  world->set_push(0, -1, {0, 0, 0}, {0, 0, 0});
  const Vec3 v = base_velocity_of(*world);
  run(*world, 0.1);
  EXPECT_LT(norm(base_velocity_of(*world) - v), 1e-12);
}

/// A humanoid thrown with its arms and legs moving: no outer force but gravity.
double flight_drift(const char* motion, double h, bool angular) {
  SceneSpec s = scene(h);
  auto& r = add(s, humanoid28(), motion, {0, 0, 10});
  r.v_WB = {1, 0.5, 3};
  r.w_WB = {1, 2, -1};
  const auto world = make_world(s);
  const Vec3 c0 = world->centre_of_mass(0);
  const Vec6 m0 = world->momentum(0);
  const double mass = world->model().robots[0].kind->mass;
  const Vec3 L0 = m0.a - cross(c0, m0.l);
  for (double& t : world->targets(0)) t += 0.3;
  run(*world, 0.4);
  const double t = world->time();
  if (angular) {
    const Vec6 m = world->momentum(0);
    return norm(m.a - cross(world->centre_of_mass(0), m.l) - L0) / norm(L0);
  }
  const Vec3 want = c0 + m0.l * (t / mass) + world->model().gravity * (0.5 * t * t);
  return norm(world->centre_of_mass(0) - want);
}

TEST(Flight, centre_of_mass_and_angular_momentum_of_a_moving_humanoid_are_exact) {
  for (const char* motion : {"articulated", "prescribed_joints"})
    for (const double h : {0.001, 0.005}) {
      EXPECT_LT(flight_drift(motion, h, false), 1e-11) << motion << h;
      EXPECT_LT(flight_drift(motion, h, true), 1e-12) << motion << h;
    }
}

TEST(Flight, a_body_that_turns_about_its_middle_axis_keeps_energy_and_momentum_for_a_minute) {
  for (const char* motion : {"articulated", "prescribed_joints", "single_body"}) {
    SceneSpec s = scene(0.001);
    s.gravity = {0, 0, 0};
    add(s, solid_box(1, {0.3, 0.2, 0.05}), motion).w_WB = {1e-3, 10, 1e-3};
    const auto world = make_world(s);
    const double E = world->energy(0);
    const Vec3 L = world->momentum(0).a;
    double energy = 0, momentum = 0;
    while (world->time() < 60) {
      world->step();
      energy = std::max(energy, std::fabs(world->energy(0) / E - 1));
      momentum = std::max(momentum, norm(world->momentum(0).a - L) / norm(L));
    }
    EXPECT_LT(energy, 2e-5) << motion;  // was 0.3 at level articulated
    EXPECT_LT(momentum, 1e-12) << motion;
  }
}

/// Error of a tree's coordinates after 0.4 s against a step 80 times finer: joints that no stiff drive rules.
TEST(Flight, of_a_limp_tree_is_of_second_order) {
  auto end = [](double h) {
    SceneSpec s = scene(h);
    add(s, random_tree(3), "articulated", {0, 0, 50}).w_WB = {1, 2, 3};
    const auto world = make_world(s);
    while (world->k() < std::lround(0.4 / h)) world->step();
    return std::vector<double>(world->q(0).begin(), world->q(0).end());
  };
  const auto fine = end(0.00005);
  expect_order(
      [&](double h) {
        const auto q = end(h);
        double worst = 0;
        for (std::size_t i = 0; i < q.size(); ++i) worst = std::max(worst, std::fabs(q[i] - fine[i]));
        return worst;
      },
      0.004, 2, 1e-3);
}

}  // namespace
}  // namespace gradus::test

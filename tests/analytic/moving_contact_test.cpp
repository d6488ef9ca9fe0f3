/// Contacts between moving bodies in the whole step: momentum, restitution, stacks, mass ratios, robots on robots, on
/// loose things and on themselves. Long runs and tables: tests/programs/contact_figures.cpp, docs/couple.md.
#include <gtest/gtest.h>

#include "support/contact_scenes.h"

namespace gradus::test {
namespace {

constexpr double kSteps[] = {0.001, 0.002, 0.005};

SceneSpec empty_space(double h, double e) {
  SceneSpec s = scene(h);
  s.gravity = {0, 0, 0};
  s.contact.restitution = e;
  s.contact.friction = 0.3;
  return s;
}

/// Oblique spheres with spin and friction, and boxes face to face.
TEST(Collision, of_free_bodies_conserves_momentum_and_has_its_restitution) {
  for (const double h : kSteps)
    for (const bool boxes : {false, true})
      for (const double e : {0.0, 0.5, 1.0}) {
        SceneSpec s = empty_space(h, e);
        if (boxes) {
          add(s, solid_box(0.5, {0.2, 0.2, 0.2}, 0.3), "free_body", {-0.3, 0, 0}).v_WB = {2, 0, 0};
          add(s, solid_box(2, {0.3, 0.2, 0.24}, 0.3), "free_body", {0.3, 0, 0}).v_WB = {-1, 0, 0};
        } else {
          add(s, solid_ball(0.5, 0.1, 0.3), "free_body", {-0.3, 0, 0}).v_WB = {2, 0, 0};
          s.robots[0].w_WB = {0, 0, 20};
          add(s, solid_ball(2, 0.15, 0.3), "free_body", {0.3, 0.06, 0}).v_WB = {-1, 0, 0};
        }
        const auto world = make_world(s);
        const Vec6 before = momentum_at(*world, all_q(*world), all_v(*world));
        Vec3 n{0, 0, 0};
        for (int i = 0; i < static_cast<int>(0.5 / h); ++i) {
          const Vec3 normal = world->engine().moving_contacts().contacts().empty() ? n : world->engine().moving_contacts().contacts()[0].normal,
                     v = base_velocity_of(*world, 0);
          world->step();
          if (norm(n) == 0 && norm(base_velocity_of(*world, 0) - v) > 0.1) n = normal;  // of the first step that acted
        }
        ASSERT_GT(norm(n), 0) << "they never met";
        const Vec6 after = momentum_at(*world, all_q(*world), all_v(*world));
        EXPECT_LT(norm(after.l - before.l), 1e-12 * (1 + norm(before.l))) << h << boxes << e;
        EXPECT_LT(norm(after.a - before.a), 1e-12 * (1 + norm(before.a))) << h << boxes << e;
        const double measured =
            -dot(base_velocity_of(*world, 0) - base_velocity_of(*world, 1), n) / dot(Vec3{3, 0, 0}, n);
        EXPECT_NEAR(measured, e, e > 0 ? 1e-4 : 0.1) << h << boxes;  // e = 0 leaves the rebound of spring and damper
      }
}

/// The robot's own integrator drifts in first order, so the coupling is judged at the configuration in which it acts:
/// with the contact and without it, momentum after the step is the same.
/// Impacts and resting contacts of robots that do not touch the static world belong to the balance of the flight.
double momentum_lost(const std::string& motion, double h, double e) {
  SceneSpec s = empty_space(h, e);
  add(s, humanoid28(), motion);
  add(s, solid_ball(0.5, 0.05, 0.4), "free_body", {0.5, -0.05, -0.25}).v_WB = {-3, 0, 0};
  const auto world = make_world(s);
  const Vec6 before = momentum_at(*world, all_q(*world), all_v(*world));
  run(*world, 0.4);
  const Vec6 after = momentum_at(*world, all_q(*world), all_v(*world));
  EXPECT_GT(base_velocity_of(*world, 1).x, -2.9) << "they never met: " << motion << h << e;
  return norm(after.l - before.l) / norm(before.l) + norm(after.a - before.a) / (1 + norm(before.a));
}

TEST(Collision, of_a_ball_with_a_robot_conserves_momentum) {
  for (const std::string motion : {"prescribed_joints", "articulated"})
    for (const double h : kSteps) {
      EXPECT_LT(momentum_lost(motion, h, 1), 1e-12) << motion << h;
      EXPECT_LT(momentum_lost(motion, h, 0), 1e-12) << motion << h;
    }
}

/// One rigid body keeps its momentum exactly, so here the whole flight is judged.
TEST(Collision, of_a_ball_with_a_robot_as_one_body_conserves_momentum) {
  for (const double h : kSteps)
    for (const double e : {0.0, 1.0}) {
      SceneSpec s = empty_space(h, e);
      add(s, humanoid28(), "single_body");
      add(s, solid_ball(0.5, 0.05, 0.4), "free_body", {0.5, -0.05, -0.25}).v_WB = {-3, 0, 0};
      const auto world = make_world(s);
      const Vec6 before = momentum_at(*world, all_q(*world), all_v(*world));
      run(*world, 0.4);
      const Vec6 after = momentum_at(*world, all_q(*world), all_v(*world));
      EXPECT_GT(norm(base_velocity_of(*world, 0)), 0.01) << "they never met";
      EXPECT_LT(norm(after.l - before.l), 1e-12 * (1 + norm(before.l))) << h << e;
      EXPECT_LT(norm(after.a - before.a), 1e-12 * (1 + norm(before.a))) << h << e;
    }
}

TEST(Collision, with_a_kinematic_robot_is_one_with_an_infinite_mass) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, humanoid28(), "kinematic_walk", {0, 0, kHumanoid28Height});
  add(s, solid_ball(0.5, 0.05, 0), "free_body", {0.5, 0, kHumanoid28Height + 0.05}).v_WB = {-3, 0, 0};
  s.contact.restitution = 1;
  const auto world = make_world(s);
  run(*world, 0.2);
  EXPECT_NEAR(base_velocity_of(*world, 1).x, 3, 1e-6);
  EXPECT_NEAR(world->q(0)[0], 0, 1e-12);
}

TEST(Stack, of_ten_boxes_rests) {
  for (const double h : kSteps) {
    const auto world = make_world(stack_of(10, h));
    run(*world, 1);
    const Vec3 top = base_at(*world, 9);
    run(*world, 3);
    EXPECT_LT(norm(base_at(*world, 9) - top), 1e-4) << h;
    for (int i = 0; i < 10; ++i) EXPECT_LT(norm(base_velocity_of(*world, i)), 1e-4) << h;
    EXPECT_EQ(world->report().coupling.dropped, 0);
  }
}

TEST(MassRatio, a_gram_carries_a_ton) {
  for (const double h : kSteps) {
    const auto world = make_world(gram_under_ton(h));
    const Watched w = watch(*world, 2);
    EXPECT_LT(w.deepest, 4e-5) << h;  // static: 9810 N on four contacts of 1e8 N/m
    EXPECT_LT(w.end, 1e-4) << h;
    EXPECT_NEAR(base_at(*world, 0).z, 0.05, 1e-4) << h;
  }
}

/// Depth is load / k; nothing shakes, nothing explodes.
TEST(Robots, lean_fall_stand_and_fold_their_arms_at_every_step_and_stiffness) {
  for (const RobotScene& s : robot_scenes())
    for (const double k : {2e4, 1e6})
      for (const double h : {0.001, 0.005}) {
        const auto world = make_world(s.make(h, k));
        if (s.start) s.start(*world);
        const Watched w = watch(*world, 1);
        std::printf("  %-24s k %.0e %g ms: deepest %.2f mm, top %.2f, end %.1e m/s, %d contacts\n", s.name, k, h * 1e3,
                    w.deepest * 1e3, w.top, w.end, w.contacts);
        EXPECT_TRUE(w.finite) << s.name;
        EXPECT_LT(w.top, 10) << s.name;
        EXPECT_GT(w.contacts, 0) << s.name;
        EXPECT_LT(w.deepest, k < 1e5 ? 0.025 : 0.003) << s.name;
        EXPECT_EQ(world->report().coupling.dropped, 0) << s.name;
      }
}

TEST(SelfContact, conserves_momentum_and_stops_the_arms) {
  SceneSpec s = empty_space(0.001, 0);
  add(s, humanoid28(), "articulated").self_contact = true;
  const auto world = make_world(s);
  robot_scenes().back().start(*world);
  const Vec6 before = momentum_at(*world, all_q(*world), all_v(*world));
  bool touched = false;
  for (int i = 0; i < 400; ++i) {
    touched |= !world->engine().moving_contacts().contacts().empty();
    world->step();
    const Vec6 now = momentum_at(*world, all_q(*world), all_v(*world));
    ASSERT_LT(norm(now.l - before.l) + norm(now.a - before.a), 1e-11) << i;
  }
  EXPECT_TRUE(touched);
}

TEST(SelfContact, says_which_pairs_overlap_at_the_start) {
  SceneSpec s = scene(0.001);
  RobotSpec robot = humanoid28();
  for (ObjectSpec& o : robot.objects)
    if (o.name == "lforearm") o.shapes[0].radius = 0.2;  // reaches into the torso
  robot.file = "";
  add(s, robot, "articulated").self_contact = true;
  auto model = compile(s);
  ASSERT_TRUE(model);
  const auto world = World::make(*model);
  ASSERT_TRUE(world);
  bool said = false;
  for (const Diagnostic& d : world.notes()) said |= d.text.find("torso–lforearm") != std::string::npos;
  EXPECT_TRUE(said);
  EXPECT_TRUE((*world)->engine().moving_contacts().contacts().empty());
}

TEST(Coupling, costs_nothing_where_nothing_can_touch) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, humanoid28(), "articulated", {0, 0, kHumanoid28Height});
  const auto one = make_world(s);
  EXPECT_EQ(one->report().coupling.volume_tests, 0);
  add(s, humanoid28(), "articulated", {2, 0, kHumanoid28Height});
  const auto two = make_world(s);
  run(*two, 0.01);
  EXPECT_LE(two->report().coupling.volume_tests, 1);
  EXPECT_EQ(two->report().coupling.object_tests, 0);
}

TEST(Ball, rolls_on_grass_until_it_stops) {
  const double rho = 0.002, r = 0.05, v0 = 0.5;
  for (const double h : kSteps) {
    SceneSpec s = contact_scene(h, 1e5, 0.002);
    s.contact.rolling = s.contact.torsion = rho;
    auto& ball = add(s, solid_ball(0.1, r), "free_body", {0, 0, r - 0.1 * 9.81 / 1e5});
    ball.v_WB = {v0, 0, 0}, ball.w_WB = {0, v0 / r, 0};
    const auto world = make_world(s);
    run(*world, 4);
    const double a = rho * 9.81 / (1.4 * r), way = v0 * v0 / (2 * a);
    EXPECT_NEAR(base_at(*world).x, way, 0.01 * way + v0 * h) << h;
    EXPECT_LT(fastest(*world), 1e-5) << h;
  }
}

TEST(Ball, bounces_off_the_static_world_with_its_restitution) {
  for (const double h : kSteps) {
    SceneSpec s = scene(h);
    add_ground(s);
    s.contact.restitution = 1;
    s.contact.friction = 0;
    add(s, solid_ball(10, 0.1, 0), "free_body", {0, 0, 5});
    const auto world = make_world(s);
    const double e0 = world->energy(0);
    for (int i = 0; i < static_cast<int>(5 / h); ++i) {
      world->step();
      ASSERT_NEAR(world->energy(0), e0, 1e-9 * e0) << h << " " << i;
    }
  }
}

}  // namespace
}  // namespace gradus::test

/// One law at every level: sliding, bouncing and resting against closed forms of the discrete scheme, for all masses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/robots.h"

namespace gradus::test {
namespace {

constexpr double kG = 9.81;
const char* const kLevels[] = {"single_body", "articulated", "prescribed_joints"};

struct Slide {
  double way, rise, energy, unsettled;  // [m]; highest above the start [m]; largest over the start / start; share of steps
};

/// A box thrown along the ground with v₀, already sunk in as far as its weight demands.
Slide slide(const char* level, double mass, double mu, double h, double yaw, double v0) {
  SceneSpec s = scene(h);
  add_ground(s);
  const RobotSpec box = solid_box(mass, {0.2, 0.2, 0.08}, mu);
  s.field[0].surface.friction = mu;
  RobotInstanceSpec& r = add(s, box, level, {0, 0, 0.04}, from_axis_angle({0, 0, 1}, yaw));
  r.v_WB = {v0, 0, 0};
  const double k = make_world(s)->model().robots[0].kind->points[0].k;
  r.p_WB.z -= mass * kG / (4 * k);
  const auto w = make_world(s);
  const double z0 = base_at(*w).z, e0 = w->energy(0);
  const double kinetic = 0.5 * mass * v0 * v0, end = 1.3 * v0 / (mu * kG);
  Slide out{0, 0, 0, 0};
  while (w->time() < end) {
    w->step();
    out.rise = std::max(out.rise, base_at(*w).z - z0);
    out.energy = std::max(out.energy, (w->energy(0) - e0) / kinetic);
  }
  out.way = base_at(*w).x;
  out.unsettled = static_cast<double>(w->report().unsettled) / static_cast<double>(w->k());
  return out;
}

/// Way of the scheme: each step takes μ g h from the speed, and moves with the new one:  v₀²/(2 μ g) − v₀ h/2
double way_of(double mu, double h, double v0) { return v0 * v0 / (2 * mu * kG) - v0 * h / 2; }

/// How deep a free box rests, and where it touches another one the lighter decides.
double depth_of_rest(double mass, bool given) {
  SceneSpec s = scene(0.001);
  s.contact.moving_given = given;
  add_ground(s);
  add(s, solid_box(mass, {0.2, 0.2, 0.2}, 0.5), "free_body", {0, 0, 0.1});
  const auto w = make_world(s);
  run(*w, 2);
  return 0.1 - base_at(*w).z;
}
TEST(Law, a_free_ton_sinks_no_deeper_than_100_kg_unless_somebody_chose_the_stiffness) {
  EXPECT_NEAR(depth_of_rest(100, false), 100 * kG / 4e6, 1e-8);
  EXPECT_NEAR(depth_of_rest(1000, false), 100 * kG / 4e6, 1e-8);
  EXPECT_NEAR(depth_of_rest(1000, true), 1000 * kG / 4e6, 1e-7);
  EXPECT_NEAR(depth_of_rest(1, false), kG / 4e6, 1e-9);
}

/// Depth that nobody pressed a spring by is not thrown back: a box set 2 mm into the ground holds 8 J in its four springs if
/// they feel it all, and would leave at 1 m/s. It comes out as slowly as what is not felt comes back (10 s).
TEST(Law, a_box_that_is_set_into_the_ground_comes_out_slowly_and_all_the_way) {
  SceneSpec s = scene(0.001);
  s.contact.sleep_speed = 0;
  add_ground(s);
  add(s, solid_box(1, {0.2, 0.2, 0.2}, 0.5), "free_body", {0, 0, 0.1});
  const auto w = make_world(s);
  run(*w, 1);
  std::vector<double> q(w->q(0).begin(), w->q(0).end());
  const double rest = q[2];
  q[2] -= 0.002;
  ASSERT_TRUE(w->set_q(0, q));
  double fastest = 0, highest = 0;
  while (w->time() < 9) {
    w->step();
    fastest = std::max(fastest, norm(base_velocity(w->v(0).data())));
    highest = std::max(highest, base_at(*w).z - rest);
  }
  EXPECT_LT(fastest, 0.15);
  EXPECT_LT(highest, 1e-5);
  EXPECT_NEAR(base_at(*w).z, rest, 1e-4);
}

TEST(Law, light_boxes_slide_as_far_as_the_scheme_says_and_gain_nothing_at_any_level) {
  for (const char* level : kLevels)
    for (const double mass : {0.001, 0.02, 0.1})
      for (const double mu : {0.1, 0.4, 1.3})
        for (const double h : {0.001, 0.005})
          for (const double yaw : {0.0, 0.75}) {
            const Slide s = slide(level, mass, mu, h, yaw, 1.5);
            const double want = way_of(mu, h, 1.5);
            EXPECT_NEAR(s.way, want, 0.005 * want) << level << ' ' << mass << " kg, mu " << mu << ", " << h << ' ' << yaw;
            EXPECT_LT(s.energy, 1e-6) << level << ' ' << mass << ' ' << mu << ' ' << h;
            EXPECT_LT(s.rise, 1e-4) << level << ' ' << mass << ' ' << mu << ' ' << h;
            EXPECT_LT(s.unsettled, 0.02) << level << ' ' << mass << ' ' << mu << ' ' << h;
          }
}

TEST(Law, heavy_boxes_slide_as_the_scheme_says_but_for_what_their_springs_give_back) {
  // spring-back: up to the deflection of the sticking springs, μ m g/(4 k_t), the same for all masses above 10 kg
  for (const char* level : kLevels)
    for (const double mass : {10.0, 100.0, 1000.0})
      for (const double mu : {0.1, 0.4}) {
        const Slide s = slide(level, mass, mu, 0.001, 0.3, 1.5);
        const double back = mu * 10 * kG / (4 * 1e4);
        EXPECT_NEAR(s.way, way_of(mu, 0.001, 1.5), back + 1e-4) << level << ' ' << mass << ' ' << mu;
        EXPECT_LT(s.energy, 1e-6) << level << ' ' << mass << ' ' << mu;
      }
}

/// (7): a point leaves with e times the speed that it came with, exactly; a ball dropped from H rises to e² H.
TEST(Law, points_bounce_at_every_level_with_the_restitution_that_was_asked_for) {
  for (const char* level : kLevels)
    for (const double e : {0.3, 0.5, 0.9})
      for (const double mass : {0.01, 1.0, 100.0})
        for (const double h : {0.001, 0.002}) {
          SceneSpec s = scene(h);
          add_ground(s);
          s.contact.restitution = e;
          add(s, solid_ball(mass, 0.1), level, {0, 0, 0.6});
          const auto w = make_world(s);
          const double e0 = w->energy(0) - mass * kG * 0.1;
          double before = 0, most = -1;
          while (w->time() < 1) {
            const double v = base_velocity_of(*w).z;
            w->step();
            most = std::max(most, (w->energy(0) - mass * kG * 0.1 - e0) / e0);
            if (base_velocity_of(*w).z > 0) {
              before = v;
              break;
            }
          }
          EXPECT_NEAR(base_velocity_of(*w).z, -e * before, 1e-9) << level << ' ' << e << ' ' << mass << ' ' << h;
          double top = 0;
          while (base_velocity_of(*w).z > 0) w->step(), top = std::max(top, base_at(*w).z - 0.1);
          EXPECT_NEAR(top, e * e * 0.5, 4 * h) << level << ' ' << e << ' ' << mass << ' ' << h;  // found within a step
          EXPECT_LT(most, 1e-9);
        }
}

TEST(Law, a_robot_sinks_as_deep_as_the_scene_says_whatever_its_mass) {
  for (const char* level : kLevels)
    for (const double mass : {0.001, 1.0, 1000.0}) {
      SceneSpec s = scene(0.001);
      add_ground(s);
      s.contact.depth = 1e-4;
      add(s, solid_box(mass, {0.2, 0.2, 0.1}), level, {0, 0, 0.05});
      const auto w = make_world(s);
      run(*w, 2);
      EXPECT_NEAR(base_at(*w).z, 0.05 - 1e-4, 1e-7) << level << ' ' << mass;
      EXPECT_LT(fastest(*w), 1e-6) << level << ' ' << mass;
    }
}

TEST(Law, stiffness_grows_with_the_mass_where_nobody_chose_it) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, solid_box(1000, {1, 1, 1}), "articulated", {0, 0, 0.5});
  add(s, solid_box(5, {1, 1, 1}), "articulated", {3, 0, 0.5});
  auto made = compile(s);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made.notes().empty());
  EXPECT_EQ(made->robots[0].kind->points[0].k, 2e6);
  EXPECT_EQ(made->robots[0].kind->points[0].dt, 1e4);
  EXPECT_EQ(made->robots[1].kind->points[0].k, 2e4);
  s.contact.stiffness = 3e4;  // chosen: 1000 kg sink 82 mm, which is said
  made = compile(s);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->robots[0].kind->points[0].k, 3e4);
  ASSERT_EQ(made.notes().size(), 1u);
  EXPECT_EQ(made.notes()[0].severity, Severity::warning);
  EXPECT_NE(made.notes()[0].text.find("82 mm"), std::string::npos) << made.notes()[0].text;
}

}  // namespace
}  // namespace gradus::test

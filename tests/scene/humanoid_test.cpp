/// A humanoid stands, is pushed, falls and comes to rest, at every dynamic level and step, on soft and hard ground.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <tuple>

#include "support/robots.h"

namespace gradus::test {
namespace {

using Case = std::tuple<const char*, double>;

class Humanoid : public testing::TestWithParam<Case> {
 protected:
  const char* level = std::get<0>(GetParam());
  double h = std::get<1>(GetParam());

  std::unique_ptr<World> world(bool dropped) const {
    SceneSpec s = scene(h);
    add_ground(s);
    if (dropped)
      add(s, humanoid28(), level, {0, 0, kHumanoid28Height + 0.25}, from_roll_pitch_yaw(0.3, 0.6, 0));
    else
      add(s, humanoid28(), level, {0, 0, kHumanoid28Height});
    return make_world(s);
  }
};
INSTANTIATE_TEST_SUITE_P(Levels, Humanoid,
                         testing::Combine(testing::Values("single_body", "prescribed_joints", "articulated"),
                                          testing::Values(0.001, 0.002, 0.005)),
                         [](const auto& p) {
                           return std::get<0>(p.param) + std::string("_") +
                                  std::to_string(std::lround(1000 * std::get<1>(p.param))) + "ms";
                         });

TEST_P(Humanoid, stands_for_a_minute_without_moving_or_jittering) {
  const auto w = world(false);
  run(*w, 20);
  const Vec3 p = base_at(*w);
  const double speed = fastest_during(*w, 40);
  EXPECT_LT(speed, 1e-6);
  EXPECT_LT(norm(base_at(*w) - p), 1e-6);
  EXPECT_LT(norm(Vec3{p.x, p.y, 0}), 0.01);
  EXPECT_FALSE(w->fallen(0));
  OutputRoom room;
  const RobotOutput out = w->output(0, room);
  ASSERT_EQ(out.foot_force.size(), 2u);
  EXPECT_NEAR(out.foot_force[0] + out.foot_force[1], out.kind->mass * 9.81, 1e-4);  // its weight
  EXPECT_NEAR(out.accelerometer.z, 9.81, 0.02);                                     // up, within the base's small tilt
}

TEST_P(Humanoid, takes_a_push_of_a_quarter_metre_a_second_from_every_side) {
  for (const Vec3 side : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0.7, -0.7, 0}}) {
    const auto w = world(false);
    run(*w, 2);
    const double mass = w->model().robots[0].kind->mass;
    const Vec6 before = w->momentum(0);
    ASSERT_TRUE(w->add_impulse({0, 0, {0, 0, 0}, side * (0.25 * mass)}));
    w->step();
    // The robot goes where it was pushed; the feet already hold back a part in that step, or are pulled along.
    const Vec3 gained = w->momentum(0).l - before.l;
    EXPECT_GT(dot(gained, side), 0.1 * mass);
    EXPECT_LT(dot(gained, side), 0.27 * mass);
    run(*w, 15);
    EXPECT_FALSE(w->fallen(0)) << side.x << " " << side.y;
    EXPECT_LT(fastest(*w), 1e-2) << side.x << " " << side.y;
  }
}

TEST_P(Humanoid, in_the_air_a_push_gives_exactly_its_impulse) {
  SceneSpec s = scene(h);
  s.gravity = {0, 0, 0};
  add(s, humanoid28(), level, {0, 0, 2});
  const auto w = make_world(s);
  const Vec3 J{0.003, -0.002, 0.005}, at = w->X_WL(0, 5) * Vec3{0.01, 0.02, -0.03};
  ASSERT_TRUE(w->add_impulse({0, 5, {0.01, 0.02, -0.03}, J}));
  w->step();
  const Vec6 m = w->momentum(0);
  // Servos push inside the robot and change nothing; a small impulse, since first-order steps err with its square.
  EXPECT_LT(norm(m.l - J), 5e-4 * norm(J));
  EXPECT_LT(norm(m.a - cross(at, J)), 5e-4 * norm(cross(at, J)));
}

TEST_P(Humanoid, falls_and_comes_to_rest) {
  const auto w = world(true);
  run(*w, 7);
  const double speed = fastest_during(*w, 1);
  EXPECT_TRUE(w->fallen(0));
  EXPECT_LT(speed, 1e-2);
  EXPECT_LT(base_at(*w).z, 0.15);
  EXPECT_GT(base_at(*w).z, 0.02);
  EXPECT_EQ(w->report().not_finite, -1);
}

TEST_P(Humanoid, falls_from_every_tilt_and_comes_to_rest) {
  for (int k = 0; k < 12; ++k) {
    SceneSpec s = scene(h);
    add_ground(s);
    Random r(static_cast<std::uint64_t>(100 + k));
    add(s, humanoid28(), level, {0, 0, 0.6}, r.rotation()).w_WB = r.vector(3);
    const auto w = make_world(s);
    run(*w, 9);
    const double speed = fastest_during(*w, 1);
    if (speed > 1e-3) std::printf("  tilt %d: %.1e in the last second\n", k, speed);
    EXPECT_LT(speed, 1e-2) << k;
    EXPECT_GT(base_at(*w).z, -0.05);
  }
}

class Ground : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Hardness, Ground,
                         testing::Combine(testing::Values("stands", "falls"), testing::Values(2e3, 2e4, 2e5, 2e6)),
                         [](const auto& p) {
                           return std::get<0>(p.param) + std::string("_on_") +
                                  std::to_string(std::lround(std::get<1>(p.param))) + "_N_per_m";
                         });

TEST_P(Ground, comes_to_rest_at_every_step) {
  const bool dropped = std::string_view(std::get<0>(GetParam())) == "falls";
  const double k = std::get<1>(GetParam()), root = std::sqrt(k / 2e4);
  for (const double h : {0.001, 0.002, 0.005, 0.01}) {
    SceneSpec s = scene(h);
    s.contact.stiffness = k;
    s.contact.tangential_stiffness = 0.5 * k;
    s.contact.damping = 150 * root;
    s.contact.tangential_damping = 100 * root;
    add_ground(s);
    add(s, humanoid28(), "articulated", {0, 0, kHumanoid28Height + (dropped ? 0.25 : 0)},
        from_roll_pitch_yaw(dropped ? 0.3 : 0, dropped ? 0.6 : 0, 0));
    const auto w = make_world(s);
    run(*w, 12);
    const double speed = fastest_during(*w, 1);
    std::printf("  k %g h %g: %.1e in the last second, %.3f predictions a step\n", k, h, speed,
                static_cast<double>(w->report().predictions) / static_cast<double>(w->k()));
    EXPECT_LT(speed, 1e-2) << h;
    EXPECT_EQ(w->fallen(0), dropped) << h;
  }
}

}  // namespace
}  // namespace gradus::test

/// Changing the level of a robot while it runs: pose, velocity and momentum pass from every level to every other one.
#include <gtest/gtest.h>

#include <tuple>

#include "support/robots.h"

namespace gradus::test {
namespace {

const char* const kLevels[] = {"kinematic_walk", "single_body", "prescribed_joints", "articulated"};
using Pair = std::tuple<const char*, const char*>;

class LevelChange : public testing::TestWithParam<Pair> {
 protected:
  std::string from = std::get<0>(GetParam()), to = std::get<1>(GetParam());
  std::vector<double> q, v;
  Vec6 momentum;

  /// Changes the level and checks that nothing has moved by that.
  void change(World& world) {
    q.assign(world.q(0).begin(), world.q(0).end());
    v.assign(world.v(0).begin(), world.v(0).end());
    momentum = world.momentum(0);
    ASSERT_TRUE(world.set_motion(0, to).empty());
    EXPECT_EQ(world.motion(0).name, to);
    EXPECT_TRUE(std::equal(q.begin(), q.end(), world.q(0).begin()));
    EXPECT_TRUE(std::equal(v.begin(), v.end(), world.v(0).begin()));
    const Vec6 after = world.momentum(0);
    EXPECT_LE(norm(after.a - momentum.a) + norm(after.l - momentum.l), 1e-12);
  }
  double moved(const World& world, std::size_t first, std::size_t last) const {
    double most = 0;
    for (std::size_t i = first; i < last; ++i) most = std::max(most, std::fabs(world.q(0)[i] - q[i]));
    return most;
  }
};
INSTANTIATE_TEST_SUITE_P(Pairs, LevelChange, testing::Combine(testing::ValuesIn(kLevels), testing::ValuesIn(kLevels)),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param)) + "_to_" + std::get<1>(p.param);
                         });

TEST_P(LevelChange, standing_goes_on_standing) {
  for (const double h : {0.001, 0.005}) {
    SceneSpec s = scene(h);
    add_ground(s);
    add(s, humanoid28(), from, {0, 0, kHumanoid28Height});
    const auto world = make_world(s);
    run(*world, 3);
    change(*world);
    world->step();
    // The joints catch up with their targets at 1 rad/s; kinematic_walk puts the foot flat, on top of the ground.
    EXPECT_LT(moved(*world, 7, q.size()), 1.5 * h);
    EXPECT_LT(moved(*world, 0, 7), to == "kinematic_walk" ? 2.5e-3 : 0.5 * h);
    double peak = 0;
    for (int i = 0; i < 500; ++i) {
      world->step();
      peak = std::max(peak, fastest(*world));
    }
    EXPECT_LT(peak, 2.0) << h;
    run(*world, 3);
    EXPECT_FALSE(world->fallen(0));
    EXPECT_LT(fastest(*world), 1e-2);
    EXPECT_LT(norm(base_at(*world) - Vec3{q[0], q[1], q[2]}), 5e-3);
  }
}

class LevelChangeInFlight : public LevelChange {};  // kinematic_walk is always on the ground
const char* const kFlying[] = {"single_body", "prescribed_joints", "articulated"};
INSTANTIATE_TEST_SUITE_P(Pairs, LevelChangeInFlight,
                         testing::Combine(testing::ValuesIn(kFlying), testing::ValuesIn(kFlying)), [](const auto& p) {
                           return std::string(std::get<0>(p.param)) + "_to_" + std::get<1>(p.param);
                         });

TEST_P(LevelChangeInFlight, momentum_is_kept_in_the_next_step) {
  SceneSpec s = scene(0.001);
  s.gravity = {0, 0, 0};
  auto& r = add(s, humanoid28(), from, {0, 0, 0});
  r.v_WB = {0.5, 0.2, 1};
  r.w_WB = {0.3, 1, -0.4};
  const auto world = make_world(s);
  run(*world, 0.2);
  change(*world);
  world->step();
  const Vec6 next = world->momentum(0);
  // First-order steps lose about h² of it; when sagging servos hand over, h times the joints' change of speed, 1 rad/s;
  // single_body also what the joints' own motion carried, which it does not know.
  const bool forgets_joints = from == "articulated" && to == "single_body";
  const double allowed = forgets_joints ? 5e-2 : from == "articulated" && to == "prescribed_joints" ? 1e-4 : 1e-5;
  EXPECT_LT(norm(next.l - momentum.l) / norm(momentum.l), allowed);
  EXPECT_LT(norm(next.a - momentum.a) / norm(momentum.a), allowed);
  EXPECT_LT(moved(*world, 0, 7), 2e-3);  // at about 1 m/s and 1 rad/s
  run(*world, 1);
  EXPECT_LT(fastest(*world), 2);
  EXPECT_LT(norm(world->momentum(0).l - momentum.l) / norm(momentum.l), forgets_joints ? 5e-2 : 5e-3);
}

TEST(LevelChange, from_the_air_to_kinematic_walk_puts_the_robot_down_without_velocity) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, humanoid28(), "articulated", {0, 0, 1}).v_WB = {0.3, 0, 0};
  const auto world = make_world(s);
  run(*world, 0.05);
  ASSERT_TRUE(world->set_motion(0, "kinematic_walk").empty());
  run(*world, 0.003);
  EXPECT_NEAR(base_at(*world).z, kHumanoid28Height, 0.03);
  EXPECT_LT(norm(base_velocity_of(*world)), 1);
  ASSERT_TRUE(world->set_motion(0, "articulated").empty());
  run(*world, 5);
  EXPECT_FALSE(world->fallen(0));
}

TEST(LevelChange, names_what_is_missing) {
  SceneSpec s = scene(0.001);
  add(s, solid_box(1, {0.1, 0.1, 0.1}), "free_body");
  const auto world = make_world(s);
  EXPECT_FALSE(world->set_motion(0, "kinematic_walk").empty());
  EXPECT_FALSE(world->set_motion(0, "no_such_motion").empty());
  EXPECT_EQ(world->motion(0).name, "free_body");
}

}  // namespace
}  // namespace gradus::test

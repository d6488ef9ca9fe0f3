/// The key-frame motions of robots/kidsize.toml at every level and step length [docs/motions.md].
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "load/motion_toml.h"
#include "scene_world.h"

namespace gradus {
namespace {

class Motions : public testing::TestWithParam<double> {};  // step [s]
std::string step_name(const testing::TestParamInfo<double>& p) {
  return std::to_string(std::lround(p.param * 1000)) + "ms";
}
INSTANTIATE_TEST_SUITE_P(Steps, Motions, testing::Values(0.001, 0.002, 0.005), step_name);

/// What the plan of the walk says [tools/make_kidsize_walk.py].
constexpr double kSpeed = 0.1;            // [m/s]
constexpr double kStride = 0.05;          // [m]
constexpr double kBeforeFirstStep = 1.5;  // lead-in and standing [s]

TEST(MotionsAtTheStart, TheSceneBeginsInThePostureOfTheFirstFrame) {
  auto w = make_world("levels.toml", 0.001);
  ASSERT_TRUE(w);
  for (int r = 0; r < w->robot_count(); ++r) {
    const RobotModel& robot = w->model().robots[static_cast<std::size_t>(r)];
    auto motion = load_motion(robot.controller.file);
    ASSERT_TRUE(motion);
    for (std::size_t c = 0; c < motion->joints.size(); ++c) {
      const int j = robot.kind->find_joint(motion->joints[c]);
      ASSERT_GE(j, 0) << motion->joints[c];
      EXPECT_NEAR(w->q(r)[static_cast<std::size_t>(7 + j)], motion->frames[0].q[c], 0.1 * kDegree) << motion->joints[c];
    }
  }
}

TEST_P(Motions, KinematicWalkCoversWhatTheFootPlanSays) {
  auto w = make_world("levels.toml", GetParam());
  ASSERT_TRUE(w);
  ASSERT_EQ(w->motion(0).name, "kinematic_walk");
  run_until(*w, 5);
  const Vec3 from = position(*w, 0);
  run_until(*w, 25);
  const Vec3 moved = position(*w, 0) - from;
  EXPECT_NEAR(moved.x, 20 * kSpeed, 0.02 * 20 * kSpeed);
  EXPECT_NEAR(moved.y, 0, 0.001);  // the same phase of the walk
  EXPECT_NEAR(heading(*w, 0), 0, 0.1 * kDegree);
}

struct WalkBounds {
  double tilt, ground, aside, turn;  // [rad], share of the way, [m], [rad]
};

TEST_P(Motions, TheWalkStaysUprightAMinuteAndCoversTheSameGroundAtAllLevels) {
  auto w = make_world("levels.toml", GetParam());
  ASSERT_TRUE(w);
  ASSERT_EQ(w->robot_count(), 4);
  const WalkBounds bounds[4] = {{0.1 * kDegree, 1e-9, 0.03, 0.1 * kDegree},
                                {2 * kDegree, 0.01, 0.05, 1 * kDegree},
                                {2 * kDegree, 0.01, 0.05, 1 * kDegree},
                                {7 * kDegree, 0.03, 0.35, 6 * kDegree}};
  std::vector<Vec3> from;
  for (int r = 0; r < 4; ++r) from.push_back(position(*w, r));
  double worst[4] = {0, 0, 0, 0};
  while (w->time() < 60 - 1e-9) {
    w->step();
    for (int r = 0; r < 4; ++r) worst[r] = std::max(worst[r], tilt(*w, r));
  }
  const double plan = position(*w, 0).x - from[0].x;  // kinematic walking does what the motion file says
  EXPECT_NEAR(plan, kSpeed * (60 - kBeforeFirstStep), kStride);
  for (int r = 0; r < 4; ++r) {
    const Vec3 moved = position(*w, r) - from[static_cast<std::size_t>(r)];
    EXPECT_LT(worst[r], bounds[r].tilt) << name_of(*w, r);
    EXPECT_NEAR(moved.x, plan, bounds[r].ground * plan) << name_of(*w, r);
    EXPECT_NEAR(moved.y, 0, bounds[r].aside) << name_of(*w, r);
    EXPECT_NEAR(heading(*w, r), 0, bounds[r].turn) << name_of(*w, r);
  }
}

/// The ground is not always what the plan was tried on.
TEST(MotionsOnOtherGround, TheWalkStaysUpright) {
  for (const char* ground :
       {"world.contact.friction=0.5", "world.contact.friction=1.1", "world.contact.stiffness=100000 N/m"}) {
    auto w = make_world("levels.toml", 0.002, {ground});
    ASSERT_TRUE(w);
    run_until(*w, 30);
    for (int r = 0; r < w->robot_count(); ++r) EXPECT_LT(tilt(*w, r), 8 * kDegree) << ground << " " << name_of(*w, r);
  }
}

TEST_P(Motions, PushedOverRobotsGetUpFromFrontAndBackAndStayUp) {
  auto w = make_world("get_up.toml", GetParam());
  ASSERT_TRUE(w);
  ASSERT_EQ(w->robot_count(), 6);
  run_until(*w, 3);
  for (int r = 0; r < 6; ++r) {
    EXPECT_GT(tilt(*w, r), 75 * kDegree) << name_of(*w, r) << " lies";
    EXPECT_LT(norm(base_velocity(w->v(r).data())), 0.01) << name_of(*w, r) << " is at rest";
    // Front: the robot's x axis points down.
    const double nose_up = to_matrix(base_orientation(w->q(r).data())).x.z;
    EXPECT_EQ(nose_up > 0, name_of(*w, r).starts_with("back")) << name_of(*w, r);
  }
  run_until(*w, 10.2);  // 3 s, lead-in, 6.4 s of motion at most, a moment to settle
  double worst[6] = {0, 0, 0, 0, 0, 0};
  while (w->time() < 15.2) {
    w->step();
    for (int r = 0; r < 6; ++r) worst[r] = std::max(worst[r], tilt(*w, r));
  }
  for (int r = 0; r < 6; ++r) {
    EXPECT_LT(worst[r], 3 * kDegree) << name_of(*w, r);
    EXPECT_NEAR(position(*w, r).z, 0.272, 0.005) << name_of(*w, r);
  }
}

TEST_P(Motions, GoalkeepersEndOnTheSideTheyDiveTo) {
  auto w = make_world("dive.toml", GetParam());
  ASSERT_TRUE(w);
  ASSERT_EQ(w->robot_count(), 6);
  run_until(*w, 1);
  for (int r = 0; r < 6; ++r) EXPECT_LT(tilt(*w, r), 2 * kDegree) << name_of(*w, r);
  run_until(*w, 6);
  for (int r = 0; r < 6; ++r) {
    const double side = name_of(*w, r).starts_with("left") ? -1 : 1;
    EXPECT_GT(side * left_side_up(*w, r), std::sin(70 * kDegree)) << name_of(*w, r);
    EXPECT_LT(position(*w, r).z, 0.11) << name_of(*w, r);
    EXPECT_LT(norm(base_velocity(w->v(r).data())), 0.01) << name_of(*w, r) << " lies still";
  }
}

}  // namespace
}  // namespace gradus

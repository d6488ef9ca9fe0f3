/// The Nao's key-frame motions, articulated, with its own motors [docs/nao.md].
#include <gtest/gtest.h>

#include "scene_world.h"

namespace gradus {
namespace {

class NaoMotions : public testing::TestWithParam<double> {};  // step [s]
std::string step_name(const testing::TestParamInfo<double>& p) {
  return std::to_string(std::lround(p.param * 1000)) + "ms";
}
INSTANTIATE_TEST_SUITE_P(Steps, NaoMotions, testing::Values(0.001, 0.002, 0.005), step_name);

/// scenes/nao_motions.toml with some of its robots only.
std::unique_ptr<World> make_motions(double step, const std::vector<std::string>& names) {
  auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/nao_motions.toml");
  EXPECT_TRUE(scene);
  if (!scene) return nullptr;
  std::erase_if(scene->robots, [&](const RobotInstanceSpec& r) {
    return std::find(names.begin(), names.end(), r.name) == names.end();
  });
  scene->step = step;
  return make_world(*scene);
}

/// One foot alone carries the robot from here on: for how long?
struct OneLeg {
  double longest[2] = {0, 0};  // left, right [s]
  double since[2] = {0, 0};    // start of the present stretch [s]
  void look(const World& w) {
    const std::vector<int>& feet = w.model().robots[0].kind->feet;
    for (std::size_t f : {std::size_t{0}, std::size_t{1}}) {
      const bool alone = w.contact_force(0, feet[f]) > 1 && w.contact_force(0, feet[1 - f]) == 0;
      if (!alone) since[f] = w.time();
      longest[f] = std::max(longest[f], w.time() - since[f]);
    }
  }
};

TEST_P(NaoMotions, BalancesThirtySecondsOnEachLeg) {
  auto w = make_motions(GetParam(), {"tai_chi"});
  ASSERT_TRUE(w);
  OneLeg balance;
  double worst = 0;
  while (w->time() < 75) {
    w->step();
    balance.look(*w);
    worst = std::max(worst, tilt(*w, 0));
  }
  EXPECT_GE(balance.longest[0], 30) << "on the left leg";
  EXPECT_GE(balance.longest[1], 30) << "on the right leg";
  EXPECT_LT(worst, 25 * kDegree);
  EXPECT_LT(tilt(*w, 0), 2 * kDegree) << "stands again";
}

TEST_P(NaoMotions, KicksTheBallAwayAndStaysOnItsFeet) {
  auto w = make_motions(GetParam(), {"kick_right", "ball_right", "kick_left", "ball_left"});
  ASSERT_TRUE(w);
  double fastest[4] = {0, 0, 0, 0}, worst = 0;
  while (w->time() < 10.5) {
    w->step();
    for (int r = 0; r < 4; ++r) {
      if (name_of(*w, r).starts_with("kick")) worst = std::max(worst, tilt(*w, r));
      fastest[r] = std::max(fastest[r], base_velocity(w->v(r).data()).x);
    }
  }
  EXPECT_LT(worst, 15 * kDegree);
  for (int r = 0; r < 4; ++r) {
    if (name_of(*w, r).starts_with("kick")) {
      EXPECT_NEAR(position(*w, r).z, 0.306, 0.005) << name_of(*w, r) << " stands";
    } else {  // a foot that moves 0.2 m in 0.18 s hits a light ball that bounces a little
      EXPECT_GT(fastest[r], 0.8) << name_of(*w, r);
      EXPECT_LT(fastest[r], 3) << name_of(*w, r);
      EXPECT_GT(position(*w, r).x, 1) << name_of(*w, r);
    }
  }
}

TEST_P(NaoMotions, GoalkeepersEndOnTheSideTheyDiveTo) {
  auto w = make_motions(GetParam(), {"dive_left", "dive_right"});
  ASSERT_TRUE(w);
  run_until(*w, 1);
  for (int r : {0, 1}) EXPECT_LT(tilt(*w, r), 2 * kDegree) << name_of(*w, r);
  run_until(*w, 6);
  for (int r : {0, 1}) {
    const double side = name_of(*w, r) == "dive_left" ? -1 : 1;
    EXPECT_GT(side * left_side_up(*w, r), std::sin(60 * kDegree)) << name_of(*w, r);
    EXPECT_LT(norm(base_velocity(w->v(r).data())), 0.01) << name_of(*w, r) << " lies still";
  }
}

/// The two robots of scenes/nao_get_up.toml lie on back and front after 3 s, and stand from 17.5 s on.
void expect_to_get_up(World& w, const std::string& about) {
  run_until(w, 3);
  for (int r : {0, 1}) {
    const double nose_up = to_matrix(base_orientation(w.q(r).data())).x.z;
    EXPECT_GT(nose_up * (name_of(w, r) == "back" ? 1 : -1), std::sin(75 * kDegree)) << name_of(w, r) << " lies";
  }
  run_until(w, 17.5);
  double worst[2] = {0, 0};
  while (w.time() < 20) {
    w.step();
    for (int r : {0, 1}) worst[r] = std::max(worst[r], tilt(w, r));
  }
  for (int r : {0, 1}) {
    EXPECT_LT(worst[r], 3 * kDegree) << about << " " << name_of(w, r);
    EXPECT_NEAR(position(w, r).z, 0.313, 0.004) << about << " " << name_of(w, r);
  }
}

// The slippery and the rough end of what floors are.
TEST_P(NaoMotions, PushedOverNaosGetUpFromFrontAndBackAndStayUp) {
  for (const char* floor : {"world.contact.friction=0.4", "world.contact.friction=0.8", "world.contact.friction=1.2"}) {
    auto w = make_world("nao_get_up.toml", GetParam(), {floor});
    ASSERT_TRUE(w);
    expect_to_get_up(*w, floor);
  }
}

// Neither leans on arms and legs holding each other up.
TEST_P(NaoMotions, NaosWhoseLinksPassThroughEachOtherGetUpToo) {
  auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/nao_get_up.toml");
  ASSERT_TRUE(scene);
  scene->step = GetParam();
  for (RobotInstanceSpec& r : scene->robots) r.self_contact = false;
  auto w = make_world(*scene);
  ASSERT_TRUE(w);
  expect_to_get_up(*w, "no contact between its links");
}

}  // namespace
}  // namespace gradus

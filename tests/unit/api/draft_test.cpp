/// Robots built in code through the public interface.
#include <gradus/build.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

/// A bar that hangs on two rods of one length, closed by a loop, stays level while it swings; a pendulum on a ball does not
/// leave its sphere.
TEST(Draft, loops_and_balls_hold) {
  constexpr double kTilt = 0.5;
  gradus::RobotDraft swing("swing");
  swing.fixed().base("beam").fork("posts").revolute("left", {0, 1, 0}).solid_box(0.2, {0.02, 0.02, 0.5}, {0, 0, -0.25}).initial(kTilt);
  swing.translation("left_end", {0, 0, -0.5}).revolute("bar", {0, 1, 0}).solid_box(1, {0.3, 0.05, 0.02}, {0.15, 0, 0}).initial(-kTilt);
  swing.after("posts").translation("post", {0.3, 0, 0}).revolute("right", {0, 1, 0});
  swing.solid_box(0.2, {0.02, 0.02, 0.5}, {0, 0, -0.25}).initial(kTilt);
  swing.loop("pin", "bar", "right", {0.3, 0, 0});
  gradus::RobotDraft flail("flail");
  flail.fixed().base("handle").ball("head").solid_sphere(1, 0.05, {0.3, 0, -0.3});
  gradus::SceneDraft scene(0.001);
  scene.add("swing", swing, {0, 0, 2}).add("flail", flail, {5, 0, 2});
  auto sim = gradus::Simulation::build(scene);
  double lowest = 2;
  for (int i = 0; i < 700; ++i) {
    sim.step();
    const auto bar = sim.pose(sim.find_robot("swing"), "bar");
    EXPECT_NEAR(bar.orientation[0], 1, 1e-6);
    lowest = std::min(lowest, bar.position[2]);
  }
  EXPECT_NEAR(lowest, 1.5, 1e-3) << "it swung through";
  EXPECT_EQ(sim.pose(sim.find_robot("flail"), "head").position[0], 5);
}

}  // namespace

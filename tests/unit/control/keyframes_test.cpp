#include "control/keyframes.h"

#include <gtest/gtest.h>

namespace gradus {
namespace {

RobotKind one_joint() {
  RobotBuilder b("arm");
  b.base("post").fixed().revolute("shoulder", {0, 1, 0}).solid_box(1, {0.1, 0.1, 0.1}, {0, 0, 0.2});
  SceneSpec scene;
  scene.robots.push_back({});
  scene.robots[0].name = "arm";
  scene.robots[0].robot = b.spec();
  auto model = compile(scene);
  EXPECT_TRUE(model);
  return *model->robots[0].kind;
}

MotionFile motion_of(const std::string& head, const std::string& rows) {
  auto m = parse_motion("[motion]\nname = \"m\"\n" + head +
                            "columns = [\"time\", \"shoulder\"]\nunits = [\"s\", \"rad\"]\nrows = [" + rows + "]\n",
                        "m.toml");
  EXPECT_TRUE(m) << (m.notes().empty() ? "" : m.notes()[0].text);
  return m ? *m : MotionFile{};
}

Keyframes player(const std::string& head, const std::string& rows, bool loop = true) {
  return Keyframes(motion_of(head, rows), one_joint(), loop, 0);
}

TEST(Keyframes, PassesThroughItsFramesAndHoldsTheLast) {
  const Keyframes k = player("loop = false\n", "[0, 0], [1, 2], [3, -1]");
  EXPECT_DOUBLE_EQ(k.value(0, 0), 0);
  EXPECT_DOUBLE_EQ(k.value(1, 0), 2);
  EXPECT_DOUBLE_EQ(k.value(3, 0), -1);
  EXPECT_DOUBLE_EQ(k.value(30, 0), -1);
}

TEST(Keyframes, CubicSlopeAtAFrameIsThatOfItsNeighbours) {
  const Keyframes k = player("loop = false\n", "[0, 0], [1, 2], [3, -1]");
  const double e = 1e-6;
  EXPECT_NEAR((k.value(1 + e, 0) - k.value(1 - e, 0)) / (2 * e), (-1 - 0) / 3.0, 1e-5);
  EXPECT_NEAR((k.value(e, 0) - k.value(0, 0)) / e, 0, 1e-5);
}

TEST(Keyframes, LinearInterpolationIsStraight) {
  const Keyframes k = player("loop = false\ninterpolation = \"linear\"\n", "[0, 0], [1, 2], [3, -1]");
  EXPECT_DOUBLE_EQ(k.value(0.25, 0), 0.5);
  EXPECT_DOUBLE_EQ(k.value(2, 0), 0.5);
}

TEST(Keyframes, ALoopRepeatsWithItsPeriod) {
  const Keyframes k = player("", "[0, 0], [1, 2], [3, -1], [4, 0]");
  for (const double t : {0.1, 0.9, 1.7, 3.6}) EXPECT_NEAR(k.value(t, 0), k.value(t + 8, 0), 1e-12) << t;
  const double e = 1e-6;  // smooth where it closes
  EXPECT_NEAR((k.value(4 + e, 0) - k.value(4, 0)) / e, (k.value(4, 0) - k.value(4 - e, 0)) / e, 1e-4);
}

TEST(Keyframes, LoopsOnlyIfFileAndControllerSaySo) {
  EXPECT_DOUBLE_EQ(player("loop = false\n", "[0, 0], [1, 2]", true).value(1.5, 0), 2);
  EXPECT_DOUBLE_EQ(player("", "[0, 0], [1, 2]", false).value(1.5, 0), 2);
}

TEST(Keyframes, FramesBeforeLoopFromArePlayedOnce) {
  // 7 once, then 0 1 0 -1 with a period of 4 s from 2 s on.
  const Keyframes k = player("loop_from = \"2 s\"\nperiod = \"4 s\"\n", "[0, 7], [2, 0], [3, 1], [4, 0], [5, -1]");
  EXPECT_DOUBLE_EQ(k.value(0, 0), 7);
  for (int pass = 0; pass < 4; ++pass) {
    EXPECT_NEAR(k.value(2 + 4 * pass, 0), 0, 1e-12);
    EXPECT_NEAR(k.value(3 + 4 * pass, 0), 1, 1e-12);
    EXPECT_NEAR(k.value(5 + 4 * pass, 0), -1, 1e-12);
  }
  EXPECT_NEAR(k.value(6.5, 0), k.value(10.5, 0), 1e-12);
  const double e = 1e-6;  // at the seam the slope comes from both ends of the loop, not from the start
  EXPECT_NEAR((k.value(6 + e, 0) - k.value(6 - e, 0)) / (2 * e), 1, 1e-4);
  EXPECT_NEAR((k.value(10 + e, 0) - k.value(10 - e, 0)) / (2 * e), 1, 1e-4);
}

TEST(Keyframes, AClosingFrameMayRepeatTheBeginningOfTheLoop) {
  const Keyframes open = player("loop_from = \"2 s\"\nperiod = \"4 s\"\n", "[0, 7], [2, 0], [3, 1], [4, 0], [5, -1]");
  const Keyframes closed = player("loop_from = \"2 s\"\n", "[0, 7], [2, 0], [3, 1], [4, 0], [5, -1], [6, 0]");
  for (double t = 0; t < 20; t += 0.37) EXPECT_NEAR(open.value(t, 0), closed.value(t, 0), 1e-12) << t;
}

TEST(MotionToml, LoopFromMustBeTheTimeOfAFrame) {
  const auto m = parse_motion(
      "[motion]\nloop_from = \"0.7 s\"\ncolumns = [\"time\", \"a\"]\nunits = [\"s\", \"deg\"]\nrows = [[0, 1], [1, "
      "2]]\n",
      "m.toml");
  ASSERT_FALSE(m);
  ASSERT_EQ(m.notes().size(), 1u);
  EXPECT_EQ(m.notes()[0].text, "no frame is at loop_from, 0.7 s");
  EXPECT_EQ(m.notes()[0].place.line, 2);
}

TEST(MotionToml, ALoopMustReachItsLastFrame) {
  const auto m = parse_motion(
      "[motion]\nloop_from = \"1 s\"\nperiod = \"0.5 s\"\ncolumns = [\"time\", \"a\"]\nunits = [\"s\", \"deg\"]\nrows "
      "= [[0, 1], [1, 2], [2, 1]]\n",
      "m.toml");
  ASSERT_FALSE(m);
  ASSERT_EQ(m.notes().size(), 1u);
  EXPECT_EQ(m.notes()[0].text, "the period 0.5 s from 1 s on ends before the last frame at 2 s");
}

}  // namespace
}  // namespace gradus

#include "control/wheels_strategy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gradus::control {
namespace {

/// Ideal kinematics: enough to see where orders lead.
void roll(const PitchNumbers& n, PlayerPose& p, const WheelOrder& o, double h) {
  const double v = n.wheel_radius * (o.right + o.left) / 2, w = n.wheel_radius * (o.right - o.left) / (2 * n.half_axle);
  p.theta += h * w;
  p.x += h * v * std::cos(p.theta), p.y += h * v * std::sin(p.theta);
}

TEST(WheelsStrategy, DriveToReachesPlacesInFrontBehindAndBeside) {
  const PitchNumbers n;
  for (const double angle : {0.0, 0.5, 1.6, 3.0, -2.0, -0.9}) {
    PlayerPose p{0.1, -0.2, 0.7};
    const double x = 0.1 + 0.5 * std::cos(angle), y = -0.2 + 0.5 * std::sin(angle);
    for (int i = 0; i < 200; ++i) roll(n, p, drive_to(n, p, x, y, true), 0.016);
    EXPECT_NEAR(std::hypot(p.x - x, p.y - y), 0, 0.02) << angle;
  }
}

TEST(WheelsStrategy, OneAttacksTheKeeperKeepsAndOrdersStayWithinLimits) {
  const PitchNumbers n;
  const std::vector<PlayerPose> own = {{-1.05, 0, 0}, {-0.5, 0.3, 0}, {-0.2, 0.05, 0}, {-0.5, -0.3, 0}, {-0.7, 0, 0}};
  std::vector<WheelOrder> orders(5);
  play(n, {0.3, 0.0, 0, 0, own, 1}, orders);
  for (const WheelOrder& o : orders) {
    EXPECT_LE(std::fabs(o.left), n.top_wheel_speed);
    EXPECT_LE(std::fabs(o.right), n.top_wheel_speed);
  }
  EXPECT_GT(orders[2].left + orders[2].right, 40) << "the nearest one behind the ball goes for it";
  PlayerPose keeper = own[0];
  for (int i = 0; i < 100; ++i) {
    std::vector<PlayerPose> seen = own;
    seen[0] = keeper;
    play(n, {0.3, 0.15, 0, 0, seen, 1}, orders);
    roll(n, keeper, orders[0], 0.016);
  }
  EXPECT_NEAR(keeper.y, 0.15, 0.03);
  EXPECT_NEAR(keeper.x, -1.05, 0.05);
}

TEST(WheelsStrategy, TheOtherTeamPlaysTheMirrorImage) {
  const PitchNumbers n;
  std::vector<PlayerPose> own = {{-1.05, 0.02, 0.1}, {-0.5, 0.3, 0.2}, {-0.2, 0.05, -0.4}}, mirrored;
  for (const PlayerPose& p : own) mirrored.push_back({-p.x, -p.y, p.theta + M_PI});
  std::vector<WheelOrder> a(3), b(3);
  play(n, {0.3, 0.1, 0.5, -0.2, own, 1}, a);
  play(n, {-0.3, -0.1, -0.5, 0.2, mirrored, -1}, b);
  for (int i = 0; i < 3; ++i) {
    if (i == 0 || i == 2) {  // the covering lanes are numbered from one side, so only these are exact mirrors
      EXPECT_NEAR(a[i].left, b[i].left, 1e-9);
      EXPECT_NEAR(a[i].right, b[i].right, 1e-9);
    }
  }
}

/// Heading as an overhead camera would see it, within half a degree, and a turn rate from two such pictures.
PlayerPose seen_by_camera(PlayerPose p, int picture, double w) {
  const double noise[4] = {0.008, -0.006, 0.003, -0.008};
  p.theta += noise[picture % 4];
  p.w = w + (noise[picture % 4] - noise[(picture + 3) % 4]) * 60;
  return p;
}

/// A place abeam may be reached with either end first. The camera's noise must not choose again in every picture:
/// wheels that are told to and fro brake harder than they drive, and the robot stands.
TEST(WheelsStrategy, NoiseDoesNotTurnARobotToAndFroThatTurnsAlready) {
  const PitchNumbers n;
  for (const double w : {6.0, -6.0})
    for (int k = 0; k < 40; ++k) {
      const PlayerPose p = seen_by_camera({0, 0, 0}, k, w);
      const WheelOrder o = drive_to(n, p, 0, 0.3, true);
      EXPECT_GT((o.right - o.left) * w, 0) << w << ' ' << k;
    }
}

TEST(WheelsStrategy, ARobotThatMovesKeepsItsSenseForAPlaceAbeam) {
  const PitchNumbers n;
  for (const double v : {0.3, -0.3})
    for (const double aside : {0.02, -0.02}) {
      const PlayerPose p{0, 0, 0, v, 0, 0};
      const WheelOrder o = drive_to(n, p, aside, 0.3, false);
      EXPECT_GT((o.left + o.right) * v, 0) << v << ' ' << aside;
    }
}

/// Two wheels that drive with all their torque steer no more: who faces a wall and is to go along it leaves it first.
TEST(WheelsStrategy, ARobotThatFacesAWallLeavesItInAnArcToTheSideAskedFor) {
  const PitchNumbers n;
  for (const double heading : {M_PI / 2, -M_PI / 2})
    for (const double aside : {0.4, -0.4}) {
      const PlayerPose p{0, n.half_width - 0.04, heading};
      const WheelOrder o = drive_to(n, p, aside, n.half_width - 0.04, false);
      EXPECT_LT((o.left + o.right) * std::sin(heading), 0) << "away from the wall";
      EXPECT_EQ(std::min(std::fabs(o.left), std::fabs(o.right)), 0) << "about a standing wheel";
      PlayerPose rolls = p;
      roll(n, rolls, o, 0.01);
      const double before = std::fabs(std::sin(p.theta)), after = std::fabs(std::sin(rolls.theta));
      EXPECT_LT(after, before) << "it turns along the wall";
      EXPECT_LT(rolls.y, p.y);
    }
}

/// A clinch: ball and robot at rest, touching. In its turn by the clock the robot goes straight back, or straight ahead
/// where a wall is behind it; who moves towards the ball goes on.
TEST(WheelsStrategy, WhoIsStuckBacksOffInItsTurnAndWhoGetsOnDoesNot) {
  const PitchNumbers n;
  const auto backs_off = [&](PlayerPose me, double ball_x, double sense) {
    int turns = 0;
    for (int k = 0; k < 130; ++k) {
      std::vector<PlayerPose> own = {me};
      std::vector<WheelOrder> orders(1);
      play(n, {ball_x, me.y, 0, 0, own, 1, {}, 0.01 * k}, orders);
      turns += orders[0].left == sense * n.top_wheel_speed && orders[0].right == sense * n.top_wheel_speed;
    }
    return turns;
  };
  EXPECT_NEAR(backs_off({0.2, 0, 0}, 0.262, -1), 65, 2) << "half of the time";
  EXPECT_EQ(backs_off({0.2, 0, 0, 0.2, 0, 0}, 0.262, -1), 0) << "it moves towards the ball";
  EXPECT_EQ(backs_off({-n.half_length + 0.04, 0.5, 0}, -n.half_length + 0.102, -1), 0) << "a wall is behind it";
}

}  // namespace
}  // namespace gradus::control

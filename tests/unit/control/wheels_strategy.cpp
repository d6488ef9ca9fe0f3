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

}  // namespace
}  // namespace gradus::control

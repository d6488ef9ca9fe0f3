/// A simple team for wheeled robot soccer: one keeper, the nearest player attacks the ball from behind, the others
/// cover. Works on poses alone, as a team that sees the overhead camera would. No state: the same picture gives the
/// same orders.
#pragma once
#include <span>

namespace gradus::control {

struct PlayerPose {
  double x = 0, y = 0, theta = 0;  // [m], [rad]
};
struct WheelOrder {
  double left = 0, right = 0;  // wheel speeds [rad/s]
};
struct PitchNumbers {
  double half_length = 1.1, half_width = 0.9, goal_width = 0.4;          // [m]
  double wheel_radius = 0.0225, half_axle = 0.0335, robot_side = 0.075;  // [m]
  double top_wheel_speed = 40;                                           // [rad/s]
};
/// What a team sees. attack: +1 towards +x, −1 towards −x.
struct Picture {
  double ball_x = 0, ball_y = 0, ball_vx = 0, ball_vy = 0;
  std::span<const PlayerPose> own;
  double attack = 1;
};

/// One order per own player.
void play(const PitchNumbers& pitch, const Picture& picture, std::span<WheelOrder> orders);

/// Orders that bring a player to a place (and keep its speed if it need not stop there).
WheelOrder drive_to(const PitchNumbers& pitch, const PlayerPose& player, double x, double y, bool stop);

}  // namespace gradus::control

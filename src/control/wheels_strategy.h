/// A team for wheeled robot soccer that never stands still. Roles: a keeper, the player that is best placed attacks the
/// ball from behind, the others support and cover. The attacker shoots where the goal is open, passes to a mate that is
/// ahead and free, dribbles along walls; players drive round each other; who is caught in a clinch spins or backs off
/// in turns, by the clock. Works on the picture alone, as a team that sees the overhead camera would. No memory: the
/// same picture gives the same orders, so that runs can be rewound. Where a choice must last, the players' own motion
/// holds it, for pictures show that, too.
#pragma once
#include <span>

namespace gradus::control {

struct PlayerPose {
  double x = 0, y = 0, theta = 0;  // [m], [rad]
  double vx = 0, vy = 0, w = 0;    // [m/s], [rad/s]
};
struct WheelOrder {
  double left = 0, right = 0;  // wheel speeds [rad/s]
};
struct PitchNumbers {
  double half_length = 1.1, half_width = 0.9, goal_width = 0.4;          // [m]
  double wheel_radius = 0.0225, half_axle = 0.0335, robot_side = 0.075;  // [m]
  double ball_radius = 0.0214;                                           // [m]
  double top_wheel_speed = 40;                                           // [rad/s]
};
/// What a team sees. attack: +1 towards +x, −1 towards −x.
struct Picture {
  double ball_x = 0, ball_y = 0, ball_vx = 0, ball_vy = 0;
  std::span<const PlayerPose> own;
  double attack = 1;
  std::span<const PlayerPose> others = {};  // opponents
  double time = 0;                          // [s]
};

/// One order per own player.
void play(const PitchNumbers& pitch, const Picture& picture, std::span<WheelOrder> orders);

/// Orders that bring a player to a place (and keep its speed if it need not stop there).
WheelOrder drive_to(const PitchNumbers& pitch, const PlayerPose& player, double x, double y, bool stop);

}  // namespace gradus::control

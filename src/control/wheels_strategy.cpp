#include "control/wheels_strategy.h"

#include <algorithm>

#include "math/scalar.h"

namespace gradus::control {
namespace {

struct Spot {
  double x, y;
  bool stop;
};

double length(double x, double y) { return square_root(x * x + y * y); }
double distance(const PlayerPose& p, double x, double y) { return length(p.x - x, p.y - y); }

/// The ball a moment ahead, kept inside the walls.
Spot ball_soon(const PitchNumbers& pitch, const Picture& see, double seconds) {
  const double x = see.ball_x + seconds * see.ball_vx, y = see.ball_y + seconds * see.ball_vy;
  const double wall = 0.03;
  return {std::clamp(x, -pitch.half_length + wall, pitch.half_length - wall),
          std::clamp(y, -pitch.half_width + wall, pitch.half_width - wall), false};
}

/// Keeper: on its line, between the ball and the goal.
Spot keeper_spot(const PitchNumbers& pitch, const Picture& see) {
  const double line = -see.attack * (pitch.half_length - 0.6 * pitch.robot_side);
  const double post = pitch.goal_width / 2;
  return {line, std::clamp(see.ball_y, -post, post), true};
}

/// Attacker: behind the ball on the line to the goal, then through it.
Spot attacker_spot(const PitchNumbers& pitch, const Picture& see, const PlayerPose& me) {
  const Spot ball = ball_soon(pitch, see, 0.15);
  const double gx = see.attack * pitch.half_length - ball.x, gy = -ball.y, g = std::max(length(gx, gy), 1e-6);
  const double dx = ball.x - me.x, dy = ball.y - me.y, d = std::max(length(dx, dy), 1e-6);
  const double lined_up = (dx * gx + dy * gy) / (d * g);  // cosine between me–ball and ball–goal
  if (lined_up > 0.9) return {ball.x + 0.2 * gx / g, ball.y + 0.2 * gy / g, false};
  const double behind = 0.12;
  double x = ball.x - behind * gx / g, y = ball.y - behind * gy / g;
  if (lined_up < 0) {  // I am in front of it: round it on my side
    const double side = (dx * gy - dy * gx) > 0 ? 1 : -1;
    x += -side * 0.12 * gy / g, y += side * 0.12 * gx / g;
  }
  const double edge = 0.6 * pitch.robot_side;
  return {std::clamp(x, -pitch.half_length + edge, pitch.half_length - edge),
          std::clamp(y, -pitch.half_width + edge, pitch.half_width - edge), false};
}

/// The others stand between ball and own goal, spread over the width.
Spot cover_spot(const PitchNumbers& pitch, const Picture& see, int rank, int count) {
  const double depth = 0.35 + 0.2 * (rank % 3);
  const double own_x = -see.attack * pitch.half_length;
  const double x = see.ball_x + depth * (own_x - see.ball_x);
  const double lane = count > 1 ? 2.0 * rank / (count - 1) - 1 : 0;
  const double y = 0.4 * see.ball_y + 0.55 * lane * pitch.half_width;
  const double edge = pitch.robot_side;
  return {std::clamp(x, -pitch.half_length + edge, pitch.half_length - edge),
          std::clamp(y, -pitch.half_width + edge, pitch.half_width - edge), true};
}

}  // namespace

WheelOrder drive_to(const PitchNumbers& pitch, const PlayerPose& player, double x, double y, bool stop) {
  double s, c;
  sine_cosine(player.theta, s, c);  // not std::sin: the same orders on every machine
  const double dx = x - player.x, dy = y - player.y, way = length(dx, dy);
  if (way < (stop ? 0.01 : 1e-6)) return {};
  const double ahead = (c * dx + s * dy) / way, left = (c * dy - s * dx) / way;  // cosine and sine of the bearing
  const double sense = ahead < 0 ? -1 : 1;                                       // both ends are fronts
  const double top = pitch.top_wheel_speed * pitch.wheel_radius;
  const double speed = sense * (stop ? std::min(top, 3 * way) : top) * std::max(0.1, sense * ahead);
  const double turn = 10 * sense * left;
  auto limit = [&](double v) {
    return std::clamp(v / pitch.wheel_radius, -pitch.top_wheel_speed, pitch.top_wheel_speed);
  };
  return {limit(speed - pitch.half_axle * turn), limit(speed + pitch.half_axle * turn)};
}

void play(const PitchNumbers& pitch, const Picture& see, std::span<WheelOrder> orders) {
  const int count = static_cast<int>(std::min(see.own.size(), orders.size()));
  int attacker = -1;
  double nearest = 1e9;
  for (int i = count > 1 ? 1 : 0; i < count; ++i) {
    // A player behind the ball (seen in the direction of attack) is worth a detour of 30 cm.
    const double behind = see.attack * (see.ball_x - see.own[i].x) > 0 ? 0 : 0.3;
    const double d = distance(see.own[i], see.ball_x, see.ball_y) + behind;
    if (d < nearest) nearest = d, attacker = i;
  }
  for (int i = 0, rank = 0; i < count; ++i) {
    Spot spot;
    if (i == attacker)
      spot = attacker_spot(pitch, see, see.own[i]);
    else if (i == 0)
      spot = keeper_spot(pitch, see);
    else
      spot = cover_spot(pitch, see, rank++, std::max(count - 2, 1));
    orders[i] = drive_to(pitch, see.own[i], spot.x, spot.y, spot.stop);
  }
}

}  // namespace gradus::control

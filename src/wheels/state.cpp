#include "wheels/state.h"

#include <algorithm>

namespace gradus::wheels {

void clear_state(const WheelsModel& m, std::span<double> state) {
  std::fill(state.begin(), state.end(), 0.0);
  body_of(state, m.robot_count())[kPresent] = 1;
}

void set_robot(std::span<double> state, int robot, Vec2 p, double theta) {
  auto b = body_of(state, robot);
  std::fill(b.begin(), b.end(), 0.0);
  b[kX] = p.x;
  b[kY] = p.y;
  b[kTheta] = theta;
  b[kPresent] = 1;
}

void set_ball(const WheelsModel& m, std::span<double> state, Vec2 p, Vec2 velocity, bool rolling) {
  auto b = body_of(state, m.robot_count());
  std::fill(b.begin(), b.end(), 0.0);
  b[kX] = p.x;
  b[kY] = p.y;
  b[kBallVx] = velocity.x;
  b[kBallVy] = velocity.y;
  b[kBallRollX] = rolling ? velocity.x : 0;
  b[kBallRollY] = rolling ? velocity.y : 0;
  b[kPresent] = 1;
}

double kinetic_energy(const WheelsModel& m, std::span<const double> state, int body) {
  const auto b = body_of(state, body);
  if (body < m.robot_count()) {
    const RobotModel& r = m.robots[body];
    return 0.5 * (r.mass_v * b[kV] * b[kV] + r.mass * b[kU] * b[kU] + r.inertia_w * b[kW] * b[kW]) +
           r.mass_offset * b[kU] * b[kW];
  }
  const BallParameters& ball = m.par.ball;
  const double v2 = b[kBallVx] * b[kBallVx] + b[kBallVy] * b[kBallVy];
  const double spin2 = b[kBallRollX] * b[kBallRollX] + b[kBallRollY] * b[kBallRollY] + b[kBallSpin] * b[kBallSpin];
  return 0.5 * ball.mass * (v2 + ball.inertia_ratio * spin2);
}

}  // namespace gradus::wheels

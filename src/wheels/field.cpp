#include "wheels/field.h"

#include <cmath>

namespace gradus::wheels {

LeagueNumbers league_numbers(League league) {
  switch (league) {
    case League::three_a_side:
      return {3, 1.5, 1.3, 0.4, 0.10, 0.07, 0.20, 0.70, 0.15, 0.375};
    case League::five_a_side:
      return {5, 2.2, 1.8, 0.4, 0.15, 0.07, 0.25, 0.50, 0.15, 0.375};
    default:
      return {11, 4.0, 2.8, 0.6, 0.15, 0.07, 0.75, 0.85, 0.25, 0.50};
  }
}

Field soccer_field(const LeagueNumbers& n) {
  Field f;
  const double x = n.length / 2, y = n.width / 2, back = x + n.goal_depth, s = std::sqrt(0.5), thick = 0.3;
  f.half_length = x, f.half_width = y, f.goal_width = n.goal_width, f.goal_depth = n.goal_depth;
  f.walls = {{{0, -1}, -y}, {{0, 1}, -y}, {{-1, 0}, -back}, {{1, 0}, -back}};
  for (const double sx : {-1.0, 1.0})
    for (const double sy : {-1.0, 1.0}) f.walls.push_back({{sx * s, sy * s}, -(x + y - n.corner) * s});
  const double post = n.goal_width / 2, top = y + thick;
  for (const double sx : {-1.0, 1.0})
    for (const double sy : {-1.0, 1.0}) {
      const double x0 = sx > 0 ? x : -x - thick, y0 = sy > 0 ? post : -top;
      const double x1 = x0 + thick, y1 = y0 + (top - post);
      f.blocks.push_back({{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}});
    }
  return f;
}

namespace {

/// FIRASim's numbers: masses and sizes of its parameter file; torque limits that give its measured 1.257 m/s² up and
/// 6.7 m/s² down (its casters drag when driving and help when braking).
RobotParameters firasim_robot() {
  RobotParameters r;
  r.body_mass = 1.0, r.wheel_mass = 0.2, r.wheel_radius = 0.02, r.half_axle = 0.0375;
  r.body_inertia = 1.0 * 0.075 * 0.075 / 6;
  r.wheel_inertia = 0.2 * 0.02 * 0.02 / 2, r.wheel_yaw_inertia = 0.2 * 0.02 * 0.02 / 4;
  r.wheel_damping = 0;
  r.tyre_static = r.tyre_sliding = 1.0;
  const double mass_v = r.body_mass + 2 * r.wheel_mass + 2 * r.wheel_inertia / (r.wheel_radius * r.wheel_radius);
  r.drive.limit_drive = 1.257 * mass_v * r.wheel_radius / 2;
  r.drive.limit_brake = 6.7 * mass_v * r.wheel_radius / 2;
  r.drive.speed_gain = 0.05;
  return r;
}

}  // namespace

WheelsParameters league_parameters(League league, Preset preset) {
  const LeagueNumbers n = league_numbers(league);
  WheelsParameters p;
  p.field = soccer_field(n);
  p.robots.assign(2 * n.team_size, preset == Preset::firasim ? firasim_robot() : RobotParameters{});
  if (preset == Preset::firasim) {
    p.ball.radius = 0.0215, p.ball.mass = 0.043;
    p.ball.sliding_friction = 0.8;
    p.ball.rolling_resistance = 0.076 / p.gravity, p.ball.rolling_damping = 0;
    p.surfaces = {{0.5, 1.0}, {0.0, 0.5}, {0.0, 0.5}, {0.0, 0.5}};
  }
  return p;
}

}  // namespace gradus::wheels

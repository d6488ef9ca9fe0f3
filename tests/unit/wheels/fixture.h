/// Small worlds for the tests of planar_wheels.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "wheels/field.h"
#include "wheels/planar_wheels.h"

namespace gradus::wheels {

/// A field so large that nothing reaches its walls.
inline Field open_field() {
  Field f;
  f.walls = {{{0, -1}, -1e2}, {{0, 1}, -1e2}, {{-1, 0}, -1e2}, {{1, 0}, -1e2}};
  f.half_length = f.half_width = 1e2;
  return f;
}

inline WheelsParameters open_parameters(int robots) {
  WheelsParameters p;
  p.field = open_field();
  p.robots.resize(robots);
  return p;
}
inline WheelsParameters five_parameters(int robots) {
  WheelsParameters p = league_parameters(League::five_a_side);
  p.robots.resize(robots);
  return p;
}
inline void no_friction(WheelsParameters& p) {
  p.surfaces.ball_wall.friction = p.surfaces.ball_robot.friction = 0;
  p.surfaces.robot_robot.friction = p.surfaces.robot_wall.friction = 0;
}
/// Motors off, tyres and floor without friction: free bodies.
inline void glide(WheelsParameters& p) {
  for (RobotParameters& r : p.robots) {
    r.drive.input = DriveInput::torque;
    r.wheel_damping = 0;
    r.tyre_static = r.tyre_sliding = 0;
  }
  p.ball.sliding_friction = p.ball.rolling_resistance = p.ball.rolling_damping = p.ball.spin_resistance = 0;
}

struct World {
  WheelsModel model;
  Scratch scratch;
  std::vector<double> state;
  std::vector<WheelCommand> commands;
  Report report;
  double time = 0;

  explicit World(const WheelsParameters& p) : model(compiled(p)), scratch(model), state(state_size(model)) {
    commands.resize(model.robot_count());
    clear_state(model, state);
    body_of(std::span<double>(state), model.robot_count())[kX] = 5;  // the ball out of the way (open fields)
  }
  static WheelsModel compiled(const WheelsParameters& p) {
    auto m = compile(p);
    for (const auto& d : m.notes()) ADD_FAILURE() << to_string(d);
    return *m;
  }
  std::span<double> robot(int i) { return body_of(std::span<double>(state), i); }
  std::span<double> ball() { return robot(model.robot_count()); }
  void step(double h) { advance(model, state, commands, h, scratch, report), time += h; }
  void run(double seconds, double h) {
    const long n = std::lround(seconds / h);
    for (long i = 0; i < n; ++i) step(h);
  }
  void drive(int i, double both) { commands[i] = {both, both}; }
  double gap() const { return smallest_gap(model, state); }
  double energy(int i) const { return kinetic_energy(model, state, i); }
};

}  // namespace gradus::wheels

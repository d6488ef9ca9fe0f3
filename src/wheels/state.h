/// The state of a group as one flat slab of doubles: what a snapshot copies and a hash covers.
///
///   bodies    (body_count × kBodyStride)   robots in order, then the ball
///   memory    1 + capacity × kMemoryStride contacts of the last slices: first guesses and the no-second-bounce rule
#pragma once
#include <span>

#include "wheels/model.h"

namespace gradus::wheels {

/// Fields of a body in the slab. The ball uses vx, vy for its velocity, spin for r_b ω_z and roll for the velocity its
/// rolling spin would give: ω = ẑ × roll / r_b.
enum BodyField {
  kX,
  kY,
  kTheta,  // [m], [m], [rad] in (−π, π]
  kV,
  kU,
  kW,  // robot: forward, sideways (left), yaw rate; body axes
  kWheelRight,
  kWheelLeft,  // robot: wheel angles [rad], not wrapped
  kPresent,    // 1 on the field, 0 taken away
  kBodyStride,
  kBallVx = kV,
  kBallVy = kU,
  kBallSpin = kW,
  kBallRollX = kWheelRight,
  kBallRollY = kWheelLeft
};

/// Fields of a remembered pair of bodies (or body and obstacle): impulses per second of its first two contact points.
enum MemoryField { kPair, kHitAge, kForce0, kFriction0, kForce1, kFriction1, kMemoryStride };

inline int memory_capacity(const WheelsModel& m) { return 4 * m.body_count(); }
inline int state_size(const WheelsModel& m) {
  return m.body_count() * kBodyStride + 1 + memory_capacity(m) * kMemoryStride;
}
inline std::span<double> body_of(std::span<double> state, int body) {
  return state.subspan(static_cast<std::size_t>(body) * kBodyStride, kBodyStride);
}
inline std::span<const double> body_of(std::span<const double> state, int body) {
  return state.subspan(static_cast<std::size_t>(body) * kBodyStride, kBodyStride);
}
inline std::span<double> memory_of(const WheelsModel& m, std::span<double> state) {
  return state.subspan(static_cast<std::size_t>(m.body_count()) * kBodyStride);
}

/// Everything at rest at the origin, all bodies taken away except the ball. Place the bodies before advancing.
void clear_state(const WheelsModel& m, std::span<double> state);
/// Puts a robot on the field, at rest. No overlap check: see placement.h.
void set_robot(std::span<double> state, int robot, Vec2 p, double theta);
/// Puts the ball down, rolling with the given velocity (or sliding without spin).
void set_ball(const WheelsModel& m, std::span<double> state, Vec2 p, Vec2 velocity, bool rolling = true);
/// Kinetic energy of one body: robot with wheels, ball with all its spin.
double kinetic_energy(const WheelsModel& m, std::span<const double> state, int body);

}  // namespace gradus::wheels

/// Body of chain.h: what runs in every step, inlined into the loops of drives.cpp.
#pragma once
#include <cmath>

#include "drive/chain.h"
#include "math/scalar.h"

namespace gradus {
namespace chain {

GRADUS_INLINE std::int8_t side(double x, double low, double high) {
  return static_cast<std::int8_t>((x > high) - (x < low));
}

/// Motor torque without back EMF on a piece, as a line of the speed y that the controller's encoder sees: t₀ − t₁ y.
struct DriveLine {
  double t0, t1;
};
GRADUS_INLINE DriveLine drive_line(const ChainStep& x, int bound) {
  if (bound != 0) return {x.memory + bound * x.top, 0};
  return {x.memory + x.drive, x.drive_slope};
}

/// Deflection of the teeth against a flank, now.
GRADUS_INLINE double flank(const Chain& c, const ChainStep& x, int contact) { return x.twist - contact * c.half_play; }

/// Rotor equation (4) on a piece without T_s:  a W = r + m V.
struct RotorLine {
  double a, r, m;
};
GRADUS_INLINE RotorLine rotor_line(const Chain& c, const ChainStep& x, const Piece& p) {
  const DriveLine u = drive_line(x, p.bound);
  const double r = x.momentum + u.t0 - p.slip * x.friction;
  return c.motor_side ? RotorLine{x.resistance + u.t1, r, 0} : RotorLine{x.resistance, r, -u.t1};
}

/// Flank on which a rotor of speed W/a would end without teeth, a > 0. Without play both are one.
GRADUS_INLINE std::int8_t flank_reached(const Chain& c, const ChainStep& x, double W, double a, double V) {
  if (c.play == 0) return 1;
  const double middle = V - c.spring_share * x.twist, half = c.spring_share * c.half_play;
  return side(W, a * (middle - half), a * (middle + half));
}

/// Stuck if the friction can hold the rotor against all that acts on it at rest.
GRADUS_INLINE std::int8_t slip_of(const Chain& c, const ChainStep& x, double V, int bound) {
  if (x.friction == 0) return 1;
  const DriveLine u = drive_line(x, bound);
  const int contact = flank_reached(c, x, 0, 1, V);
  const double teeth = contact == 0 ? 0 : c.spring * flank(c, x, contact) - c.contact * V;
  return side(x.momentum + u.t0 - (c.motor_side ? 0 : u.t1 * V) - teeth, -x.friction, x.friction);
}

/// T_s on a piece of the elastic gear. Written without differences of large numbers, for stiff teeth.
GRADUS_INLINE ChainLine elastic_line(const Chain& c, const ChainStep& x, const Piece& p) {
  const double pushed = p.contact == 0 ? 0 : c.spring * flank(c, x, p.contact), C = p.contact == 0 ? 0 : c.contact;
  if (p.slip == 0) return {pushed, -C, 0, 0};
  const RotorLine l = rotor_line(c, x, p);
  const double inverse = 1 / (l.a + C);
  return {(pushed * l.a + C * l.r) * inverse, C * (l.m - l.a) * inverse, (l.r - pushed) * inverse, (l.m + C) * inverse};
}

GRADUS_INLINE Piece joint_side_piece(const Chain& c, const ChainStep& x, double V) {
  Piece p;
  p.bound = side(x.p0 - c.slope * V, -c.limit, c.limit);
  p.slip = slip_of(c, x, V, p.bound);
  if (p.slip == 0) {
    p.contact = flank_reached(c, x, 0, 1, V);
    return p;
  }
  const RotorLine l = rotor_line(c, x, p);
  p.contact = flank_reached(c, x, l.r + l.m * V, l.a, V);
  return p;
}

/// The loop over the rotor's encoder: first as if it were not saturated; if that is wrong, saturated. Monotone:
/// saturated stays saturated. At rest P = p₀ whatever the piece, so friction is decided on first.
GRADUS_INLINE Piece motor_side_piece(const Chain& c, const ChainStep& x, double V) {
  const std::int8_t at_rest = side(x.p0, -c.limit, c.limit);
  const std::int8_t slip = slip_of(c, x, V, at_rest);
  if (slip == 0) return {at_rest, 0, flank_reached(c, x, 0, 1, V)};
  Piece p{0, slip, 0};
  for (int pass = 0;; ++pass) {
    const RotorLine l = rotor_line(c, x, p);
    p.contact = flank_reached(c, x, l.r, l.a, V);
    if (pass == 1) return p;
    const ChainLine w = elastic_line(c, x, p);
    p.bound = side(x.p0 - c.slope * (w.w0 + w.w1 * V), -c.limit, c.limit);
    if (p.bound == 0) return p;
  }
}

/// Motor torque on a piece when the rotor turns with the joint:  T_m − B V = t₀ + t₁ V.
GRADUS_INLINE ChainLine motor_line(const ChainStep& x, const Piece& p) {
  const DriveLine u = drive_line(x, p.bound);
  return {u.t0, -(x.resistance + u.t1), 0, 1};
}

GRADUS_INLINE ChainLine with_friction(const ChainStep& x, const Piece& p, ChainLine l) {
  if (p.slip == 0 && x.friction > 0) l.t1 -= x.friction / kRest;
  l.t0 -= p.slip * x.friction;
  return l;
}

GRADUS_INLINE Piece rigid_piece(const Chain& c, const ChainStep& x, double V) {
  Piece p;
  p.bound = side(x.p0 - c.slope * V, -c.limit, c.limit);
  if (x.friction > 0) p.slip = side(V, -kRest, kRest);
  return p;
}

inline Piece motoflex_piece(const Chain& c, const ChainState& s, const ChainStep& x, double V) {
  Piece p = rigid_piece(c, x, V);
  const ChainLine m = motor_line(x, p);
  const double free = s.theta + c.h * (s.omega + c.mass * (m.t0 + m.t1 * V)) / c.mass_loss;
  p.contact = side(free, 0, c.play);
  return p;
}

/// (8): the gear mass's speed and the torque behind it as lines of V.
inline ChainLine motoflex_line(const Chain& c, const ChainState& s, const ChainStep& x, const Piece& p) {
  const ChainLine m = motor_line(x, p);
  const double y = s.theta - (p.contact > 0 ? c.play : 0), b = p.contact == 0 ? 0 : c.mass_spring;
  const double inverse = 1 / (c.mass_loss + b * c.h);
  ChainLine l{0, 0, (s.omega + c.mass * m.t0 - b * y) * inverse, c.mass * m.t1 * inverse};
  if (p.contact != 0) {
    l.t0 = c.spring * (y + c.h * l.w0);
    l.t1 = c.spring * c.h * l.w1;
  }
  return with_friction(x, p, l);
}

/// Where (9) meets the line of the present piece.
GRADUS_INLINE double meeting(double M, double b, const ChainLine& l) { return (b + l.t0) / (M - l.t1); }

}  // namespace chain

GRADUS_INLINE Piece find_piece(const Chain& c, const ChainState& s, const ChainStep& x, double V) {
  if (c.gear == GearModel::elastic)
    return c.motor_side ? chain::motor_side_piece(c, x, V) : chain::joint_side_piece(c, x, V);
  return c.gear == GearModel::rigid ? chain::rigid_piece(c, x, V) : chain::motoflex_piece(c, s, x, V);
}

GRADUS_INLINE ChainLine find_line(const Chain& c, const ChainState& s, const ChainStep& x, const Piece& p) {
  if (c.gear == GearModel::elastic) return chain::elastic_line(c, x, p);
  if (c.gear == GearModel::motoflex) return chain::motoflex_line(c, s, x, p);
  return chain::with_friction(x, p, chain::motor_line(x, p));
}

GRADUS_INLINE double friction_budget(const Chain& c, const ChainState& s, double speed) {
  if (!c.falls) return c.coulomb + c.load * s.load;
  const double x = speed * c.per_stribeck_speed, share = 1 / (1 + x * x);
  return c.coulomb + c.stribeck * share + (c.load + c.load_stribeck * share) * s.load;
}

GRADUS_INLINE double delayed_goal(const Chain& c, const double* ring, std::int64_t k, double command) {
  if (c.ring == 0) return command;
  const std::int64_t oldest = k % c.ring;  // slot of u_{k−n−1}, which u_k takes afterwards
  const double before = ring[oldest], after = c.delay_steps == 0 ? command : ring[(oldest + 1) % c.ring];
  return after + c.delay_share * (before - after);
}

GRADUS_INLINE void begin_chain(const Chain& c, const ChainState& s, double q, double v, double goal, double stiffness,
                               ChainStep& x) {
  const double error = goal - (c.motor_side ? s.theta : q);
  const bool powered = stiffness > 0;  // released: no current flows
  x.twist = s.theta - q;
  x.goal = goal;
  x.stiffness = stiffness;
  x.p0 = c.kp * error + c.ki * (s.integral + c.h * error);
  if (c.error_rate) x.p0 += c.kd * (goal - s.goal) / c.h;
  const double gain = powered ? c.gain * stiffness : 0;
  x.drive = gain * x.p0;
  x.drive_slope = gain * c.slope;
  x.top = gain * c.limit;
  x.memory = powered ? c.current_torque * s.current : 0;
  x.resistance = powered ? c.resistance : c.released_resistance;
  x.momentum = c.inertia * s.omega;
  x.friction = friction_budget(c, s, c.gear == GearModel::elastic ? s.omega : v);
  x.piece = find_piece(c, s, x, v);
  x.line = find_line(c, s, x, x.piece);
  if (s.inertia == 0) return;
  const double b = s.inertia * v + s.outside, V = chain::meeting(s.inertia, b, x.line);
  if (find_piece(c, s, x, V) != x.piece) solve_piece(c, s, s.inertia, b, V, x);
}

GRADUS_INLINE bool off_piece(const Chain& c, const ChainState& s, const ChainStep& x, double V) {
  return find_piece(c, s, x, V) != x.piece;
}

GRADUS_INLINE void change_piece(const Chain& c, const ChainState& s, ChainStep& x, double V, double inertia) {
  // (9): the rest of the torque on the inertia, as this prediction had it: m/h V − T = b
  const double M = inertia / c.h, b = (M - x.line.t1) * V - x.line.t0;
  solve_piece(c, s, M, b, V, x);
}

GRADUS_INLINE void end_chain(const Chain& c, const ChainState& s, const ChainStep& x, double v, double V, double q_next,
                             double inertia, ChainState& n) {
  const ChainLine& l = x.line;
  const double W = l.w0 + l.w1 * V, rotor = c.gear == GearModel::elastic ? W : V, torque = l.t0 + l.t1 * V;
  n.theta = c.gear == GearModel::rigid ? q_next : s.theta + c.h * W;
  n.omega = W;
  const double output = x.piece.bound == 0 ? x.p0 - c.slope * (c.motor_side ? W : V) : x.piece.bound * c.limit;
  const double volts = x.stiffness * output;
  n.voltage = c.electrical ? volts : 0;
  n.current = x.stiffness > 0 ? c.per_impedance * (c.inductor * s.current + volts - c.kappa * rotor) : 0;
  const double error = x.goal - (c.motor_side ? n.theta : q_next);
  const bool integrates = x.piece.bound == 0 && x.stiffness > 0;  // no wind-up
  n.integral = integrates ? s.integral + c.h * error : s.integral;
  n.load = 0.5 * (s.load + std::fabs(torque));
  n.goal = x.goal;
  n.inertia = inertia * c.per_h;
  n.outside = n.inertia * (V - v) - torque;
}

}  // namespace gradus

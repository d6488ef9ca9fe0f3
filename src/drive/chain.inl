/// Body of chain.h: what runs in every step, inlined into the loops of chains.inl. What depends on constants alone is a
/// branch, what depends on the state a selection, with a short cut where it holds for all lanes.
#pragma once
#include <limits>

#include "drive/chain.h"

namespace gradus {
namespace chain {

template <class T>
GRADUS_INLINE T side(T x, T low, T high) {
  return select(x > high, T(1.0), select(x < low, T(-1.0), T(0.0)));
}
template <class T>
GRADUS_INLINE PieceT<T> choose(MaskOf<T> m, const PieceT<T>& a, const PieceT<T>& b) {
  return {select(m, a.bound, b.bound), select(m, a.slip, b.slip), select(m, a.contact, b.contact)};
}
template <class T>
GRADUS_INLINE ChainLineT<T> choose(MaskOf<T> m, const ChainLineT<T>& a, const ChainLineT<T>& b) {
  return {select(m, a.t0, b.t0), select(m, a.t1, b.t1), select(m, a.w0, b.w0), select(m, a.w1, b.w1)};
}
template <class T>
GRADUS_INLINE MaskOf<T> same(const PieceT<T>& a, const PieceT<T>& b) {
  return mask_and(mask_and(a.bound == b.bound, a.slip == b.slip), a.contact == b.contact);
}

/// Output of the controller at its limits.
template <class T>
GRADUS_INLINE T edge(const ChainStepT<T>& x, T bound) {
  return select(bound > T(0.0), x.high, x.low);
}

/// (10)
template <class T, class F>
GRADUS_INLINE void bound_drive(const ChainT<F>& c, T m, T omega, ChainStepT<T>& x) {
  const T o = T(0.0), per_gain = select(x.gain > o, T(1.0) / x.gain, o), speed = maximum(omega, -omega);
  const T unknown = T(std::numeric_limits<double>::infinity());  // m in the first step
  const T all_of_it = c.gear == GearModel::elastic ? T(c.inertia) + m : m;  // a rigid gear's rotor is part of m
  T most = select(m > o, maximum(o, all_of_it * (T(c.speed_limit) - speed)), unknown);
  most = select(speed * most > T(c.power_limit), T(c.power_limit) / speed, most) * per_gain;
  x.high = select(omega > o, minimum(x.high, most), x.high);
  x.low = select(omega < o, maximum(x.low, -most), x.low);
}

/// Motor torque without back EMF on a piece, as a line of the speed y that the controller's encoder sees: t₀ − t₁ y.
template <class T>
struct DriveLineT {
  T t0, t1;
};
template <class T>
GRADUS_INLINE DriveLineT<T> drive_line(const ChainStepT<T>& x, T bound) {
  const auto free = bound == T(0.0);
  return {x.memory + select(free, x.drive, x.gain * edge(x, bound)), select(free, x.drive_slope, T(0.0))};
}

/// Deflection of the teeth against a flank, now.
template <class T, class F>
GRADUS_INLINE T flank(const ChainT<F>& c, const ChainStepT<T>& x, T contact) {
  return x.twist - contact * T(c.half_play);
}

/// Rotor equation (4) on a piece without T_s:  a W = r + m V.
template <class T>
struct RotorLineT {
  T a, r, m;
};
template <class T, class F>
GRADUS_INLINE RotorLineT<T> rotor_line(const ChainT<F>& c, const ChainStepT<T>& x, const PieceT<T>& p) {
  const DriveLineT<T> u = drive_line(x, p.bound);
  const T r = x.momentum + u.t0 - p.slip * x.friction;
  return c.motor_side ? RotorLineT<T>{x.resistance + u.t1, r, T(0.0)} : RotorLineT<T>{x.resistance, r, -u.t1};
}

/// Flank on which a rotor of speed W/a would end without teeth, a > 0. Without play both are one.
template <class T, class F>
GRADUS_INLINE T flank_reached(const ChainT<F>& c, const ChainStepT<T>& x, T W, T a, T V) {
  if (!c.loose) return T(1.0);
  const T middle = V - T(c.spring_share) * x.twist, half = T(c.spring_share) * T(c.half_play);
  return side(W, a * (middle - half), a * (middle + half));
}

/// Stuck if the friction can hold the rotor against all that acts on it at rest.
template <class T, class F>
GRADUS_INLINE T slip_of(const ChainT<F>& c, const ChainStepT<T>& x, T V, T bound) {
  if (all(x.smooth > T(0.0))) return T(1.0);
  const DriveLineT<T> u = drive_line(x, bound);
  const T contact = flank_reached(c, x, T(0.0), T(1.0), V);
  const T teeth = select(contact == T(0.0), T(0.0), T(c.spring) * flank(c, x, contact) - T(c.contact) * V);
  const T pull = x.momentum + u.t0 - (c.motor_side ? T(0.0) : u.t1 * V) - teeth;
  return side(pull, -x.friction, x.friction) * (T(1.0) - x.smooth) + x.smooth;
}

/// T_s on a piece of the elastic gear. Written without differences of large numbers, for stiff teeth.
template <class T, class F>
GRADUS_INLINE ChainLineT<T> elastic_line(const ChainT<F>& c, const ChainStepT<T>& x, const PieceT<T>& p) {
  const T o = T(0.0);
  const auto apart = p.contact == o, stuck = p.slip == o;
  const T pushed = select(apart, o, T(c.spring) * flank(c, x, p.contact)), C = select(apart, o, T(c.contact));
  const ChainLineT<T> held{pushed, -C, o, o};
  if (all(stuck)) return held;
  const RotorLineT<T> l = rotor_line(c, x, p);
  const T inverse = T(1.0) / (l.a + C);
  return choose<T>(stuck, held,
                   {(pushed * l.a + C * l.r) * inverse, C * (l.m - l.a) * inverse, (l.r - pushed) * inverse, (l.m + C) * inverse});
}

template <class T, class F>
GRADUS_INLINE PieceT<T> joint_side_piece(const ChainT<F>& c, const ChainStepT<T>& x, T V) {
  PieceT<T> p;
  p.bound = side(x.p0 - T(c.slope) * V, x.low, x.high);
  p.slip = slip_of(c, x, V, p.bound);
  const auto stuck = p.slip == T(0.0);
  const RotorLineT<T> l = rotor_line(c, x, p);
  p.contact = flank_reached(c, x, select(stuck, T(0.0), l.r + l.m * V), select(stuck, T(1.0), l.a), V);
  return p;
}

/// The loop over the rotor's encoder: first as if it were not saturated; if that is wrong, saturated. Monotone:
/// saturated stays saturated. At rest P = p₀ whatever the piece, so friction is decided on first.
template <class T, class F>
GRADUS_INLINE PieceT<T> motor_side_piece(const ChainT<F>& c, const ChainStepT<T>& x, T V) {
  const T o = T(0.0);
  const T slip = slip_of(c, x, V, x.at_rest);
  const auto stuck = slip == o;
  const PieceT<T> held{x.at_rest, slip, any(stuck) ? flank_reached(c, x, o, T(1.0), V) : o};
  if (all(stuck)) return held;
  PieceT<T> p{o, slip, o};
  RotorLineT<T> l = rotor_line(c, x, p);
  p.contact = flank_reached(c, x, l.r, l.a, V);
  const ChainLineT<T> w = elastic_line(c, x, p);
  p.bound = side(x.p0 - T(c.slope) * (w.w0 + w.w1 * V), x.low, x.high);
  if (any(p.bound != o)) {
    l = rotor_line(c, x, p);
    p.contact = select(p.bound != o, flank_reached(c, x, l.r, l.a, V), p.contact);
  }
  return choose<T>(stuck, held, p);
}

/// Motor torque on a piece when the rotor turns with the joint:  T_m − B V = t₀ + t₁ V.
template <class T>
GRADUS_INLINE ChainLineT<T> motor_line(const ChainStepT<T>& x, const PieceT<T>& p) {
  const DriveLineT<T> u = drive_line(x, p.bound);
  return {u.t0, -(x.resistance + u.t1), T(0.0), T(1.0)};
}

template <class T>
GRADUS_INLINE ChainLineT<T> with_friction(const ChainStepT<T>& x, const PieceT<T>& p, ChainLineT<T> l) {
  l.t1 -= select(p.slip == T(0.0), x.friction / T(kRest), T(0.0));
  l.t0 -= p.slip * x.friction;
  return l;
}

template <class T, class F>
GRADUS_INLINE PieceT<T> rigid_piece(const ChainT<F>& c, const ChainStepT<T>& x, T V) {
  const T slip = side(V, T(-kRest), T(kRest)) * (T(1.0) - x.smooth) + T(0.0);
  return {side(x.p0 - T(c.slope) * V, x.low, x.high), slip, T(0.0)};
}

template <class T, class F>
GRADUS_INLINE PieceT<T> motoflex_piece(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, T V) {
  PieceT<T> p = rigid_piece(c, x, V);
  const ChainLineT<T> m = motor_line(x, p);
  const T free = s.theta + T(c.h) * (s.omega + T(c.mass) * (m.t0 + m.t1 * V)) / T(c.mass_loss);
  p.contact = side(free, T(0.0), T(c.play));
  return p;
}

/// (8): the gear mass's speed and the torque behind it as lines of V.
template <class T, class F>
GRADUS_INLINE ChainLineT<T> motoflex_line(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, const PieceT<T>& p) {
  const T o = T(0.0);
  const auto apart = p.contact == o;
  const ChainLineT<T> m = motor_line(x, p);
  const T y = s.theta - select(p.contact > o, T(c.play), o), b = select(apart, o, T(c.mass_spring));
  const T inverse = T(1.0) / (T(c.mass_loss) + b * T(c.h));
  ChainLineT<T> l{o, o, (s.omega + T(c.mass) * m.t0 - b * y) * inverse, T(c.mass) * m.t1 * inverse};
  l.t0 = select(apart, o, T(c.spring) * (y + T(c.h) * l.w0));
  l.t1 = select(apart, o, T(c.spring * c.h) * l.w1);
  return with_friction(x, p, l);
}

/// Where (9) meets the line of the present piece.
template <class T>
GRADUS_INLINE T meeting(T M, T b, const ChainLineT<T>& l) {
  return (b + l.t0) / (M - l.t1);
}

/// Where to look between two speeds when Newton's method leaves them: first at the narrow pieces between wide flat ones
/// (sticking, the output that is not saturated), over which it jumps to and fro, then in the middle.
template <class T, class F>
GRADUS_INLINE T between(const ChainT<F>& c, const ChainStepT<T>& x, T low, T high) {
  const auto inside = [&](T V) { return mask_and(low < V, V < high); };
  T V = T(0.5) * (low + high);
  if (!c.motor_side) {
    const T free = x.p0 / T(c.slope);  // without a slope: nowhere
    V = select(inside(free), free, V);
  }
  if (c.gear == GearModel::elastic) return V;
  const T rest = select(x.smooth > T(0.0), high, T(0.0));
  return select(inside(rest), rest, V);
}
constexpr int kLocalSteps = 24;  // two or three are usual

}  // namespace chain

template <class T, class F>
GRADUS_INLINE PieceT<T> find_piece(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, std::type_identity_t<T> V) {
  if (c.gear == GearModel::elastic)
    return c.motor_side ? chain::motor_side_piece(c, x, V) : chain::joint_side_piece(c, x, V);
  return c.gear == GearModel::rigid ? chain::rigid_piece(c, x, V) : chain::motoflex_piece(c, s, x, V);
}

template <class T, class F>
GRADUS_INLINE ChainLineT<T> find_line(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, const PieceT<T>& p) {
  if (c.gear == GearModel::elastic) return chain::elastic_line(c, x, p);
  if (c.gear == GearModel::motoflex) return chain::motoflex_line(c, s, x, p);
  return chain::with_friction(x, p, chain::motor_line(x, p));
}

/// Newton's method on M V − T_s(V) = b, kept between the speeds where the left side is below and above b. The pieces are
/// few and straight, so it ends.
template <class T, class F>
GRADUS_INLINE void solve_piece_where(T todo, const ChainT<F>& c, const ChainStateT<T>& s, T M, T b, T V, ChainStepT<T>& x) {
  T low = T(-std::numeric_limits<double>::infinity()), high = -low;
  for (int i = 0; i < chain::kLocalSteps; ++i) {
    const auto open = todo > T(0.0);
    const PieceT<T> p = find_piece(c, s, x, V);
    const ChainLineT<T> l = find_line(c, s, x, p);
    x.piece = chain::choose<T>(open, p, x.piece);
    x.line = chain::choose<T>(open, l, x.line);
    const auto above = (M - l.t1) * V - l.t0 > b;
    high = select(above, V, high);
    low = select(above, low, V);
    T next = chain::meeting(M, b, l);
    todo = select(chain::same(find_piece(c, s, x, next), p), T(0.0), todo);
    if (!any(todo > T(0.0))) return;
    const auto inside = mask_and(next > low, next < high);
    if (!all(inside)) next = select(inside, next, chain::between(c, x, low, high));
    V = next;
  }
}

template <class T, class F>
GRADUS_INLINE T friction_budget(const ChainT<F>& c, const ChainStateT<T>& s, std::type_identity_t<T> speed) {
  if (!c.falls) return T(c.coulomb) + T(c.load) * s.load;
  const T x = speed * T(c.per_stribeck_speed), share = T(1.0) / (T(1.0) + x * x);
  return T(c.coulomb) + T(c.stribeck) * share + (T(c.load) + T(c.load_stribeck) * share) * s.load;
}

template <class T, class F>
GRADUS_INLINE T delayed_goal(const ChainT<F>& c, const T* ring, std::int64_t k, std::type_identity_t<T> command) {
  if (c.ring == 0) return command;
  const std::int64_t oldest = k % c.ring;  // slot of u_{k−n−1}, which u_k takes afterwards
  const T before = ring[oldest], after = c.delay_steps == 0 ? command : ring[(oldest + 1) % c.ring];
  return after + T(c.delay_share) * (before - after);
}

template <class T, class F, class Solve>
GRADUS_INLINE void begin_chain(const ChainT<F>& c, const ChainStateT<T>& s, T q, T v, T goal, T stiffness, ChainStepT<T>& x,
                               const Solve& solve) {
  const T o = T(0.0), error = goal - (c.motor_side ? s.theta : q);
  const auto powered = stiffness > o;  // released: no current flows
  x.twist = s.theta - q;
  x.goal = goal;
  x.stiffness = stiffness;
  x.p0 = T(c.kp) * error + T(c.ki) * (s.integral + T(c.h) * error);
  if (c.error_rate) x.p0 += T(c.kd) * (goal - s.goal) / T(c.h);
  x.gain = select(powered, T(c.gain) * stiffness, o);
  x.drive = x.gain * x.p0;
  x.drive_slope = x.gain * T(c.slope);
  x.low = T(-c.limit), x.high = T(c.limit);
  if (c.bounded) chain::bound_drive(c, s.inertia, c.gear == GearModel::elastic ? s.omega : v, x);
  x.memory = select(powered, T(c.current_torque) * s.current, o);
  x.resistance = select(powered, T(c.resistance), T(c.released_resistance));
  x.momentum = T(c.inertia) * s.omega;
  x.friction = friction_budget(c, s, c.gear == GearModel::elastic ? s.omega : v);
  x.at_rest = chain::side(x.p0, x.low, x.high);
  x.smooth = select(x.friction > o, o, T(1.0));
  x.piece = find_piece(c, s, x, v);
  x.line = find_line(c, s, x, x.piece);
  const auto known = s.inertia != o;
  if (!any(known)) return;
  const T b = s.inertia * v + s.outside, V = chain::meeting(s.inertia, b, x.line);
  const auto off = mask_and(known, off_piece(c, s, x, V));
  if (any(off)) solve(select(off, T(1.0), o), c, s, s.inertia, b, V, x);
}
GRADUS_INLINE void begin_chain(const Chain& c, const ChainState& s, double q, double v, double goal, double stiffness, ChainStep& x) {
  begin_chain(c, s, q, v, goal, stiffness, x, SolvePiece{});
}

template <class T, class F>
GRADUS_INLINE MaskOf<T> off_piece(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, std::type_identity_t<T> V) {
  return mask_not(chain::same(find_piece(c, s, x, V), x.piece));
}

template <class T, class F, class Solve>
GRADUS_INLINE void change_piece(MaskOf<T> off, const ChainT<F>& c, const ChainStateT<T>& s, ChainStepT<T>& x, T V, T inertia,
                                const Solve& solve) {
  // (9): the rest of the torque on the inertia, as this prediction had it: m/h V − T = b
  const T M = inertia / T(c.h), b = (M - x.line.t1) * V - x.line.t0;
  solve(select(off, T(1.0), T(0.0)), c, s, M, b, V, x);
}
GRADUS_INLINE void change_piece(const Chain& c, const ChainState& s, ChainStep& x, double V, double inertia) {
  change_piece(true, c, s, x, V, inertia, SolvePiece{});
}

template <class T, class F>
GRADUS_INLINE void end_chain(const ChainT<F>& c, const ChainStateT<T>& s, const ChainStepT<T>& x, T v, T V, T q_next, T inertia,
                             ChainStateT<T>& n) {
  const ChainLineT<T>& l = x.line;
  const T o = T(0.0), W = l.w0 + l.w1 * V, rotor = c.gear == GearModel::elastic ? W : V, torque = l.t0 + l.t1 * V;
  const auto free = x.piece.bound == o, powered = x.stiffness > o;
  n.theta = c.gear == GearModel::rigid ? q_next : s.theta + T(c.h) * W;
  n.omega = W;
  const T output = select(free, x.p0 - T(c.slope) * (c.motor_side ? W : V), chain::edge(x, x.piece.bound));
  const T volts = x.stiffness * output;
  n.voltage = c.electrical ? volts : o;
  n.current = select(powered, T(c.per_impedance) * (T(c.inductor) * s.current + volts - T(c.kappa) * rotor), o);
  const T error = x.goal - (c.motor_side ? n.theta : q_next);
  n.integral = select(mask_and(free, powered), s.integral + T(c.h) * error, s.integral);  // no wind-up
  n.load = T(0.5) * (s.load + maximum(torque, -torque));
  n.goal = x.goal;
  n.inertia = inertia * T(c.per_h);
  n.outside = n.inertia * (V - v) - torque;
}

}  // namespace gradus

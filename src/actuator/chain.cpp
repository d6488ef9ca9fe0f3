#include "actuator/chain.h"

#include <cmath>
#include <limits>

#include "math/scalar.h"

namespace gradus {
namespace {

constexpr int kLocalSteps = 24;  // two or three are usual

std::int8_t side(double x, double low, double high) {
  return static_cast<std::int8_t>(x > high ? 1 : x < low ? -1 : 0);
}

/// Controller's output on a piece, as a line of the speed y that its encoder sees: U = u₀ − u₁ y.
struct OutputLine {
  double u0, u1;
};
OutputLine output_line(const Chain& c, const ChainStep& x, const Piece& p) {
  if (p.bound != 0) return {p.bound * x.stiffness * c.limit, 0};
  return {x.stiffness * x.p0, x.stiffness * c.slope};
}

/// Deflection of the teeth against the flank that the rotor pushes, now.
double flank(const Chain& c, const ChainState& s, const ChainStep& x, int contact) {
  return s.theta - x.q - contact * c.half_play;
}

/// Rotor equation (4) on a piece without T_s:  a W = r + m V.
struct RotorLine {
  double a, r, m;
};
RotorLine rotor_line(const Chain& c, const ChainState& s, const ChainStep& x, const Piece& p) {
  const OutputLine u = output_line(c, x, p);
  const double own = x.gain * u.u1;
  return {c.inertia + c.viscous + x.gain * c.kappa + (c.motor_side ? own : 0),
          c.inertia * s.omega + x.memory + x.gain * u.u0 - p.slip * x.friction, c.motor_side ? 0 : -own};
}

/// Flank on which the rotor would end with the speed W that it has without teeth. Without play both are one.
std::int8_t flank_reached(const Chain& c, const ChainState& s, const ChainStep& x, double W, double V) {
  if (c.play == 0) return 1;
  const double middle = V - c.spring_share * (s.theta - x.q), half = c.spring_share * c.half_play;
  const double up = middle + half, down = middle - half;
  return side(W, down, up);
}

double teeth_torque(const Chain& c, const ChainState& s, const ChainStep& x, int contact, double W, double V) {
  return contact == 0 ? 0 : c.spring * flank(c, s, x, contact) + c.contact * (W - V);
}

/// Stuck if the friction can hold the rotor against all that acts on it at rest.
std::int8_t slip_of(const Chain& c, const ChainState& s, const ChainStep& x, double V, std::int8_t bound) {
  if (x.friction == 0) return 1;
  const OutputLine u = output_line(c, x, {bound, 0, 0});
  const double drive = c.inertia * s.omega + x.memory + x.gain * (u.u0 - (c.motor_side ? 0 : u.u1 * V));
  const double net = drive - teeth_torque(c, s, x, flank_reached(c, s, x, 0, V), 0, V);
  return side(net, -x.friction, x.friction);
}

Piece elastic_piece(const Chain& c, const ChainState& s, const ChainStep& x, double V) {
  Piece p;
  if (!c.motor_side) p.bound = side(x.p0 - c.slope * V, -c.limit, c.limit);
  for (int pass = 0;; ++pass) {
    // At rest the motor-side loop gives P = p₀ whatever the piece; else the sign of the motion decides on friction
    // first.
    const std::int8_t at_rest = c.motor_side ? side(x.p0, -c.limit, c.limit) : p.bound;
    p.slip = slip_of(c, s, x, V, at_rest);
    if (p.slip == 0) {
      p.bound = at_rest;
      p.contact = flank_reached(c, s, x, 0, V);
      return p;
    }
    const RotorLine l = rotor_line(c, s, x, p);
    p.contact = flank_reached(c, s, x, (l.r + l.m * V) / l.a, V);
    if (!c.motor_side || pass == 1) return p;
    const ChainLine w = find_line(c, s, x, p);
    p.bound = side(x.p0 - c.slope * (w.w0 + w.w1 * V), -c.limit, c.limit);  // monotone: saturated stays saturated
    if (p.bound == 0) return p;
  }
}

/// T_s on a piece of the elastic gear. Written without differences of large numbers, for stiff teeth.
ChainLine elastic_line(const Chain& c, const ChainState& s, const ChainStep& x, const Piece& p) {
  const double pushed = p.contact == 0 ? 0 : c.spring * flank(c, s, x, p.contact), C = p.contact == 0 ? 0 : c.contact;
  if (p.slip == 0) return {pushed, -C, 0, 0};
  const RotorLine l = rotor_line(c, s, x, p);
  const double inverse = 1 / (l.a + C);
  return {(pushed * l.a + C * l.r) * inverse, C * (l.m - l.a) * inverse, (l.r - pushed) * inverse, (l.m + C) * inverse};
}

/// Motor torque on a piece when the rotor turns with the joint:  T_m − B V = t₀ + t₁ V.
ChainLine motor_line(const Chain& c, const ChainStep& x, const Piece& p) {
  const OutputLine u = output_line(c, x, p);
  return {x.memory + x.gain * u.u0, -(c.viscous + x.gain * (c.kappa + u.u1)), 0, 1};
}

ChainLine with_friction(const ChainStep& x, const Piece& p, ChainLine l) {
  if (p.slip == 0 && x.friction > 0) l.t1 -= x.friction / kRest;
  l.t0 -= p.slip * x.friction;
  return l;
}

Piece rigid_piece(const Chain& c, const ChainStep& x, double V) {
  Piece p;
  p.bound = side(x.p0 - c.slope * V, -c.limit, c.limit);
  if (x.friction > 0) p.slip = side(V, -kRest, kRest);
  return p;
}

Piece motoflex_piece(const Chain& c, const ChainState& s, const ChainStep& x, double V) {
  Piece p = rigid_piece(c, x, V);
  const ChainLine m = motor_line(c, x, p);
  const double free = s.theta + c.h * (s.omega + c.mass * (m.t0 + m.t1 * V)) / c.mass_loss;
  p.contact = side(free, 0, c.play);
  return p;
}

/// (8): the gear mass's speed and the torque behind it as lines of V.
ChainLine motoflex_line(const Chain& c, const ChainState& s, const ChainStep& x, const Piece& p) {
  const ChainLine m = motor_line(c, x, p);
  const double y = s.theta - (p.contact > 0 ? c.play : 0), b = p.contact == 0 ? 0 : c.mass_spring;
  const double inverse = 1 / (c.mass_loss + b * c.h);
  ChainLine l{0, 0, (s.omega + c.mass * m.t0 - b * y) * inverse, c.mass * m.t1 * inverse};
  if (p.contact != 0) {
    l.t0 = c.spring * (y + c.h * l.w0);
    l.t1 = c.spring * c.h * l.w1;
  }
  return with_friction(x, p, l);
}

/// Where to look between two speeds when Newton's method leaves them: first at the narrow pieces between wide flat ones
/// (sticking, the output that is not saturated), over which it jumps to and fro, then in the middle.
double between(const Chain& c, const ChainStep& x, double low, double high) {
  const auto inside = [&](double V) { return low < V && V < high; };
  if (x.friction > 0 && c.gear != GearModel::elastic && inside(0)) return 0;
  if (!c.motor_side && c.slope > 0 && inside(x.p0 / c.slope)) return x.p0 / c.slope;
  return 0.5 * (low + high);
}

/// Solves (9) for its piece: Newton's method on M V − T_s(V) = b, kept between the speeds where the left side is below
/// and above b. The pieces are few and straight, so it ends.
void solve_piece(const Chain& c, const ChainState& s, double M, double b, double V, ChainStep& x) {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  for (int i = 0; i < kLocalSteps; ++i) {
    x.piece = find_piece(c, s, x, V);
    x.line = find_line(c, s, x, x.piece);
    const double slope = M - x.line.t1;
    (slope * V - x.line.t0 > b ? high : low) = V;
    double next = (b + x.line.t0) / slope;
    if (find_piece(c, s, x, next) == x.piece) return;
    if (!(next > low && next < high)) next = between(c, x, low, high);
    V = next;
  }
}

}  // namespace

Chain make_chain(const DriveModel& drive, double h, int state) {
  const DriveSpec& d = drive.spec;
  Chain c{};
  c.joint = drive.joint;
  c.state = state;
  c.gear = d.gear.model;
  c.h = h;
  c.motor_side = d.controller.motor_side && d.has_rotor();
  c.error_rate = d.controller.error_rate;
  const double steps = d.delay / h;
  c.delay_steps = static_cast<int>(std::floor(steps + 1e-9));
  c.delay_share = maximum(steps - c.delay_steps, 0.0);
  c.ring = d.delay > 0 ? c.delay_steps + 1 : 0;
  c.kp = d.controller.kp;
  c.ki = d.controller.ki;
  c.kd = d.controller.kd;
  c.limit = d.controller.limit;
  c.slope = h * c.kp + h * h * c.ki + c.kd;
  c.gain = 1;
  if (d.electrical()) {
    c.inductor = d.motor.inductance / h;
    c.per_impedance = 1 / (c.inductor + d.motor.resistance);
    c.gain = d.gear.ratio * d.motor.torque_constant * c.per_impedance;
    c.kappa = d.gear.ratio * d.motor.back_emf;
  }
  c.inertia = d.rotor_inertia() / h;
  c.viscous = d.friction.viscous;
  c.coulomb = d.friction.coulomb;
  c.stribeck = d.friction.stribeck;
  c.per_stribeck_speed = 1 / d.friction.stribeck_speed;
  // A gear of efficiency η loses the share (1 − η)/η of what it transmits, driving or driven.
  c.load = d.friction.load + (1 - d.gear.efficiency) / d.gear.efficiency;
  c.load_stribeck = d.friction.load_stribeck;
  c.play = d.gear.play;
  c.half_play = 0.5 * d.gear.play;
  c.spring = d.gear.stiffness;
  c.contact = d.gear.damping + h * d.gear.stiffness;
  c.spring_share = c.contact > 0 ? c.spring / c.contact : 0;
  if (c.gear == GearModel::motoflex) {
    c.mass = h / d.gear.inertia;
    c.mass_loss = 1 + c.mass * d.gear.damping;
    c.mass_spring = c.mass * d.gear.stiffness;
  }
  return c;
}

double delayed_goal(const Chain& c, const double* ring, std::int64_t k, double command) {
  if (c.ring == 0) return command;
  const std::int64_t oldest = k % c.ring;  // slot of u_{k−n−1}, which u_k takes afterwards
  const double before = ring[oldest], after = c.delay_steps == 0 ? command : ring[(oldest + 1) % c.ring];
  return after + c.delay_share * (before - after);
}

double friction_budget(const Chain& c, const ChainState& s, double speed) {
  const double x = speed * c.per_stribeck_speed, share = 1 / (1 + x * x);
  return c.coulomb + c.stribeck * share + (c.load + c.load_stribeck * share) * s.load;
}

ChainStep begin_chain(const Chain& c, const ChainState& s, double q, double v, double goal, double stiffness) {
  ChainStep x{};
  const double measured = c.motor_side ? s.theta : q, error = goal - measured;
  x.q = q;
  x.goal = goal;
  x.stiffness = stiffness;
  x.gain = stiffness > 0 ? c.gain : 0;  // released: no current flows
  x.memory = x.gain * c.inductor * s.current;
  x.p0 = c.kp * error + c.ki * (s.integral + c.h * error);
  if (c.error_rate) x.p0 += c.kd * (goal - s.goal) / c.h;
  x.friction = friction_budget(c, s, c.gear == GearModel::elastic ? s.omega : v);
  x.piece = find_piece(c, s, x, v);
  x.line = find_line(c, s, x, x.piece);
  return x;
}

Piece find_piece(const Chain& c, const ChainState& s, const ChainStep& x, double V) {
  switch (c.gear) {
    case GearModel::elastic:
      return elastic_piece(c, s, x, V);
    case GearModel::motoflex:
      return motoflex_piece(c, s, x, V);
    case GearModel::rigid:
      break;
  }
  return rigid_piece(c, x, V);
}

ChainLine find_line(const Chain& c, const ChainState& s, const ChainStep& x, const Piece& p) {
  switch (c.gear) {
    case GearModel::elastic:
      return elastic_line(c, s, x, p);
    case GearModel::motoflex:
      return motoflex_line(c, s, x, p);
    case GearModel::rigid:
      break;
  }
  return with_friction(x, p, motor_line(c, x, p));
}

bool review_chain(const Chain& c, const ChainState& s, ChainStep& x, double V, double inertia) {
  if (find_piece(c, s, x, V) == x.piece) return false;
  // (9): the rest of the torque on the inertia, as this prediction had it: m/h V − T = b
  const double M = inertia / c.h, b = (M - x.line.t1) * V - x.line.t0;
  solve_piece(c, s, M, b, V, x);
  return true;
}

ChainState end_chain(const Chain& c, const ChainState& s, const ChainStep& x, double V, double q_next) {
  const ChainLine& l = x.line;
  const double W = l.w0 + l.w1 * V, rotor = c.gear == GearModel::elastic ? W : V;
  const OutputLine u = output_line(c, x, x.piece);
  ChainState n = s;
  n.theta = c.gear == GearModel::rigid ? q_next : s.theta + c.h * W;
  n.omega = W;
  const double volts = u.u0 - u.u1 * (c.motor_side ? W : V);
  n.current = x.gain > 0 ? c.per_impedance * (c.inductor * s.current + volts - c.kappa * rotor) : 0;
  const double error = x.goal - (c.motor_side ? n.theta : q_next);
  if (x.piece.bound == 0 && x.stiffness > 0) n.integral = s.integral + c.h * error;  // no wind-up
  n.load = 0.5 * (s.load + std::fabs(l.t0 + l.t1 * V));
  n.goal = x.goal;
  return n;
}

double stored_energy(const Chain& c, const ChainState& s, double q) {
  double sum = 0;
  if (c.per_impedance > 0) sum += 0.5 * c.inductor * c.h * s.current * s.current;
  if (c.gear != GearModel::elastic) return sum;
  const double x = s.theta - q, over = maximum(x - c.half_play, 0.0) + minimum(x + c.half_play, 0.0);
  return sum + 0.5 * c.inertia * c.h * s.omega * s.omega + 0.5 * c.spring * over * over;
}

}  // namespace gradus

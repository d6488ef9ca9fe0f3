/// Contact slices: bodies that press on each other move with constant twists for a few milliseconds. The twists solve
/// all contacts, tyres and motors of the island together at velocity level,
///   A (v⁺ − v*) = Jᵀ λ,  0 ≤ λ_n ⊥ n·v⁺ − T ≥ 0,  |λ_t| ≤ μ λ_n,  |λ_tyre| ≤ μ_tyre m g h ⊥ u⁺             (12)
///   T = −(gap − δ)/h          above the standoff δ: it may close, no more                                  (13)
///   T = min((δ − gap)/τ, v_out) below it, gently pushed out; both − ½ h min(f̈, 0)                         (14)
/// f̈ is the gap's curvature for constant twists (15); without it turning corners sink in by 50–250 µm.
#include <algorithm>
#include <cmath>

#include "wheels/engine.h"

namespace gradus::wheels {
namespace {

constexpr double kShortest = 2.5e-4;  // slice [s]
constexpr double kMemoryTime = 0.01;  // first guesses older than this are not used [s]
constexpr double kOpening = 0.01;     // a touching pair that opens faster leaves contact [m/s]
constexpr double kUnbounded = 1e30;
constexpr double kCreep = 10;  // friction rows are softer: Newton's method then needs half the steps
constexpr FixedPoint kFriction{4, 3e-3};

Sym3 plus(const Sym3& a, double k, const Sym3& b) {
  return {a.xx + k * b.xx, a.xy + k * b.xy, a.xz + k * b.xz, a.yy + k * b.yy, a.yz + k * b.yz, a.zz + k * b.zz};
}

}  // namespace

/// A touching pair leaves contact only when clearly opening or beyond the standoff.
bool Engine::keeps_touching(const Contact& c) const { return c.gap < numerics_->standoff && c.speed < kOpening; }

/// Long enough to be cheap, short enough that gaps change by little beyond their linear course.
double Engine::slice_length(double t) {
  const double left = stop_ - t;
  double h = std::min(numerics_->longest_slice, left);
  for (int k = 0; k < island_size_; ++k) {
    const Body& b = bodies_[island_[k]];
    const double w = std::fabs(b.now.q[2]);
    if (b.shape.robot && w * h > numerics_->slice_turn) h = numerics_->slice_turn / w;
  }
  for (int k = 0; k < contact_count_; ++k) {
    Contact& c = contacts_[k];
    const Body& a = bodies_[c.a];
    const Body* b = c.b >= 0 ? &bodies_[c.b] : nullptr;
    c.curvature =
        gap_curvature(c, a.shape, a.placed, b ? &b->shape : nullptr, b ? &b->placed : nullptr, model_->par.ball.radius);
    h = std::min(h, std::sqrt(2 * numerics_->slice_curvature / (std::fabs(c.curvature) + 0.1)));
  }
  h = std::max(h, std::min(kShortest, left));
  return left < 1.3 * h ? left : h;
}

/// v* and A of eq. (12) of the island's body k.
void Engine::predict_slice_velocity(int k, double h) {
  Body& b = bodies_[island_[k]];
  if (b.shape.robot)
    predict_robot(*b.shape.robot, h, b, solver_.body(k));
  else
    roll_next_[k] = predict_ball(b, h, solver_.body(k));
}

/// Motors and gyroscopic terms explicit, motor damping implicit.
void Engine::predict_robot(const RobotModel& r, double h, Body& b, SolverBody& s) const {
  b.modes = robot_modes(*model_, r, b.now, b.command);
  predict_in_modes(r, b.modes, h, b, s);
}

void Engine::predict_in_modes(const RobotModel& r, const RobotModes& m, double h, const Body& b, SolverBody& s) const {
  s.inertia = plus(r.slide_inertia, h, {m.damp_vv, 0, m.damp_vw, 0, 0, m.damp_ww});
  const double* q = b.now.q;
  const double f[3] = {
      r.mass * q[1] * q[2] + r.mass_offset * q[2] * q[2] + m.force_v - m.damp_vv * q[0] - m.damp_vw * q[2],
      -r.mass * q[0] * q[2], -r.mass_offset * q[0] * q[2] + m.force_w - m.damp_vw * q[0] - m.damp_ww * q[2]};
  const Sym3 inv = inverse(s.inertia);
  s.v_free[0] = q[0] + h * (inv.xx * f[0] + inv.xy * f[1] + inv.xz * f[2]);
  s.v_free[1] = q[1] + h * (inv.xy * f[0] + inv.yy * f[1] + inv.yz * f[2]);
  s.v_free[2] = q[2] + h * (inv.xz * f[0] + inv.yz * f[1] + inv.zz * f[2]);
  if (model_->par.tyres == Tyres::rolling) s.v_free[1] = 0;
}

/// Friction of the floor: while it slides, then while it rolls. Returns the speed at which it rolls afterwards.
Vec2 Engine::predict_ball(const Body& b, double h, SolverBody& s) const {
  const BallParameters& ball = model_->par.ball;
  s.inertia = model_->ball_inertia;
  const Vec2 v{b.now.q[0], b.now.q[1]}, slip = v - b.now.roll;
  const double sliding = norm(slip), speed = norm(v), g = model_->par.gravity;
  Vec2 v_next = v, roll = b.now.roll;
  const double share = ball.inertia_ratio / (1 + ball.inertia_ratio);  // of the slip, what the speed gives: 2/7
  if (sliding > 1e-9) {
    const double lost = std::min(sliding, ball.sliding_friction * g * h / share) / sliding;
    v_next = v - (share * lost) * slip;
    roll = b.now.roll + ((1 - share) * lost) * slip;
  } else if (speed > 1e-9) {
    v_next = (1 - std::min(speed, (ball.rolling_resistance * g + ball.rolling_damping * speed) * h) / speed) * v;
    roll = v_next;
  }
  const double loss = ball.spin_resistance * h;
  s.v_free[0] = v_next.x, s.v_free[1] = v_next.y;
  s.v_free[2] = b.now.q[2] > loss ? b.now.q[2] - loss : b.now.q[2] < -loss ? b.now.q[2] + loss : 0;
  return roll;
}

/// The first guess of a row's side and friction bound: what the pair did in the last slice.
void Engine::guess_row(SolverRow& r, const Contact& c, double t, double h, double velocity) const {
  const PairMemory& m = memory_[memory_index(c)];
  const int point = std::min(c.point, 1);
  const bool known = t - m.force_time < kMemoryTime;
  if (r.normal < 0) {
    r.side = known ? (m.force[point] > 0 ? 0 : -1) : (velocity < r.target ? 0 : -1);
    return;
  }
  r.hi = known ? r.friction * m.force[point] * h : 0;
  r.lo = -r.hi;
  const bool slides = std::fabs(m.friction[point]) >= 0.999 * r.friction * m.force[point];
  r.side = !known ? -1 : !slides ? 0 : m.friction[point] > 0 ? 1 : -1;
}

/// Normal rows, eqs. (13), (14). False if nothing presses: the island is then free.
bool Engine::build_slice(double t, double h) {
  solver_.clear();
  for (int k = 0; k < island_size_; ++k) {
    SolverBody& s = solver_.add_body();
    predict_slice_velocity(k, h);
    for (int q = 0; q < 3; ++q) s.v[q] = s.v_free[q];
  }
  bool presses = false;
  for (int k = 0; k < contact_count_; ++k) {
    Contact& c = contacts_[k];
    row_of_[k] = friction_row_of_[k] = -1;
    c.row = c.gap < 1e-7 || c.speed > -numerics_->rest_speed ||
            t - memory_[memory_index(c)].hit_time < numerics_->repeat_time;
    if (!c.row) continue;
    SolverRow r = contact_row(c, c.n, false, h);
    const double mobility = row_mobility(r, true);
    if (mobility <= 0) continue;
    const double above = c.gap - numerics_->standoff;
    r.target =
        above > 0 ? -above / h : std::min(-above / std::max(numerics_->push_out_time, h), numerics_->push_out_speed);
    r.target -= 0.5 * h * std::min(c.curvature, 0.0);
    r.stiffness = 1 / (numerics_->compliance * mobility);
    r.hi = kUnbounded;
    const double velocity = solver_.row_velocity(r);
    guess_row(r, c, t, h, velocity);
    presses |= velocity < r.target || keeps_touching(c);
    row_of_[k] = solver_.row_count();
    solver_.add_row() = r;
  }
  return presses;
}

void Engine::add_friction_rows(double t, double h) {
  for (int k = 0; k < contact_count_; ++k) {
    const Contact& c = contacts_[k];
    const double mu = surface(c).friction;
    if (row_of_[k] < 0 || mu == 0) continue;
    SolverRow r = contact_row(c, perp(c.n), true, h);
    const double mobility = row_mobility(r, true);
    if (mobility <= 0) continue;
    r.stiffness = 1 / (kCreep * numerics_->compliance * mobility);
    r.normal = row_of_[k];
    r.friction = mu;
    guess_row(r, c, t, h, 0);
    friction_row_of_[k] = solver_.row_count();
    solver_.add_row() = r;
  }
}

/// Tyres hold u at 0 within their grip. (Rolling tyres have no sideways freedom at all: contact_row.)
void Engine::add_tyre_rows(double h) {
  if (model_->par.tyres == Tyres::rolling) return;
  for (int k = 0; k < island_size_; ++k) {
    const Body& b = bodies_[island_[k]];
    if (!b.shape.robot) continue;
    const RobotModel& r = *b.shape.robot;
    const double mu = b.now.q[1] == 0 ? r.par.tyre_static : r.par.tyre_sliding;
    SolverRow row;
    row.a = k;
    row.ja[1] = 1;
    row.stiffness = r.mass / numerics_->compliance;
    row.hi = mu * r.mass * model_->par.gravity * h;
    row.lo = -row.hi;
    const double needed = -r.mass * solver_.body(k).v_free[1];
    row.side = needed > row.hi ? 1 : needed < row.lo ? -1 : 0;
    solver_.add_row() = row;
  }
}

/// What pairs remember of the slice, and which bodies carry force.
void Engine::remember_forces(double t, double h) {
  for (int k = 0; k < island_size_; ++k) bodies_[island_[k]].in_contact = false;
  for (int k = 0; k < contact_count_; ++k) {
    const Contact& c = contacts_[k];
    normal_impulse_[k] = 0;
    if (row_of_[k] < 0) continue;
    const double lambda = solver_.row(row_of_[k]).lambda;
    normal_impulse_[k] = lambda;
    PairMemory& m = memory_[memory_index(c)];
    if (m.force_time != t) m = {m.hit_time, t, {}, {}, m.event_time, m.repeats, m.blind_until};
    if (c.point < 2) {
      m.force[c.point] = lambda / h;
      m.friction[c.point] = friction_row_of_[k] >= 0 ? solver_.row(friction_row_of_[k]).lambda / h : 0;
    }
    if (lambda > 0 || keeps_touching(c)) {
      bodies_[c.a].in_contact = true;
      if (c.b >= 0) bodies_[c.b].in_contact = true;
    }
  }
}

/// Constant twist from t to t + h, of the island's body k.
void Engine::write_slice(int k, double t, double h) {
  Body& b = bodies_[island_[k]];
  const double turn = b.shape.robot ? 0.5 * h * b.now.q[2] : 0, ct = 1 - 0.5 * turn * turn;
  const Rot2 R{b.now.R.c * ct - b.now.R.s * turn, b.now.R.s * ct + b.now.R.c * turn};  // half-way
  for (int q = 0; q < 3; ++q) b.now.q[q] = solver_.body(k).v[q];
  if (b.shape.robot && std::fabs(b.now.q[1]) < 1e-5) b.now.q[1] = 0;  // what the tyre row's compliance leaves
  if (!b.shape.robot) b.now.roll = roll_next_[k];
  const Vec2 q{b.now.q[0], b.now.q[1]}, v = b.shape.robot ? R * q : q;
  Piece& p = b.piece;
  p.t0 = t;
  p.t1 = stop_ - (t + h) < numerics_->time_tolerance ? stop_ : t + h;
  p.degree = 1;
  p.x[0] = b.now.p.x, p.x[1] = v.x, p.y[0] = b.now.p.y, p.y[1] = v.y;
  p.theta[0] = b.now.theta, p.theta[1] = b.shape.robot ? b.now.q[2] : 0;
  p.bounds();
}

/// Writes the slices of all bodies that carry force, and what to remember.
void Engine::finish_slice(double t, double h) {
  remember_forces(t, h);
  for (int k = 0; k < island_size_; ++k)
    if (bodies_[island_[k]].in_contact) write_slice(k, t, h);
  roll_friction(1);
  for (int k = 0; k < island_size_; ++k) bodies_[island_[k]].start = bodies_[island_[k]].now;
}

bool Engine::slice(double t) {
  double h = slice_length(t);
  if (!build_slice(t, h)) {
    for (int k = 0; k < contact_count_; ++k) contacts_[k].row = false;
    return false;
  }
  if (hold_at_boundary(t, h)) return true;
  add_friction_rows(t, h);
  add_tyre_rows(h);
  ++report_->slices;
  report_->slice_bodies += island_size_;
  report_->most_rows = std::max(report_->most_rows, solver_.row_count());
  report_->largest_island = std::max(report_->largest_island, island_size_);
  const SolverEffort effort = solver_.solve(kFriction);
  report_->factorisations += effort.factorisations;
  if (!effort.converged) ++report_->unsettled, h = std::min(h, kShortest);
  double gain = 0;
  for (int k = 0; k < island_size_; ++k) {
    const SolverBody& s = solver_.body(k);
    gain += kinetic_energy(s.inertia, s.v) - kinetic_energy(s.inertia, s.v_free);
  }
  if (gain > 0) report_->slice_gain += gain, report_->slice_gain_max = std::max(report_->slice_gain_max, gain);
  finish_slice(t, h);
  return true;
}

}  // namespace gradus::wheels

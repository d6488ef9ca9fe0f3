/// Hits: all contacts of the touching group at once, tyres and motors ignored (an impulse beats every force).
///
///   compression   0 ≤ P ⊥ J v_c ≥ 0,  |P_t| ≤ μ P,  v_c = v⁻ + M⁻¹ Jᵀ P                               (17)
///   restitution   normal impulses e P, friction within μ e P                                          (18)
///   projection    compression once more if a contact still closes
/// e = 0 below the rest speed and for a pair hit again within the repeat time. Poisson's hypothesis with friction may
/// gain energy; v(s) = v_c + s (v⁺ − v_c) is then cut at the largest s ≤ 1 with E(s) ≤ E⁻ (E(0) = E_c ≤ E⁻), and
/// counted.
#include <algorithm>
#include <cmath>

#include "wheels/engine.h"

namespace gradus::wheels {
namespace {

constexpr double kRigid = 1e-4;  // compliance of impact rows, removed by carrying impulses over
constexpr double kUnbounded = 1e30;
constexpr double kClosing = 1e-9;  // contacts closing slower than this count as resting after the impact [m/s]

/// A hit of one or two bodies is solved to rounding; in a heap nobody could tell the difference.
struct Accuracy {
  FixedPoint friction;
  int rounds;
  double speed;
};
constexpr Accuracy kExact{{30, 1e-10}, 40, 1e-12}, kHeap{{6, 1e-3}, 4, 1e-7};
const Accuracy& accuracy_for(int contacts) { return contacts <= 4 ? kExact : kHeap; }

double product(const Sym3& m, const double* a, const double* b) {
  return a[0] * (m.xx * b[0] + m.xy * b[1] + m.xz * b[2]) + a[1] * (m.xy * b[0] + m.yy * b[1] + m.yz * b[2]) +
         a[2] * (m.xz * b[0] + m.yz * b[1] + m.zz * b[2]);
}

}  // namespace

double Engine::impact_energy() const {
  double e = 0;
  for (int k = 0; k < island_size_; ++k) e += kinetic_energy(bodies_[island_[k]].inertia, bodies_[island_[k]].now.q);
  return e;
}

/// Bodies and rows of eq. (17).
void Engine::build_impact() {
  solver_.clear();
  for (int k = 0; k < island_size_; ++k) {
    const Body& b = bodies_[island_[k]];
    SolverBody& s = solver_.add_body();
    s.inertia = b.inertia;
    for (int q = 0; q < 3; ++q) s.v_free[q] = b.now.q[q];
  }
  for (int k = 0; k < contact_count_; ++k) add_impact_rows(k);
}

/// Normal and friction of contact k. What a mode holds still (a rolling robot sideways; in paper mode every robot hit
/// by the ball) takes no impulse: its velocity goes to the target instead.
void Engine::add_impact_rows(int k) {
  auto hold = [&](int body, double* j, double& target, bool all) {
    const Body& b = bodies_[body];
    if (!b.shape.robot) return;
    for (int q = 0; q < 3; ++q)
      if (all || (q == 1 && model_->par.impact == ImpactMode::rolling)) target -= j[q] * b.now.q[q], j[q] = 0;
  };
  const Contact& c = contacts_[k];
  const double mu = model_->par.impact == ImpactMode::paper ? 0 : surface(c).friction;
  const bool kicked = model_->par.impact == ImpactMode::paper && c.b >= 0 && !bodies_[c.b].shape.robot;
  row_of_[k] = friction_row_of_[k] = -1;
  for (const bool tangential : {false, true}) {
    if (tangential && mu == 0) continue;
    SolverRow r = contact_row(c, tangential ? perp(c.n) : c.n, tangential, 0);
    hold(c.a, r.ja, r.target, kicked);
    if (c.b >= 0) hold(c.b, r.jb, r.target, false);
    const double mobility = row_mobility(r, false);
    if (mobility <= 0) break;
    r.stiffness = 1 / (kRigid * mobility);
    if (tangential)
      r.normal = row_of_[k], r.friction = mu, r.side = -1;
    else
      r.hi = kUnbounded, r.side = c.speed < 0 ? 0 : -1;
    (tangential ? friction_row_of_[k] : row_of_[k]) = solver_.row_count();
    solver_.add_row() = r;
  }
}

/// Normal impulses of eq. (18) and bounds of friction; says whether any contact bounces.
bool Engine::set_restitution(double t) {
  bool bounces = false;
  for (int k = 0; k < contact_count_; ++k) {
    const Contact& c = contacts_[k];
    if (row_of_[k] < 0) continue;
    SolverRow& r = solver_.row(row_of_[k]);
    const bool again = t - memory_[memory_index(c)].hit_time < numerics_->repeat_time;
    const double e = c.speed < -numerics_->rest_speed && !again ? surface(c).restitution : 0;
    normal_impulse_[k] = (1 + e) * r.lambda;
    bounces |= e * r.lambda > 0;
    r.lo = r.hi = r.lambda = e * r.lambda;
    r.carried = 0, r.side = -1;
    if (friction_row_of_[k] < 0) continue;
    SolverRow& f = solver_.row(friction_row_of_[k]);
    f.hi = f.friction * r.lambda, f.lo = -f.hi, f.carried = 0, f.side = 0;
  }
  for (int k = 0; k < contact_count_; ++k)  // after all points of a pair have been asked
    if (normal_impulse_[k] > 0) memory_[memory_index(contacts_[k])].hit_time = t;
  return bounces;
}

/// The largest share s ≤ 1 of the bounce that gains no energy: along v_c + s (v⁺ − v_c) it is a parabola of s.
void Engine::cut_energy(const double* v_c, double energy_before) {
  double e_c = 0, linear = 0, square = 0;
  for (int k = 0; k < island_size_; ++k) {
    const Sym3& m = bodies_[island_[k]].inertia;
    const double* v = solver_.body(k).v;
    const double d[3] = {v[0] - v_c[3 * k], v[1] - v_c[3 * k + 1], v[2] - v_c[3 * k + 2]};
    e_c += kinetic_energy(m, v_c + 3 * k), linear += product(m, v_c + 3 * k, d), square += kinetic_energy(m, d);
  }
  if (e_c + linear + square <= energy_before) return;
  const double room = std::max(energy_before - e_c, 0.0);
  const double s = square > 0 ? (-linear + std::sqrt(linear * linear + 4 * square * room)) / (2 * square) : 0;
  if (e_c + linear + square > energy_before * (1 + 1e-9)) ++report_->cut_restitutions;
  for (int k = 0; k < island_size_; ++k)
    for (int q = 0; q < 3; ++q) {
      double& v = solver_.body(k).v[q];
      v = v_c[3 * k + q] + std::min(s, 1.0) * (v - v_c[3 * k + q]);
    }
}

/// Eq. (18) from the compressed velocities in the solver; leaves the result there.
void Engine::restitute(double t, double energy_before) {
  double* v_c = velocity_.data();
  for (int k = 0; k < island_size_; ++k)
    for (int q = 0; q < 3; ++q) v_c[3 * k + q] = solver_.body(k).v_free[q] = solver_.body(k).v[q];
  if (!set_restitution(t)) return;
  const Accuracy& how = accuracy_for(contact_count_);
  solver_.solve_rigid({1, 1}, how.rounds, how.speed);
  // In paper mode robots push the ball like rocks: no energy to compare.
  if (model_->par.impact != ImpactMode::paper) cut_energy(v_c, energy_before);
}

/// Contacts that still close after the bounce get one more plastic solve.
void Engine::project_remaining() {
  bool closing = false;
  for (int k = 0; k < contact_count_; ++k)
    if (row_of_[k] >= 0) {
      const SolverRow& r = solver_.row(row_of_[k]);
      closing |= solver_.row_velocity(r) - r.target < -kClosing;
    }
  if (!closing) return;
  for (int k = 0; k < island_size_; ++k)
    for (int q = 0; q < 3; ++q) solver_.body(k).v_free[q] = solver_.body(k).v[q];
  for (int i = 0; i < solver_.row_count(); ++i) {
    SolverRow& r = solver_.row(i);
    r.carried = r.lambda = r.lo = 0;
    r.hi = r.normal < 0 ? kUnbounded : 0;
    r.side = r.normal < 0 && solver_.row_velocity(r) < r.target ? 0 : -1;
  }
  const Accuracy& how = accuracy_for(contact_count_);
  const SolverEffort effort = solver_.solve_rigid(how.friction, how.rounds, how.speed);
  report_->impact_factorisations += effort.factorisations;
  if (!effort.converged) ++report_->unsettled;
  for (int k = 0; k < contact_count_; ++k)
    if (row_of_[k] >= 0) normal_impulse_[k] += solver_.row(row_of_[k]).lambda;
}

/// A wall or a robot rubs on the ball's side, which the rolling spin moves up or down with roll · n. Held down by the
/// floor, the ball can only lose that spin: at most μ P / (ι m).                                                (19)
void Engine::roll_friction(double scale) {
  for (int k = 0; k < contact_count_; ++k) {
    const Contact& c = contacts_[k];
    const int ball = c.b >= 0 ? c.b : c.a;
    if (bodies_[ball].shape.robot || normal_impulse_[k] <= 0) continue;
    Vec2& roll = bodies_[ball].now.roll;
    const double along = dot(roll, c.n);
    const double most =
        scale * surface(c).friction * normal_impulse_[k] / (model_->par.ball.inertia_ratio * model_->par.ball.mass);
    roll = roll - (along > most ? most : along < -most ? -most : along) * c.n;
  }
}

void Engine::apply_impact(double t, double energy_before) {
  for (int k = 0; k < island_size_; ++k) {
    Body& b = bodies_[island_[k]];
    for (int q = 0; q < 3; ++q) b.now.q[q] = solver_.body(k).v[q];
    if (b.shape.robot && model_->par.impact == ImpactMode::paper) b.now.q[1] = 0;
    b.t = -1;
  }
  const double change = impact_energy() - energy_before;
  report_->impact_loss -= change;
  report_->impact_gain = std::max(report_->impact_gain, change);
  if (model_->par.impact != ImpactMode::paper) roll_friction(1);
  for (int k = 0; k < island_size_; ++k) {  // velocities have changed, places have not
    Body& b = bodies_[island_[k]];
    b.start = b.now, b.piece.t0 = t;
    synchronise(b, t);
  }
  for (int k = 0; k < contact_count_; ++k) contacts_[k].speed = contact_speed(contacts_[k]);
}

void Engine::impact(double t) {
  ++report_->impacts;
  const double energy_before = impact_energy();
  build_impact();
  std::fill(normal_impulse_.begin(), normal_impulse_.begin() + contact_count_, 0.0);
  const Accuracy& how = accuracy_for(contact_count_);
  const SolverEffort effort = solver_.solve_rigid(how.friction, how.rounds, how.speed);
  report_->impact_factorisations += effort.factorisations;
  if (!effort.converged) ++report_->unsettled;
  restitute(t, energy_before);
  project_remaining();
  apply_impact(t, energy_before);
}

}  // namespace gradus::wheels

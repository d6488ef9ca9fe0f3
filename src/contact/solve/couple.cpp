#include "contact/solve/couple.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/clones.h"

namespace gradus {
namespace {

/// Shrinks the tangential impulse onto the cone.
void project(double* x, double friction) {
  const double t = square_root(x[1] * x[1] + x[2] * x[2]), limit = friction * x[0];
  if (t > limit) x[1] *= limit / t, x[2] *= limit / t;
}

}  // namespace

Response free_response(double mass, const Sym3& J) {
  const double m = 1 / mass;
  return {{{{J.xx, J.xy, J.xz}, {0, 0, 0}},
           {{J.xy, J.yy, J.yz}, {0, 0, 0}},
           {{J.xz, J.yz, J.zz}, {0, 0, 0}},
           {{0, 0, 0}, {m, 0, 0}},
           {{0, 0, 0}, {0, m, 0}},
           {{0, 0, 0}, {0, 0, m}}}};
}

Couple::Couple(const CoupleCapacity& capacity, const CoupleOptions& o)
    : options(o), system_(capacity.contacts, capacity.slots) {
  const auto ns = static_cast<std::size_t>(capacity.slots), nc = static_cast<std::size_t>(capacity.contacts);
  slots_.reserve(ns), predicted_.reserve(ns), groups_.reserve(ns), contacts_.reserve(nc), rows_.resize(nc);
  effects_.reserve(static_cast<std::size_t>(capacity.responses));
  group_of_.reserve(ns), parent_.resize(ns), order_.reserve(nc), island_first_.reserve(nc + 1);
  locals_.resize(nc), ends_.resize(nc), active_.resize(nc), steps_.resize(6 * nc);
}

void Couple::clear() {
  slots_.clear(), predicted_.clear(), groups_.clear(), contacts_.clear(), group_of_.clear(), effects_.clear();
  report_ = {};
}

int Couple::add_group(std::span<const CoupleSlot> slots, const Response* response) {
  if (slots_.size() + slots.size() > slots_.capacity()) return ++report_.dropped, -1;
  const int first = static_cast<int>(slots_.size()), count = static_cast<int>(slots.size());
  slots_.insert(slots_.end(), slots.begin(), slots.end());
  for (const CoupleSlot& s : slots) predicted_.push_back(s.V);
  group_of_.insert(group_of_.end(), slots.size(), static_cast<int>(groups_.size()));
  bool immovable = true;
  for (std::size_t i = 0; i < slots.size() * slots.size() && immovable; ++i)
    for (const Vec6& w : response[i].column) immovable &= dot(w.a, w.a) == 0 && dot(w.l, w.l) == 0;
  groups_.push_back({first, count, response, immovable});
  return first;
}

bool Couple::add_contact(const CoupleContact& contact) {
  auto reached = [&](int s) { return s < 0 || groups_[group_of_[s]].immovable ? 0 : groups_[group_of_[s]].count; };
  const int sets = contact.law.rolling > 0 || contact.law.torsion > 0 ? 2 : 1;  // impulses, and moments
  const int need = sets * (reached(contact.a) + reached(contact.b));
  // effects_ is only filled in prepare; its size counts what will be needed until then
  if (contacts_.size() == contacts_.capacity() || effects_.size() + need > effects_.capacity())
    return ++report_.dropped, false;
  effects_.resize(effects_.size() + need);
  contacts_.push_back(contact);
  return true;
}

CoupleReport Couple::solve(double h) {
  report_.contacts = static_cast<int>(contacts_.size());
  if (contacts_.empty()) return report_;
  find_islands();
  prepare(h);
  for (std::size_t i = 0; i + 1 < island_first_.size(); ++i) {
    ++report_.islands;
    if (!solve_island(island_first_[i], island_first_[i + 1], h)) ++report_.unsettled;
  }
  hand_out();
  return report_;
}

/// Of a against b, along a direction of the contact.
GRADUS_INLINE double Couple::speed_along(const Row& r, int k) const {
  return (r.a < 0 ? 0 : dot(r.ja[k], slots_[r.a].V)) - (r.b < 0 ? 0 : dot(r.jb[k], slots_[r.b].V));
}

GRADUS_INLINE Vec3 Couple::turning(const Row& r) const {
  const Vec3 none{0, 0, 0};
  return (r.a < 0 ? none : slots_[r.a].V.a) - (r.b < 0 ? none : slots_[r.b].V.a);
}

GRADUS_INLINE void Couple::residual(const Row& r, double* e) const {
  for (int k = 0; k < 3; ++k) e[k] = speed_along(r, k) + r.R[k] * (r.x[k] - r.x0[k]) + (k == 0 ? r.bias : 0);
}

/// Impulses in world axes, and what each slot's owner must take.
void Couple::hand_out() {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Row& r = rows_[i];
    CoupleContact& c = contacts_[r.contact];
    c.impulse = r.direction[0] * r.x[0] + r.direction[1] * r.x[1] + r.direction[2] * r.x[2];
    c.moment = r.direction[0] * r.m[0] + r.direction[1] * r.m[1] + r.direction[2] * r.m[2];
    c.work = r.x[0] * speed_along(r, 0) + r.x[1] * speed_along(r, 1) + r.x[2] * speed_along(r, 2);
    if (r.resists) c.work += dot(c.moment, turning(r));
    c.slack = c.held || c.R_n > 0 || c.impact ? 0 : r.R[1];
    if (r.x[0] <= 0 && !r.held) continue;
    for (const auto& [s, sign] : {std::pair{c.a, 1.0}, std::pair{c.b, -1.0}}) {
      if (s < 0) continue;
      CoupleSlot& slot = slots_[s];
      slot.impulse += wrench_at(c.point - slot.origin, c.impulse * sign);
      slot.impulse.a += c.moment * sign;
      if (!c.impact)
        slot.flight = false;
      else if (c.a < 0 || c.b < 0)
        slot.bounced = true;
    }
  }
}

double Couple::normal_speed(const CoupleContact& c, bool before) const {
  auto one = [&](int s) {
    if (s < 0) return 0.0;
    return dot(c.normal, velocity_at(before ? slots_[s].V_before : slots_[s].V, c.point - slots_[s].origin));
  };
  return one(c.a) - one(c.b);
}

GRADUS_CLONES void Couple::prepare(double h) {
  for (CoupleContact& c : contacts_) {  // (7): which contacts are impacts; before any impulse changes a twist
    c.speed = normal_speed(c, true);
    c.impact = c.law.restitution > 0 && c.speed < -c.law.impact_speed &&
               c.gap + h * 0.5 * (c.speed + normal_speed(c, false)) < 0;
  }
  effects_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    CoupleContact& c = contacts_[order_[i]];
    Row& r = rows_[i];
    r.contact = order_[i];
    const Vec3 n = c.normal, t = std::abs(n.x) < 0.7 ? Vec3{0, n.z, -n.y} : Vec3{-n.z, 0, n.x};
    r.direction[0] = n;
    r.direction[1] = t * (1 / norm(t));
    r.direction[2] = cross(n, r.direction[1]);
    r.a = c.a, r.b = c.b, r.friction = c.law.friction;
    make_effects(c, r);
    set_law(c, r, h);
    set_guess(c, r);
    apply(r, r.x);
    if (r.resists) apply_moments(r, r.m);
  }
}

/// Impulses and moments of the last step to start from.
void Couple::set_guess(const CoupleContact& c, Row& r) {
  for (int k = 0; k < 3; ++k) {
    r.x[k] = dot(c.impulse, r.direction[k]), r.x0[k] = dot(c.before, r.direction[k]);
    r.m[k] = r.resists ? dot(c.moment, r.direction[k]) : 0;
    r.m0[k] = dot(c.moment_before, r.direction[k]);
  }
  if (r.held) {
    constexpr double kFades = 0.9;  // of what the points of a loop strain against each other
    for (double& x : r.x0) x *= kFades;
    return;
  }
  r.x0[0] = 0;  // the normal compliance is the contact's own
  r.x[0] = std::max(0.0, r.x[0]);
  project(r.x, r.friction);
}

GRADUS_CLONES void Couple::make_effects(const CoupleContact& c, Row& r) {
  const Vec6 none = zero6<double>();
  for (int k = 0; k < 3; ++k) {
    r.ja[k] = c.a < 0 ? none : wrench_at(c.point - slots_[c.a].origin, r.direction[k]);
    r.jb[k] = c.b < 0 ? none : wrench_at(c.point - slots_[c.b].origin, r.direction[k]);
  }
  r.first = static_cast<int>(effects_.size());
  add_effects(c, r.ja, r.jb);
  r.last = static_cast<int>(effects_.size());
  const bool moves = c.a >= 0 && !groups_[group_of_[c.a]].immovable;
  r.second = moves ? r.first + groups_[group_of_[c.a]].count : r.first;
  r.rolling = c.law.rolling, r.torsion = c.law.torsion;
  r.resists = r.rolling > 0 || r.torsion > 0;
  if (r.resists) {
    Vec6 moment[3];
    for (int k = 0; k < 3; ++k) moment[k] = {r.direction[k], {0, 0, 0}};
    add_effects(c, moment, moment);
    for (int k = 0; k < 3; ++k) {
      r.A_w[k] = 0;
      for (int q = r.last; q < r.last + (r.last - r.first); ++q) {
        if (effects_[q].slot == r.a) r.A_w[k] += dot(r.direction[k], effects_[q].w[k].a);
        if (effects_[q].slot == r.b) r.A_w[k] -= dot(r.direction[k], effects_[q].w[k].a);
      }
    }
  }
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      r.A[k][l] = 0;
      for (int q = r.first; q < r.last; ++q) {
        if (effects_[q].slot == r.a) r.A[k][l] += dot(r.ja[k], effects_[q].w[l]);
        if (effects_[q].slot == r.b) r.A[k][l] -= dot(r.jb[k], effects_[q].w[l]);
      }
    }
}

/// Columns of Ω Jᵀ for three impulses ja on slot a and −jb on slot b.
GRADUS_CLONES void Couple::add_effects(const CoupleContact& c, const Vec6* ja, const Vec6* jb) {
  const Vec6 none = zero6<double>();
  const int first = static_cast<int>(effects_.size());
  auto reach = [&](int s, const Vec6* j, double sign) __attribute__((always_inline)) {
    if (s < 0 || groups_[group_of_[s]].immovable) return;
    const Group& g = groups_[group_of_[s]];
    const bool same = sign < 0 && c.a >= 0 && group_of_[c.a] == group_of_[s];  // contact within one robot
    for (int q = 0; q < g.count; ++q) {
      const Response& m = g.response[q * g.count + s - g.first];
      if (!same) effects_.push_back({g.first + q, {none, none, none}});
      Effect& e = same ? effects_[first + q] : effects_.back();
      for (int k = 0; k < 3; ++k) e.w[k] += m * (j[k] * sign);
    }
  };
  reach(c.a, ja, 1);
  reach(c.b, jb, -1);
}

/// Bias and compliance (5)–(7), and what Gauss–Seidel needs of the own block.
void Couple::set_law(CoupleContact& c, Row& r, double h) {
  const double tau =
      std::max(c.law.relaxation + h, -c.gap / c.law.recovery_speed);  // (6): slower, the same static force
  // A contact that waits for its impact is felt by its neighbours as a wall: not closed further than it is without a force.
  // If it is elastic it is not felt at all, since to feel it would gain energy.
  r.waits = c.law.restitution > 0 && !c.impact && std::abs(c.speed) > c.law.impact_speed;
  const bool elastic = c.law.restitution >= 1;
  r.bias = r.waits    ? elastic ? 1e9 : std::max(0.0, c.gap - c.unfelt) / h
           : c.impact ? c.law.restitution * c.speed
                      : c.gap / (c.gap > 0 ? h : tau);
  constexpr double kHeldCreep = 1e-8;  // decides between points of a loop that hold the same direction
  constexpr double kLeast = 1e-15;  // [1/kg] keeps blocks regular where nothing gives way
  r.R[0] = (c.impact || r.waits ? 1e-11 * r.A[0][0] : 1 / (h * c.law.stiffness * tau)) + kLeast;
  const double soft = options.creep * (r.A[1][1] + r.A[2][2]) + kLeast;
  r.R[1] = r.R[2] = c.slack > 0 ? std::min(soft, c.slack) : soft;  // a loaded spring that became softer would gain energy
  if ((r.held = c.held)) {  // (17)
    r.bias = c.gap / std::max(h, c.gap / c.law.recovery_speed);
    r.R[0] = r.R[1] = r.R[2] = kHeldCreep * (r.A[0][0] + r.A[1][1] + r.A[2][2]) + kLeast;
  }
  if (c.R_n > 0 && !c.impact && !r.waits) r.bias = c.b_n, r.R[0] = c.R_n, r.R[1] = r.R[2] = c.R_t;
  const double turn = h * options.roll_frequency;
  if (r.resists) r.R_w = std::max({r.A_w[0], r.A_w[1], r.A_w[2]}) / (turn * turn) + kLeast;
  double m[3][3];
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) m[k][l] = r.A[k][l] + (k == l ? r.R[k] : 0);
  const Vec3 a{m[0][0], m[0][1], m[0][2]}, b{m[1][0], m[1][1], m[1][2]}, d{m[2][0], m[2][1], m[2][2]};
  const Vec3 x = cross(b, d), y = cross(d, a), z = cross(a, b);
  const double s = 1 / dot(a, x);
  const Vec3 column[3] = {x * s, y * s, z * s};
  for (int l = 0; l < 3; ++l)
    r.inverse[0][l] = column[l].x, r.inverse[1][l] = column[l].y, r.inverse[2][l] = column[l].z;
  const double mean = 0.5 * (m[1][1] + m[2][2]), difference = 0.5 * (m[1][1] - m[2][2]);
  r.step = 1 / (mean + square_root(difference * difference + m[1][2] * m[1][2]));
}

GRADUS_INLINE void Couple::apply(const Row& r, const double* dx) {
  for (int q = r.first; q < r.last; ++q)
    slots_[effects_[q].slot].V += effects_[q].w[0] * dx[0] + effects_[q].w[1] * dx[1] + effects_[q].w[2] * dx[2];
}

void Couple::apply_moments(const Row& r, const double* dm) {
  for (int q = r.last; q < r.last + (r.last - r.first); ++q)
    slots_[effects_[q].slot].V += effects_[q].w[0] * dm[0] + effects_[q].w[1] * dm[1] + effects_[q].w[2] * dm[2];
}

/// (15): m⁺ = m₀ − ω⁺/R_w within the bounds. A moment that sticks is a stiff spring from the last one: the redundant
/// welds of a pile of balls would be moved by sweeps too slowly, and the memory lets nothing creep. Returns the change as a
/// velocity of the contact point's scale.
double Couple::resist(Row& r) {
  const Vec3 w = turning(r);
  double y[3], dm[3], change = 0;
  for (int k = 0; k < 3; ++k)
    y[k] = r.m[k] - (dot(w, r.direction[k]) + r.R_w * (r.m[k] - r.m0[k])) / (r.A_w[k] + r.R_w);
  y[0] = clamped(y[0], -r.torsion * r.x[0], r.torsion * r.x[0]);
  const double t = square_root(y[1] * y[1] + y[2] * y[2]), limit = r.rolling * r.x[0];
  if (t > limit) y[1] *= limit / t, y[2] *= limit / t;
  const double arm = square_root(r.A[0][0] / r.A_w[0]);  // a length: how far turning moves points, as the masses say
  for (int k = 0; k < 3; ++k) {
    dm[k] = y[k] - r.m[k];
    r.m[k] = y[k];
    change = std::max(change, std::abs(dm[k]) * (r.A_w[k] + r.R_w) * arm);
  }
  if (change > 0) apply_moments(r, dm);
  return change;
}

/// One pass of (8)–(10): stick if the cone allows it, else normal first, then the tangent plane. Returns the largest
/// change.
GRADUS_CLONES double Couple::sweep(int lo, int hi, bool backward) {
  double largest = 0;
  for (int i = lo; i < hi; ++i) {
    Row& r = rows_[backward ? lo + hi - 1 - i : i];
    double e[3], y[3] = {0, 0, 0}, dx[3], change = 0;
    residual(r, e);
    bool stick = false;
    if (r.friction > 0 || r.held) {
      for (int k = 0; k < 3; ++k)
        y[k] = r.x[k] - r.inverse[k][0] * e[0] - r.inverse[k][1] * e[1] - r.inverse[k][2] * e[2];  // (8)
      stick = r.held || (y[0] > 0 && y[1] * y[1] + y[2] * y[2] <= r.friction * r.friction * y[0] * y[0]);
    }
    if (!stick) {
      y[0] = std::max(0.0, r.x[0] - e[0] / (r.A[0][0] + r.R[0]));  // (9)
      y[1] = y[2] = 0;
      if (r.friction > 0) {
        for (int k = 1; k < 3; ++k) y[k] = r.x[k] - r.step * (e[k] + r.A[k][0] * (y[0] - r.x[0]));  // (10)
        project(y, r.friction);
      }
    }
    for (int k = 0; k < 3; ++k) {
      dx[k] = y[k] - r.x[k];
      r.x[k] = y[k];
      change = std::max(change, std::abs(dx[k]) * (r.A[k][k] + r.R[k]));
    }
    if (change > 0) apply(r, dx);
    if (r.resists) change = std::max(change, resist(r));
    largest = std::max(largest, change);
  }
  ++report_.sweeps;
  return largest;
}

void Couple::find_islands() {
  const int n = static_cast<int>(contacts_.size());
  std::iota(parent_.begin(), parent_.begin() + static_cast<std::ptrdiff_t>(groups_.size()), 0);
  auto root = [&](int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  };
  for (const CoupleContact& c : contacts_)
    if (c.a >= 0 && c.b >= 0) {  // the smaller number leads, so that islands do not depend on the order of joining
      const int i = root(group_of_[c.a]), j = root(group_of_[c.b]);
      parent_[std::max(i, j)] = std::min(i, j);
    }
  auto island = [&](int i) { return root(group_of_[contacts_[i].a >= 0 ? contacts_[i].a : contacts_[i].b]); };
  order_.resize(contacts_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    const int a = island(i), b = island(j);
    return a < b || (a == b && i < j);
  });
  island_first_.assign(1, 0);
  for (int i = 1; i < n; ++i)
    if (island(order_[i]) != island(order_[i - 1])) island_first_.push_back(i);
  island_first_.push_back(n);
}

bool Couple::solve_island(int lo, int hi, double h) {
  double change = 0;
  if (iterate(lo, hi, change) && !gains_energy(lo, hi)) return true;
  // Bodies squeezed between others cannot leave all of them at once: impacts without a sound solution are plastic.
  if (without_restitution(lo, hi, h) && iterate(lo, hi, change)) return true;
  report_.worst = std::max(report_.worst, change);
  return false;
}

/// Do impacts give more energy than they take, Σ λ·(u⁻ + u⁺)/2 > 0? Their normal parts never do; friction of squeezed
/// bodies would, with impulses without bound.
bool Couple::gains_energy(int lo, int hi) const {
  double gain = 0, size = 0;
  auto before = [&](int s, Vec3 p) {
    return s < 0 ? Vec3{0, 0, 0} : velocity_at(slots_[s].V_before, p - slots_[s].origin);
  };
  for (int i = lo; i < hi; ++i) {
    const Row& r = rows_[i];
    const CoupleContact& c = contacts_[r.contact];
    if (!c.impact) continue;
    const Vec3 u0 = before(c.a, c.point) - before(c.b, c.point);
    for (int k = 0; k < 3; ++k) gain += 0.5 * r.x[k] * (dot(r.direction[k], u0) + speed_along(r, k));
    size += r.x[0] * std::abs(c.speed);
  }
  return gain > 1e-6 * size;
}

/// Starts an island again from the guess, with all restitution taken out; false if none had a say.
bool Couple::without_restitution(int lo, int hi, double h) {
  bool any = false;
  for (int i = lo; i < hi; ++i) any |= contacts_[rows_[i].contact].impact || rows_[i].waits;
  for (int i = lo; i < hi && any; ++i) {
    Row& r = rows_[i];
    CoupleContact& c = contacts_[r.contact];
    c.law.restitution = 0, c.impact = false;
    set_law(c, r, h);
    set_guess(c, r);
  }
  if (any) renew_twists(lo, hi);
  return any;
}

/// Sweeps: at least so many, and on while a Newton step would cost more than those that are missing as the changes shrink
/// now. change: of the last; true: settled.
bool Couple::sweep_on(int lo, int hi, int least, double& change) {
  constexpr int kWorth = 8;  // of a Newton step, in sweeps
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0;; ++i) {
    const double before = last;
    last = change;
    if ((change = sweep(lo, hi, i & 1)) < options.tolerance) return true;
    if (i + 1 < least) continue;
    if (i == 0) return false;
    const double rate = i > 1 ? square_root(change / before) : change / last;
    double ahead = change;
    int n = 0;
    while (ahead >= options.tolerance && n < kWorth) ahead *= rate, ++n;
    if (n == kWorth || i >= 3 * kWorth) return false;
  }
}

/// Sweeps, then Newton steps, then sweeps; change: the largest of the last sweep.
bool Couple::iterate(int lo, int hi, double& change) {
  if (sweep_on(lo, hi, options.sweeps_before, change)) return true;
  system_.clear();
  double best = change;
  save(lo, hi);
  for (int i = 0; i < options.newton_max; ++i) {
    // full steps first; where the active set then cycles, the best of shorter ones breaks the cycle
    if (!newton(lo, hi, i >= 4)) break;
    if (sweep_on(lo, hi, 2, change)) return true;
    if (change < best) best = change, save(lo, hi);
  }
  if (!(change <= best)) go_back(lo, hi);  // impacts with friction may lead Newton's steps far astray
  for (int i = 0; i < options.sweeps_after; ++i)
    if ((change = sweep(lo, hi, i & 1)) < options.tolerance) return true;
  return false;
}

/// Keeps the island's impulses.
void Couple::save(int lo, int hi) {
  for (int i = lo; i < hi; ++i) {
    Row& r = rows_[i];
    for (int k = 0; k < 3; ++k) r.kept[k] = r.x[k], r.kept_m[k] = r.m[k];
  }
}

/// Returns to the impulses that were kept.
void Couple::go_back(int lo, int hi) {
  for (int i = lo; i < hi; ++i) {
    Row& r = rows_[i];
    for (int k = 0; k < 3; ++k) r.x[k] = r.kept[k], r.m[k] = r.kept_m[k];
  }
  renew_twists(lo, hi);
}

/// Twists from the predicted ones and all impulses. Where an impulse was large and is taken back, adding its opposite
/// would leave its rounding behind: impacts that contradict each other reach 1e15 N s before they are given up.
GRADUS_CLONES void Couple::renew_twists(int lo, int hi) {
  for (int i = lo; i < hi; ++i)
    for (int q = rows_[i].first; q < rows_[i].last; ++q)
      slots_[effects_[q].slot].V = predicted_[effects_[q].slot];
  for (int i = lo; i < hi; ++i) {
    const Row& r = rows_[i];
    apply(r, r.x);
    if (r.resists) apply_moments(r, r.m);
  }
}

/// Newton's equations of one contact for (14); false: open.
///   open: dλ = −λ     stick: R dλ + du = −r
///   slip: (1 − P) dλ_t − μ d dλ_n + s P (R_t dλ_t + du_t) = μ λ_n d − λ_t,  z = λ_t − s r_t, d = z/|z|,
///         P = (μ λ_n/|z|)(1 − d dᵀ)   (11).   Along d and across it the 2×2 equations part: across, P = p; along, P = 0
GRADUS_CLONES bool Couple::linearise(const Row& r, ActiveSystem::Local& out) const {
  double e[3];
  residual(r, e);
  out.n = 0;
  out.slip = false;
  if (r.held) {
    out.n = 3;
    for (int k = 0; k < 3; ++k) out.D[k] = r.R[k], out.b[k] = -e[k];
    return true;
  }
  if (!(r.x[0] > e[0] / (r.A[0][0] + r.R[0]))) return false;
  out.n = 1;
  out.D[0] = r.R[0], out.b[0] = -e[0];
  if (r.friction <= 0) return true;
  const double z[2] = {r.x[1] - r.step * e[1], r.x[2] - r.step * e[2]}, length = square_root(z[0] * z[0] + z[1] * z[1]);
  const double limit = r.friction * r.x[0];
  if (length <= limit) {
    out.n = 3;
    for (int k = 1; k < 3; ++k) out.D[k] = r.R[k], out.b[k] = -e[k];
    return true;
  }
  const double d[2] = {z[0] / length, z[1] / length}, sp = r.step * limit / length, p = limit / length;
  const double across = -d[1] * r.x[1] + d[0] * r.x[2], along = limit - (d[0] * r.x[1] + d[1] * r.x[2]);
  out.slip = true, out.mu = r.friction, out.d[0] = d[0], out.d[1] = d[1];
  out.g[0] = d[0] * along, out.g[1] = d[1] * along;
  const double free = 1 - p + sp * r.R[1];
  if (sp > 1e-12 * r.step * free) {
    out.n = 2;
    out.D[1] = free / sp, out.b[1] = -across / sp;
  } else {  // no normal impulse yet: none across the slip
    out.g[0] += d[1] * across / free, out.g[1] -= d[0] * across / free;
  }
  return true;
}

/// Contacts that Newton's step takes as open lose their impulses; the others are linearised without them.
void Couple::open_inactive(int lo, int hi) {
  auto movable = [&](int s) { return s >= 0 && !groups_[group_of_[s]].immovable; };
  for (int i = lo; i < hi; ++i) {
    Row& r = rows_[i];
    active_[i - lo] = linearise(r, locals_[i - lo]) && (movable(r.a) || movable(r.b));
    if (active_[i - lo] || r.x[0] <= 0) continue;
    const double dx[3] = {-r.x[0], -r.x[1], -r.x[2]};
    r.x[0] = r.x[1] = r.x[2] = 0;
    apply(r, dx);
  }
  for (int i = lo; i < hi; ++i) {  // opening some changed the residuals of the others
    if (active_[i - lo]) active_[i - lo] = linearise(rows_[i], locals_[i - lo]);
    if (!active_[i - lo]) locals_[i - lo].n = 0;
  }
}

/// Order and blocks for the active contacts, unless those at hand fit.
bool Couple::make_system(int lo, int hi) {
  const auto n = static_cast<std::size_t>(hi - lo);
  const std::span<const std::uint8_t> active{active_.data(), n};
  if (system_.fits(active)) return true;
  auto body = [&](int s) { return s < 0 || groups_[group_of_[s]].immovable ? -1 : group_of_[s]; };
  for (int i = lo; i < hi; ++i) ends_[i - lo] = {body(rows_[i].a), body(rows_[i].b)};
  if (!system_.order({ends_.data(), n}, active)) return false;
  fill_blocks(lo);
  return true;
}

/// A^B_ij = J_i Ω_B J_jᵀ from the effects of contact j on the slots of contact i.
GRADUS_CLONES void Couple::fill_blocks(int lo) {
  const std::span<const int> bodies = system_.bodies();
  for (int place = 0; place < static_cast<int>(bodies.size()); ++place) {
    const int body = bodies[place], first_slot = groups_[body].first;
    const std::span<const int> contacts = system_.contacts_of(place);
    ActiveSystem::Block* block = system_.blocks_of(place);
    auto on = [&](int slot) { return slot >= 0 && group_of_[slot] == body; };
    for (std::size_t j = 0; j < contacts.size(); ++j) {
      const Row& rj = rows_[lo + contacts[j]];
      const Effect* effects = &effects_[on(rj.a) ? rj.first : rj.second];
      for (std::size_t i = 0; i <= j; ++i, ++block) {
        const Row& ri = rows_[lo + contacts[i]];
        const bool a = on(ri.a), b = on(ri.b);
        const Effect &ea = effects[a ? ri.a - first_slot : 0], &eb = effects[b ? ri.b - first_slot : 0];
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l)
            block->A[k][l] = (a ? dot(ri.ja[k], ea.w[l]) : 0) - (b ? dot(ri.jb[k], eb.w[l]) : 0);
      }
    }
  }
}

/// The impulse a part of the way, kept in the cone.
void Couple::step_row(Row& r, const double* dx, double part) {
  double y[3];
  for (int k = 0; k < 3; ++k) y[k] = dx[3 + k] + part * dx[k];
  if (!r.held) {
    y[0] = std::max(0.0, y[0]);
    project(y, r.friction);
  }
  for (int k = 0; k < 3; ++k) r.x[k] = y[k];
}

/// How far the impulses are from their projections (9), (10), as velocities: sum of squares.
GRADUS_CLONES double Couple::merit(int lo, int hi) const {
  double sum = 0;
  for (int i = lo; i < hi; ++i) {
    const Row& r = rows_[i];
    double e[3], y[3] = {0, 0, 0};
    residual(r, e);
    if (r.held) {
      sum += e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
      continue;
    }
    y[0] = std::max(0.0, r.x[0] - e[0] / (r.A[0][0] + r.R[0]));
    if (r.friction > 0) {
      for (int k = 1; k < 3; ++k) y[k] = r.x[k] - r.step * e[k];
      project(y, r.friction);
    }
    for (int k = 0; k < 3; ++k) {
      const double c = (y[k] - r.x[k]) * (r.A[k][k] + r.R[k]);
      sum += c * c;
    }
  }
  return sum;
}

/// One Newton step; search: as far as serves best.
bool Couple::newton(int lo, int hi, bool search) {
  ++report_.newtons;
  open_inactive(lo, hi);
  if (!make_system(lo, hi) || !system_.solve({locals_.data(), static_cast<std::size_t>(hi - lo)})) {
    ++report_.unfactored;
    return false;
  }
  for (int i = lo; i < hi; ++i) {
    const ActiveSystem::Local& L = locals_[i - lo];
    if (L.n == 0) continue;
    const double* z = system_.z(i - lo);
    double* dx = &steps_[6 * (i - lo)];
    dx[0] = z[0], dx[1] = L.n == 3 ? z[1] : 0, dx[2] = L.n == 3 ? z[2] : 0;
    if (L.slip) {
      const double across = L.n == 2 ? z[1] : 0;
      dx[1] = L.g[0] + L.mu * L.d[0] * z[0] - L.d[1] * across;
      dx[2] = L.g[1] + L.mu * L.d[1] * z[0] + L.d[0] * across;
    }
    if (!std::isfinite(dx[0] + dx[1] + dx[2])) return false;
    for (int k = 0; k < 3; ++k) dx[3 + k] = rows_[i].x[k];
  }
  auto go = [&](double part) {
    for (int i = lo; i < hi; ++i)
      if (locals_[i - lo].n > 0) step_row(rows_[i], &steps_[6 * (i - lo)], part);
    renew_twists(lo, hi);  // only now: above all equations were taken at the old ones
  };
  double best = 1;
  if (search) {
    double least = std::numeric_limits<double>::infinity();
    for (double part : {1.0, 0.7, 0.4, 0.2, 0.1}) {
      go(part);
      const double m = merit(lo, hi);
      if (m < least) least = m, best = part;
    }
    if (best == 0.1) return true;
  }
  go(best);
  return true;
}

}  // namespace gradus

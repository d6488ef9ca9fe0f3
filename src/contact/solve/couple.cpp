#include "contact/solve/couple.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

Couple::Couple(const CoupleCapacity& capacity, const CoupleOptions& o) : options(o), capacity_(capacity) {
  const auto ns = static_cast<std::size_t>(capacity.slots), nc = static_cast<std::size_t>(capacity.contacts);
  slots_.reserve(ns), predicted_.reserve(ns), groups_.reserve(ns), contacts_.reserve(nc), rows_.resize(nc);
  effects_.reserve(static_cast<std::size_t>(capacity.responses));
  group_of_.reserve(ns), parent_.resize(ns), order_.reserve(nc), island_first_.reserve(nc + 1);
  local_.resize(ns), local_slots_.resize(ns), place_.resize(ns), loaded_.resize(ns);
  adjacent_.resize(ns * ((ns + 63) / 64));
  block_at_.resize(ns * ns);
  blocks_.resize(static_cast<std::size_t>(capacity.blocks) * 36);
  rhs_.resize(ns * 6);
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
  groups_.push_back({first, count, response});
  return first;
}

bool Couple::add_contact(const CoupleContact& contact) {
  auto reached = [&](int s) { return s < 0 ? 0 : groups_[group_of_[s]].count; };
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
  prepare(h);
  find_islands();
  for (std::size_t i = 0; i + 1 < island_first_.size(); ++i) {
    ++report_.islands;
    if (!solve_island(island_first_[i], island_first_[i + 1], h)) ++report_.unsettled;
  }
  hand_out();
  return report_;
}

/// Impulses in world axes, and what each slot's owner must take.
void Couple::hand_out() {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    CoupleContact& c = contacts_[i];
    const Row& r = rows_[i];
    c.impulse = r.direction[0] * r.x[0] + r.direction[1] * r.x[1] + r.direction[2] * r.x[2];
    c.moment = r.direction[0] * r.m[0] + r.direction[1] * r.m[1] + r.direction[2] * r.m[2];
    if (r.x[0] <= 0) continue;
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

void Couple::prepare(double h) {
  for (CoupleContact& c : contacts_) {  // (7): which contacts are impacts; before any impulse changes a twist
    c.speed = normal_speed(c, true);
    c.impact = c.law.restitution > 0 && c.speed < -c.law.impact_speed &&
               c.gap + h * 0.5 * (c.speed + normal_speed(c, false)) < 0;
  }
  effects_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    CoupleContact& c = contacts_[i];
    Row& r = rows_[i];
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
  }
  r.x0[0] = 0;  // the normal compliance is the contact's own
  r.x[0] = std::max(0.0, r.x[0]);
  project(r.x, r.friction);
}

void Couple::make_effects(const CoupleContact& c, Row& r) {
  const Vec6 none = zero6<double>();
  for (int k = 0; k < 3; ++k) {
    r.ja[k] = c.a < 0 ? none : wrench_at(c.point - slots_[c.a].origin, r.direction[k]);
    r.jb[k] = c.b < 0 ? none : wrench_at(c.point - slots_[c.b].origin, r.direction[k]);
  }
  r.first = static_cast<int>(effects_.size());
  add_effects(c, r.ja, r.jb);
  r.last = static_cast<int>(effects_.size());
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
void Couple::add_effects(const CoupleContact& c, const Vec6* ja, const Vec6* jb) {
  const Vec6 none = zero6<double>();
  const int first = static_cast<int>(effects_.size());
  auto reach = [&](int s, const Vec6* j, double sign) {
    if (s < 0) return;
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
  // A contact that waits for its impact is not felt by its neighbours, so what they press into it must stay shallow;
  // unless it is elastic, when to feel it would gain energy.
  constexpr double kPatience = 5e-4;  // [m]
  const bool shallow = -c.gap * (1 - c.law.restitution) < kPatience;
  r.waits = c.law.restitution > 0 && !c.impact && std::abs(c.speed) > c.law.impact_speed && shallow;
  r.bias = r.waits ? 1e9 : c.impact ? c.law.restitution * c.speed : c.gap > 0 ? c.gap / h : c.gap / tau;
  constexpr double kLeast = 1e-15;  // [1/kg] keeps blocks regular where nothing gives way
  r.R[0] = (c.impact ? 1e-11 * r.A[0][0] : 1 / (h * c.law.stiffness * tau)) + kLeast;
  r.R[1] = r.R[2] = options.creep * (r.A[1][1] + r.A[2][2]) + kLeast;
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

void Couple::residual(const Row& r, double* e) const {
  for (int k = 0; k < 3; ++k)
    e[k] = (r.a < 0 ? 0 : dot(r.ja[k], slots_[r.a].V)) - (r.b < 0 ? 0 : dot(r.jb[k], slots_[r.b].V)) +
           r.R[k] * (r.x[k] - r.x0[k]) + (k == 0 ? r.bias : 0);
}

void Couple::apply(const Row& r, const double* dx) {
  for (int q = r.first; q < r.last; ++q)
    slots_[effects_[q].slot].V += effects_[q].w[0] * dx[0] + effects_[q].w[1] * dx[1] + effects_[q].w[2] * dx[2];
}

void Couple::apply_moments(const Row& r, const double* dm) {
  for (int q = r.last; q < r.last + (r.last - r.first); ++q)
    slots_[effects_[q].slot].V += effects_[q].w[0] * dm[0] + effects_[q].w[1] * dm[1] + effects_[q].w[2] * dm[2];
}

/// (15): stops the relative turning as far as the bounds allow. Returns the change as a velocity of the contact point's
/// scale.
double Couple::resist(Row& r) {
  const Vec3 none{0, 0, 0}, w = (r.a < 0 ? none : slots_[r.a].V.a) - (r.b < 0 ? none : slots_[r.b].V.a);
  double y[3], dm[3], change = 0;
  for (int k = 0; k < 3; ++k) y[k] = r.m[k] - dot(w, r.direction[k]) / (r.A_w[k] * (1 + options.creep));
  y[0] = clamped(y[0], -r.torsion * r.x[0], r.torsion * r.x[0]);
  const double t = square_root(y[1] * y[1] + y[2] * y[2]), limit = r.rolling * r.x[0];
  if (t > limit) y[1] *= limit / t, y[2] *= limit / t;
  const double arm = square_root(r.A[0][0] / r.A_w[0]);  // a length: how far turning moves points, as the masses say
  for (int k = 0; k < 3; ++k) {
    dm[k] = y[k] - r.m[k];
    r.m[k] = y[k];
    change = std::max(change, std::abs(dm[k]) * r.A_w[k] * arm);
  }
  if (change > 0) apply_moments(r, dm);
  return change;
}

/// One pass of (8)–(10): stick if the cone allows it, else normal first, then the tangent plane. Returns the largest
/// change.
double Couple::sweep(int lo, int hi, bool backward) {
  double largest = 0;
  for (int i = lo; i < hi; ++i) {
    Row& r = rows_[order_[backward ? lo + hi - 1 - i : i]];
    double e[3], y[3] = {0, 0, 0}, dx[3], change = 0;
    residual(r, e);
    bool stick = false;
    if (r.friction > 0) {
      for (int k = 0; k < 3; ++k)
        y[k] = r.x[k] - r.inverse[k][0] * e[0] - r.inverse[k][1] * e[1] - r.inverse[k][2] * e[2];  // (8)
      stick = y[0] > 0 && y[1] * y[1] + y[2] * y[2] <= r.friction * r.friction * y[0] * y[0];
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
    const CoupleContact& c = contacts_[order_[i]];
    if (!c.impact) continue;
    const Row& r = rows_[order_[i]];
    const Vec3 u0 = before(c.a, c.point) - before(c.b, c.point);
    for (int k = 0; k < 3; ++k) {
      const double u1 = (r.a < 0 ? 0 : dot(r.ja[k], slots_[r.a].V)) - (r.b < 0 ? 0 : dot(r.jb[k], slots_[r.b].V));
      gain += 0.5 * r.x[k] * (dot(r.direction[k], u0) + u1);
    }
    size += r.x[0] * std::abs(c.speed);
  }
  return gain > 1e-6 * size;
}

/// Starts an island again from the guess, with all restitution taken out; false if none had a say.
bool Couple::without_restitution(int lo, int hi, double h) {
  bool any = false;
  for (int i = lo; i < hi; ++i) any |= contacts_[order_[i]].impact || rows_[order_[i]].waits;
  for (int i = lo; i < hi && any; ++i) {
    CoupleContact& c = contacts_[order_[i]];
    Row& r = rows_[order_[i]];
    c.law.restitution = 0, c.impact = false;
    set_law(c, r, h);
    set_guess(c, r);
  }
  if (any) renew_twists(lo, hi);
  return any;
}

/// Sweeps, then Newton steps, then sweeps; change: the largest of the last sweep.
bool Couple::iterate(int lo, int hi, double& change) {
  for (int i = 0; i < options.sweeps_before; ++i)
    if ((change = sweep(lo, hi, i & 1)) < options.tolerance) return true;
  const bool ordered = order_slots(lo, hi);
  if (!ordered) ++report_.unfactored;
  double best = change;
  save(lo, hi);
  for (int i = 0; i < options.newton_max && ordered; ++i) {
    // full steps first; where the active set then cycles, shorter ones among them break the cycle
    if (!newton(lo, hi, i < 4 || i % 3 == 0 ? 1 : 0.6)) break;
    if ((change = sweep(lo, hi, false)) < options.tolerance) return true;
    if ((change = sweep(lo, hi, true)) < options.tolerance) return true;
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
    Row& r = rows_[order_[i]];
    for (int k = 0; k < 3; ++k) r.kept[k] = r.x[k], r.kept_m[k] = r.m[k];
  }
}

/// Returns to the impulses that were kept.
void Couple::go_back(int lo, int hi) {
  for (int i = lo; i < hi; ++i) {
    Row& r = rows_[order_[i]];
    for (int k = 0; k < 3; ++k) r.x[k] = r.kept[k], r.m[k] = r.kept_m[k];
  }
  renew_twists(lo, hi);
}

/// Twists from the predicted ones and all impulses. Where an impulse was large and is taken back, adding its opposite
/// would leave its rounding behind: impacts that contradict each other reach 1e15 N s before they are given up.
void Couple::renew_twists(int lo, int hi) {
  for (int i = lo; i < hi; ++i)
    for (int q = rows_[order_[i]].first; q < rows_[order_[i]].last; ++q)
      slots_[effects_[q].slot].V = predicted_[effects_[q].slot];
  for (int i = lo; i < hi; ++i) {
    const Row& r = rows_[order_[i]];
    apply(r, r.x);
    if (r.resists) apply_moments(r, r.m);
  }
}

/// Newton's equations of one contact, P dλ + Q du = c₀, as dλ = c − K du (14).
///   open: dλ = −λ     stick: R dλ + du = −r
///   slip: (1 − P) dλ_t − μ d dλ_n + s P (R_t dλ_t + du_t) = μ λ_n d − λ_t,  z = λ_t − s r_t, d = z/|z|, P = (μ
///   λ_n/|z|)(1 − d dᵀ)   (11)
void Couple::linearise(Row& r) {
  double e[3];
  residual(r, e);
  r.active = r.x[0] > e[0] / (r.A[0][0] + r.R[0]);
  for (int k = 0; k < 3; ++k) {
    r.c[k] = 0;
    for (int l = 0; l < 3; ++l) r.K[k][l] = 0;
  }
  if (!r.active) return;
  r.K[0][0] = 1 / r.R[0];
  r.c[0] = -e[0] / r.R[0];
  if (r.friction <= 0) return;
  const double z[2] = {r.x[1] - r.step * e[1], r.x[2] - r.step * e[2]}, length = square_root(z[0] * z[0] + z[1] * z[1]);
  const double limit = r.friction * r.x[0];
  if (length <= limit) {
    for (int k = 1; k < 3; ++k) r.K[k][k] = 1 / r.R[k], r.c[k] = -e[k] / r.R[k];
    return;
  }
  // slip. Along d and across it the 2×2 equations part: across, P = p; along, P = 0
  const double d[2] = {z[0] / length, z[1] / length}, n[2] = {-d[1], d[0]}, p = limit / length, s = r.step;
  const double across = 1 / (1 - p + s * p * r.R[1]);
  const double along_c = limit - (d[0] * r.x[1] + d[1] * r.x[2]) + r.friction * r.c[0];  // dλ_n = c₀ − K₀₀ du_n put in
  const double across_c = -(n[0] * r.x[1] + n[1] * r.x[2]) * across;
  for (int k = 0; k < 2; ++k) {
    r.c[k + 1] = d[k] * along_c + n[k] * across_c;
    r.K[k + 1][0] = d[k] * r.friction * r.K[0][0];
    for (int l = 0; l < 2; ++l) r.K[k + 1][l + 1] = n[k] * n[l] * s * p * across;
  }
}

bool Couple::newton(int lo, int hi, double part) {
  ++report_.newtons;
  for (int i = lo; i < hi; ++i) {
    Row& r = rows_[order_[i]];
    linearise(r);
    if (r.active || r.x[0] <= 0) continue;
    const double dx[3] = {-r.x[0], -r.x[1], -r.x[2]};
    r.x[0] = r.x[1] = r.x[2] = 0;
    apply(r, dx);
  }
  for (int i = lo; i < hi; ++i)  // opening some changed the residuals of the others
    if (rows_[order_[i]].active) linearise(rows_[order_[i]]);
  assemble(lo, hi);
  if (!factorise()) return false;
  for (int i = lo; i < hi; ++i) {
    Row& r = rows_[order_[i]];
    if (!r.active) continue;
    double du[3] = {0, 0, 0}, y[3];
    for (int q = r.first; q < r.last; ++q) {
      const double* f = &rhs_[static_cast<std::size_t>(local_[effects_[q].slot]) * 6];
      const Vec6 impulse{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
      for (int k = 0; k < 3; ++k) du[k] += dot(effects_[q].w[k], impulse);
    }
    for (int k = 0; k < 3; ++k)
      y[k] = r.x[k] + part * (r.c[k] - r.K[k][0] * du[0] - r.K[k][1] * du[1] - r.K[k][2] * du[2]);
    y[0] = std::max(0.0, y[0]);
    project(y, r.friction);
    for (int k = 0; k < 3; ++k) r.x[k] = y[k];
  }
  renew_twists(lo, hi);  // only now: above all equations were taken at the old ones
  return true;
}

}  // namespace gradus

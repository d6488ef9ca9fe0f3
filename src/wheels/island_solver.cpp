#include "wheels/island_solver.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gradus::wheels {
namespace {

constexpr int kMaxNewton = 40, kMaxLineSearch = 30;
constexpr double kLineTolerance = 0.01;    // slope left, relative to the start
constexpr double kSpeedTolerance = 1e-12;  // a row this close to a bound may be on either side of it [m/s]

double dot3(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void times(const Sym3& a, const double* x, double* out) {
  out[0] = a.xx * x[0] + a.xy * x[1] + a.xz * x[2];
  out[1] = a.xy * x[0] + a.yy * x[1] + a.yz * x[2];
  out[2] = a.xz * x[0] + a.yz * x[1] + a.zz * x[2];
}

/// Impulse of a row at relative velocity x = J v − T beyond what it carries, eq. (20).
double increment(const SolverRow& r, double x) {
  const double l = -r.stiffness * x, lo = r.lo - r.carried, hi = r.hi - r.carried;
  return l < lo ? lo : l > hi ? hi : l;
}
int side_of(const SolverRow& r, double x) {
  const double l = -r.stiffness * x;
  return l <= r.lo - r.carried ? -1 : l >= r.hi - r.carried ? 1 : 0;
}
/// The same, but a row on the edge stays where it is: rounding must not keep Newton's method going.
int settled_side(const SolverRow& r, double x) {
  const int side = side_of(r, x);
  if (side == r.side) return side;
  const double l = r.carried - r.stiffness * x, edge = r.stiffness * kSpeedTolerance;
  if (r.hi - r.lo <= edge && r.side != 0) return r.side;  // both bounds the same
  const double bound = side + r.side < 0 ? r.lo : r.hi;   // between which sides: −1 and 0, or 0 and +1
  return side * r.side == 0 && std::fabs(l - bound) <= edge ? r.side : side;
}

}  // namespace

IslandSolver::IslandSolver(int max_bodies, int max_rows)
    : bodies_(max_bodies),
      rows_(max_rows),
      order_(max_bodies),
      position_(max_bodies),
      later_(max_bodies),
      matrix_(max_bodies * (max_bodies + 1) / 2),
      lower_(max_bodies * (max_bodies + 1) / 2),
      inverse_(max_bodies),
      lines_(max_rows),
      rhs_(3 * max_bodies),
      direction_(3 * max_bodies) {}

inline double IslandSolver::velocity_of(const SolverRow& r, const double* v) const {
  const double x = dot3(r.ja, v ? v + 3 * r.a : bodies_[r.a].v);
  return r.b < 0 ? x : x + dot3(r.jb, v ? v + 3 * r.b : bodies_[r.b].v);
}
double IslandSolver::row_velocity(const SolverRow& r) const { return velocity_of(r, nullptr); }

/// Minimum degree with exact fill: eliminating a body joins all its neighbours.
void IslandSolver::plan_elimination() {
  std::uint64_t neighbours[kMaxBodies] = {}, left = 0;
  for (int i = 0; i < body_count_; ++i) left |= 1ull << i;
  for (int i = 0; i < row_count_; ++i)
    if (rows_[i].b >= 0) neighbours[rows_[i].a] |= 1ull << rows_[i].b, neighbours[rows_[i].b] |= 1ull << rows_[i].a;
  std::uint64_t fill[kMaxBodies];
  for (int k = 0; k < body_count_; ++k) {
    int best = -1, least = kMaxBodies + 1;
    for (std::uint64_t s = left; s; s &= s - 1) {
      const int i = std::countr_zero(s), degree = std::popcount(neighbours[i] & left);
      if (degree < least) least = degree, best = i;
    }
    left &= ~(1ull << best);
    order_[k] = best, position_[best] = k;
    fill[k] = neighbours[best] & left;
    for (std::uint64_t s = fill[k]; s; s &= s - 1) {
      const int i = std::countr_zero(s);
      neighbours[i] |= fill[k] & ~(1ull << i);
    }
  }
  for (int k = 0; k < body_count_; ++k) {
    later_[k] = 0;
    for (std::uint64_t s = fill[k]; s; s &= s - 1) later_[k] |= 1ull << position_[std::countr_zero(s)];
  }
}

/// H = A + Σ k J Jᵀ over the rows between their bounds, in elimination positions.
void IslandSolver::assemble() {
  for (int k = 0; k < body_count_; ++k) {
    const Sym3& m = bodies_[order_[k]].inertia;
    matrix_[at(k, k)] = {{m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz}};
    for (std::uint64_t s = later_[k]; s; s &= s - 1) matrix_[at(std::countr_zero(s), k)] = Block{};
  }
  auto add = [](Block& block, double k, const double* p, const double* q) {
    for (int i = 0; i < 3; ++i) {
      const double kp = k * p[i];
      for (int j = 0; j < 3; ++j) block.e[3 * i + j] += kp * q[j];
    }
  };
  for (int i = 0; i < row_count_; ++i) {
    const SolverRow& r = rows_[i];
    if (r.side != 0) continue;
    const int pa = position_[r.a];
    add(matrix_[at(pa, pa)], r.stiffness, r.ja, r.ja);
    if (r.b < 0) continue;
    const int pb = position_[r.b];
    add(matrix_[at(pb, pb)], r.stiffness, r.jb, r.jb);
    if (pa > pb)
      add(matrix_[at(pa, pb)], r.stiffness, r.ja, r.jb);
    else
      add(matrix_[at(pb, pa)], r.stiffness, r.jb, r.ja);
  }
}

/// Block elimination: for pivot p, L_i = H_ip H_pp⁻¹ and H_ij −= L_i H_jpᵀ for all later neighbours i ≥ j.
void IslandSolver::factor() {
  for (int p = 0; p < body_count_; ++p) {
    const double* h = matrix_[at(p, p)].e;
    const Sym3 inv = inverse(Sym3{h[0], h[3], h[6], h[4], h[7], h[8]});
    inverse_[p] = {{inv.xx, inv.xy, inv.xz, inv.xy, inv.yy, inv.yz, inv.xz, inv.yz, inv.zz}};
    const double* d = inverse_[p].e;
    for (std::uint64_t s = later_[p]; s; s &= s - 1) {
      const int i = std::countr_zero(s);
      const double* x = matrix_[at(i, p)].e;
      double* l = lower_[at(i, p)].e;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) l[3 * a + b] = x[3 * a] * d[b] + x[3 * a + 1] * d[3 + b] + x[3 * a + 2] * d[6 + b];
      for (std::uint64_t t = later_[p] & ((2ull << i) - 1); t; t &= t - 1) {
        const int j = std::countr_zero(t);
        const double* y = matrix_[at(j, p)].e;
        double* z = matrix_[at(i, j)].e;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            z[3 * a + b] -= l[3 * a] * y[3 * b] + l[3 * a + 1] * y[3 * b + 1] + l[3 * a + 2] * y[3 * b + 2];
      }
    }
  }
}

/// x holds the right-hand side by elimination position and becomes the solution.
void IslandSolver::solve_factored(double* x) const {
  for (int p = 0; p < body_count_; ++p)
    for (std::uint64_t s = later_[p]; s; s &= s - 1) {
      const int i = std::countr_zero(s);
      const double* l = lower_[at(i, p)].e;
      for (int a = 0; a < 3; ++a) x[3 * i + a] -= dot3(l + 3 * a, x + 3 * p);
    }
  for (int p = body_count_ - 1; p >= 0; --p) {
    const double* d = inverse_[p].e;
    double y[3];
    for (int a = 0; a < 3; ++a) y[a] = dot3(d + 3 * a, x + 3 * p);
    for (std::uint64_t s = later_[p]; s; s &= s - 1) {
      const int i = std::countr_zero(s);
      const double* l = lower_[at(i, p)].e;
      for (int a = 0; a < 3; ++a) y[a] -= l[a] * x[3 * i] + l[3 + a] * x[3 * i + 1] + l[6 + a] * x[3 * i + 2];
    }
    for (int a = 0; a < 3; ++a) x[3 * p + a] = y[a];
  }
}

/// Sets every row's side from the present velocities; true if one changed.
bool IslandSolver::update_sides() {
  bool changed = false;
  for (int i = 0; i < row_count_; ++i) {
    SolverRow& r = rows_[i];
    const double x = velocity_of(r, nullptr) - r.target;
    const int side = settled_side(r, x);
    changed |= side != r.side;
    r.side = side;
    r.lambda = r.carried + increment(r, x);
  }
  return changed;
}

/// direction_ = H⁻¹ (Σ (λ − λ̂) J − A (v − v*)), to the minimum of the present quadratic piece. Written with the
/// residual (not as H⁻¹ of everything), so that repeating it refines: the pivots' inverses lose digits at stiff
/// contacts.
void IslandSolver::newton_direction() {
  for (int k = 0; k < body_count_; ++k) {
    const SolverBody& b = bodies_[order_[k]];
    const double e[3] = {b.v_free[0] - b.v[0], b.v_free[1] - b.v[1], b.v_free[2] - b.v[2]};
    times(b.inertia, e, &rhs_[3 * k]);
  }
  for (int i = 0; i < row_count_; ++i) {
    const SolverRow& r = rows_[i];
    const double l =
        r.side == 0 ? -r.stiffness * (velocity_of(r, nullptr) - r.target) : (r.side < 0 ? r.lo : r.hi) - r.carried;
    if (l == 0) continue;
    double* x = &rhs_[3 * position_[r.a]];
    for (int a = 0; a < 3; ++a) x[a] += l * r.ja[a];
    if (r.b < 0) continue;
    double* y = &rhs_[3 * position_[r.b]];
    for (int a = 0; a < 3; ++a) y[a] += l * r.jb[a];
  }
  solve_factored(rhs_.data());
  for (int k = 0; k < body_count_; ++k)
    for (int a = 0; a < 3; ++a) direction_[3 * order_[k] + a] = rhs_[3 * k + a];
}

/// The rows' velocities x = J v − T (at the start) and their rates along the direction, computed once.
IslandSolver::LineSearch IslandSolver::search_along(const double* direction) {
  LineSearch s;
  for (int i = 0; i < body_count_; ++i) {
    const SolverBody& b = bodies_[i];
    const double* d = direction + 3 * i;
    const double e[3] = {b.v[0] - b.v_free[0], b.v[1] - b.v_free[1], b.v[2] - b.v_free[2]};
    double m[3];
    times(b.inertia, d, m);
    s.slope += dot3(m, e), s.curvature += dot3(m, d);
  }
  for (int i = 0; i < row_count_; ++i) {
    const SolverRow& r = rows_[i];
    const double rate = velocity_of(r, direction);
    if (rate == 0) continue;
    const double force = -r.stiffness * (velocity_of(r, nullptr) - r.target);
    lines_[s.lines++] = {force, -r.stiffness * rate, rate, r.lo - r.carried, r.hi - r.carried};
  }
  return s;
}

/// Slope of the convex function at α, and its derivative.
double IslandSolver::slope_at(const LineSearch& s, double alpha, double& second) const {
  double slope = s.slope + alpha * s.curvature;
  second = s.curvature;
  for (int i = 0; i < s.lines; ++i) {
    const Line& r = lines_[i];
    const double l = r.force + alpha * r.force_rate;
    slope -= (l < r.lo ? r.lo : l > r.hi ? r.hi : l) * r.rate;
    second -= l > r.lo && l < r.hi ? r.force_rate * r.rate : 0;
  }
  return slope;
}

/// Exact line search: the slope of the convex function along the direction rises monotonically; go to where it is 0.
void IslandSolver::step_along(const double* direction) {
  const LineSearch s = search_along(direction);
  double second, low = 0, high = kNever, alpha = 1;
  const double start = std::fabs(slope_at(s, 0, second));
  for (int i = 0; i < kMaxLineSearch; ++i) {
    const double slope = slope_at(s, alpha, second);
    if (std::fabs(slope) <= kLineTolerance * start) break;
    if (slope > 0)
      high = alpha;
    else
      low = alpha;
    alpha -= slope / second;
    if (alpha <= low || alpha >= high) alpha = high < kNever ? 0.5 * (low + high) : 2 * low + 1;
  }
  for (int i = 0; i < body_count_; ++i)
    for (int a = 0; a < 3; ++a) bodies_[i].v[a] += alpha * direction[3 * i + a];
}

/// Minimises the convex function for the present bounds. True when the rows' sides are consistent.
bool IslandSolver::newton(SolverEffort& effort) {
  for (int i = 0; i < kMaxNewton; ++i) {
    if (!factored_) {
      assemble();
      factor();
      ++effort.factorisations;
      factored_ = true;
    }
    newton_direction();
    for (int k = 0; k < body_count_; ++k)
      for (int a = 0; a < 3; ++a) bodies_[k].v[a] += direction_[3 * k + a];
    if (!update_sides()) return true;
    factored_ = false;
    if (i == 0) continue;  // the first step only builds a start from the guesses
    for (int k = 0; k < body_count_; ++k)
      for (int a = 0; a < 3; ++a) bodies_[k].v[a] -= direction_[3 * k + a];
    step_along(direction_.data());
    update_sides();
  }
  return false;
}

/// |λ_t| ≤ μ λ_n. True if a bound that matters has changed; otherwise all stay as they were solved with.
bool IslandSolver::update_friction_bounds(double relative) {
  bool changed = false;
  double largest = 0;
  for (int i = 0; i < row_count_; ++i) largest = std::max(largest, rows_[i].normal < 0 ? rows_[i].lambda : 0);
  auto bound_of = [&](const SolverRow& r) { return r.friction * std::max(rows_[r.normal].lambda, 0.0); };
  for (int i = 0; i < row_count_ && !changed; ++i) {
    const SolverRow& r = rows_[i];
    if (r.normal < 0) continue;
    const double bound = bound_of(r), tolerance = relative * std::max(bound, 0.1 * r.friction * largest);
    const bool binds = r.side != 0 || std::fabs(r.lambda) > bound;
    changed = binds && std::fabs(bound - r.hi) > tolerance;
  }
  if (!changed) return false;
  for (int i = 0; i < row_count_; ++i)
    if (rows_[i].normal >= 0) rows_[i].hi = bound_of(rows_[i]), rows_[i].lo = -rows_[i].hi;
  return true;
}

bool IslandSolver::fixed_point(const FixedPoint& friction, SolverEffort& effort) {
  bool ok = true;
  for (int pass = 0; pass < friction.passes; ++pass) {
    ++effort.passes;
    ok = newton(effort);
    if (pass + 1 == friction.passes || !update_friction_bounds(friction.relative)) break;
    if (update_sides()) factored_ = false;
  }
  effort.converged &= ok;
  return ok;
}

SolverEffort IslandSolver::solve(const FixedPoint& friction) {
  SolverEffort effort;
  plan_elimination();
  for (int i = 0; i < body_count_; ++i)
    for (int a = 0; a < 3; ++a) bodies_[i].v[a] = bodies_[i].v_free[a];
  factored_ = false;
  fixed_point(friction, effort);
  return effort;
}

/// Method of multipliers as iterative refinement: each round starts from the velocities that the impulses so far give
/// (momentum is exact), and solves for what is missing, which is small and therefore loses no digits.
SolverEffort IslandSolver::solve_rigid(const FixedPoint& friction, int rounds, double speed) {
  SolverEffort effort = solve(friction);
  for (int k = 0; k < rounds; ++k) {
    carry_impulses();
    double worst = 0;  // velocity that compliance still leaves
    for (int i = 0; i < row_count_; ++i)
      if (rows_[i].side == 0) worst = std::max(worst, std::fabs(velocity_of(rows_[i], nullptr) - rows_[i].target));
    if (worst < speed) break;
    if (update_sides()) factored_ = false;
    fixed_point(friction, effort);
  }
  carry_impulses();
  return effort;
}

/// v = v* + A⁻¹ Σ Jᵀ (λ − λ̂) becomes the new v*, λ the new λ̂.
void IslandSolver::carry_impulses() {
  for (int i = 0; i < 3 * body_count_; ++i) rhs_[i] = 0;
  for (int i = 0; i < row_count_; ++i) {
    SolverRow& r = rows_[i];
    const double l = r.lambda - r.carried;
    r.carried = r.lambda;
    for (int a = 0; a < 3; ++a) rhs_[3 * r.a + a] += l * r.ja[a];
    if (r.b < 0) continue;
    for (int a = 0; a < 3; ++a) rhs_[3 * r.b + a] += l * r.jb[a];
  }
  for (int i = 0; i < body_count_; ++i) {
    SolverBody& b = bodies_[i];
    double change[3];
    times(inverse(b.inertia), &rhs_[3 * i], change);
    for (int a = 0; a < 3; ++a) b.v[a] = b.v_free[a] = b.v_free[a] + change[a];
  }
}

}  // namespace gradus::wheels

/// All contacts of one island of touching bodies, solved together at velocity level.
///
/// Unknown are the bodies' velocities v (three numbers each), not the contact impulses: in a heap there are fewer of
/// them, and their matrix has the sparsity of the contact graph. With the compliance 1/kᵢ of row i, its impulse is
///   λᵢ(v) = clamp(λ̂ᵢ − kᵢ (Jᵢ v − Tᵢ), loᵢ, hiᵢ)      (λ̂: carried over, in v* already)              (20)
/// and A (v − v*) = Σ Jᵢᵀ λᵢ(v) is the stationary point of a strictly convex, piecewise quadratic function: Newton's
/// method with a line search finds it from any start, whatever the heap (A: inertia with implicit motor damping).
/// Coulomb friction makes the bounds of tangential rows depend on the normal impulses, |λ_t| ≤ μ λ_n; they are updated
/// between solves (fixed point). Every solve is passive for the bounds it uses, so cutting the fixed point short costs
/// accuracy of friction, never energy.
///
/// Newton matrix: 3×3 blocks, eliminated body by body in minimum-degree order (bit sets), O(bodies) for contact graphs
/// of the plane. Source: own; the convex view follows Todorov (2014), "Convex and analytically-invertible dynamics".
#pragma once
#include <cstdint>
#include <vector>

#include "wheels/model.h"
#include "wheels/piece.h"

namespace gradus::wheels {

struct SolverBody {
  Sym3 inertia;        // A
  double v_free[3]{};  // v*: velocity without contacts
  double v[3]{};       // result
};

struct SolverRow {
  int a = -1, b = -1;       // bodies of the island; b < 0: fixed
  double ja[3]{}, jb[3]{};  // Jacobian
  double target = 0;        // T
  double stiffness = 0;     // k
  double carried = 0;       // λ̂, already in v*
  double lo = 0, hi = 0;    // bounds of the impulse
  double lambda = 0;        // result
  int normal = -1;          // ≥ 0: friction row of that normal row, bounds from it
  double friction = 0;      // μ
  int side = 0;             // −1 at lo, 0 between, +1 at hi; before solve(): first guess
};

struct SolverEffort {
  int factorisations = 0, passes = 0;
  bool converged = true;
};

/// When the friction bounds are good enough.
struct FixedPoint {
  int passes = 5;          // at most
  double relative = 1e-3;  // change of a bound that still matters
};

class IslandSolver {
 public:
  IslandSolver(int max_bodies, int max_rows);

  void clear() { body_count_ = row_count_ = 0; }
  SolverBody& add_body() { return bodies_[body_count_++] = SolverBody{}; }
  bool has_room() const { return row_count_ < static_cast<int>(rows_.size()); }
  SolverRow& add_row() { return rows_[row_count_++] = SolverRow{}; }
  int body_count() const { return body_count_; }
  int row_count() const { return row_count_; }
  SolverBody& body(int i) { return bodies_[i]; }
  SolverRow& row(int i) { return rows_[i]; }

  /// Starts from the rows' first guesses.
  SolverEffort solve(const FixedPoint& friction);
  /// The same with impulses carried over (λ̂ = λ), at most `rounds` times or until no row is off by more than `speed`:
  /// removes the compliance, for impacts.
  SolverEffort solve_rigid(const FixedPoint& friction, int rounds, double speed);

  double row_velocity(const SolverRow& r) const;

 private:
  struct Block {
    double e[9];
  };
  struct Line {  // a row along the direction of a line search
    double force, force_rate, rate, lo, hi;
  };
  struct LineSearch {                 // the convex function along a direction
    double slope = 0, curvature = 0;  // of the inertia term: slope + α curvature
    int lines = 0;                    // rows that change, in lines_
  };
  int at(int i, int j) const { return i * (i + 1) / 2 + j; }  // block of elimination positions i ≥ j
  double velocity_of(const SolverRow& r, const double* v) const;
  void plan_elimination();
  void assemble();
  void factor();
  void solve_factored(double* x) const;
  bool newton(SolverEffort& effort);
  bool update_sides();
  void newton_direction();
  LineSearch search_along(const double* direction);
  double slope_at(const LineSearch& s, double alpha, double& second) const;
  void step_along(const double* direction);
  bool update_friction_bounds(double relative);
  void carry_impulses();
  bool fixed_point(const FixedPoint& friction, SolverEffort& effort);

  std::vector<SolverBody> bodies_;
  std::vector<SolverRow> rows_;
  int body_count_ = 0, row_count_ = 0;
  std::vector<int> order_, position_;    // (bodies) elimination order and its inverse
  std::vector<std::uint64_t> later_;     // (bodies) positions of later neighbours, with fill
  std::vector<Block> matrix_;            // lower triangle of blocks by elimination position
  std::vector<Block> lower_;             // L
  std::vector<Block> inverse_;           // (bodies) inverse pivots
  std::vector<Line> lines_;              // (rows)
  std::vector<double> rhs_, direction_;  // (3 × bodies)
  bool factored_ = false;
};

}  // namespace gradus::wheels

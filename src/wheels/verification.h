/// The engine against what it must reproduce: the paper's full model with Lagrange multipliers, closed forms,
/// conservation. `gradus paper klancar` prints this table; the unit tests ask the same questions one by one.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "wheels/model.h"

namespace gradus::wheels {

/// The paper's full model, eqs. (5)–(7): q = (x_c, y_c, θ, φ_r, φ_l), M q̈ + V + F = E u − Aᵀ λ, A q̈ + Ȧ q̇ = 0.
/// Written from the Lagrangian, not from the reduced equations, and integrated with RK4 at a very small step: a
/// witness, not part of any simulation.
class MultiplierModel {
 public:
  explicit MultiplierModel(const RobotParameters& robot) : p_(robot) {}
  using State = std::array<double, 10>;  // q, q̇
  State derivative(const State& s, double tau_right, double tau_left) const;
  State step(const State& s, double tau_right, double tau_left, double h) const;

 private:
  RobotParameters p_;
};

struct VerificationRow {
  std::string quantity, unit;
  double expected = 0;  // what the paper or a closed form says
  double found = 0;     // what the engine gives
  double tolerance = 0;
  bool passed() const { return found - expected <= tolerance && expected - found <= tolerance; }
};

/// Takes about a second.
std::vector<VerificationRow> verify_paper();

}  // namespace gradus::wheels

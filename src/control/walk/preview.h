/// Preview control of the zero-moment point: where must the centre of mass go, so that the zero-moment point follows a
/// reference whose next N samples are known? Each horizontal axis alone, the centre of mass at constant height z
/// [Kajita 2003; Katayama 1985; state of Czarnetzki 2009].
///
///   state x = (c, c′, p), input u = p′:   c″ = ω² (c − p),  ω² = g/z                                    (1)
///   x⁺ = A x + b u,   A = [[1, dt, 0], [ω² dt, 1, −ω² dt], [0, 0, 1]],   b = (0, 0, dt)                  (2)
///   u = −G_I Σ_{i≤k} (p_i − r_i) − G_x x − Σ_{j=1…N} G_d(j) r_{k+j}                                     (3)
///
/// The gains minimise Σ Q_e e² + Q_p p² + R Δu² for the system extended by the error (Ã, B̃):
///   P = Ãᵀ P (Ã − B̃ K) + Q̃,   K = B̃ᵀ P Ã s,   s = 1/(R + B̃ᵀ P B̃)                                      (4)
///   G_I = s B̃ᵀ P Ĩ,   G_x = s B̃ᵀ P F̃,   G_d(1) = −G_I,   G_d(j) = s B̃ᵀ X_{j−1},   X_1 = −A_cᵀ P Ĩ,  X_j = A_cᵀ X_{j−1}
///   (5)
#pragma once
#include <array>
#include <span>
#include <vector>

namespace gradus::walk {

struct PreviewSpec {
  double period = 0.01;         // dt                                        [s]
  double height = 0.235;        // z, of the centre of mass above the ground [m]
  double gravity = 9.81;        //                                           [m/s²]
  int horizon = 60;             // N
  double error_weight = 0.3;    // Q_e
  double zmp_weight = 0.4;      // Q_p
  double input_weight = 1e-10;  // R
};

struct PreviewGains {
  double omega2;                // ω²                  [1/s²]
  double period;                // dt                  [s]
  double integral;              // G_I
  std::array<double, 3> state;  // G_x
  std::vector<double> preview;  // (N) G_d(1) … G_d(N)
};
PreviewGains preview_gains(const PreviewSpec& spec);

/// One horizontal axis.
struct PreviewState {
  double c = 0, c_dot = 0, p = 0;  // centre of mass, its speed, zero-moment point of the model   [m, m/s, m]
  double error_sum = 0;            // Σ (p − r)                                                   [m]
};
/// At rest over the point r.
PreviewState at_rest(double r);
/// (3) and (2). reference: r_k, r_{k+1} … r_{k+N}.
void advance(const PreviewGains& gains, std::span<const double> reference, PreviewState& x);

}  // namespace gradus::walk

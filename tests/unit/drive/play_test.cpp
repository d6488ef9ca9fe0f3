/// Gear play against the describing function of backlash [Slotine, Li 1991, 5.3]: of half width b, input A sin ωt,
///   N = (b₁ + j a₁)/A,   b₁ = A/π (π/2 − asin c − c √(1 − c²)),   a₁ = 4b/π (b/A − 1),   c = 2b/A − 1            (1)
/// It holds where the driven side stays where it is left, so the flywheel here is light and braked.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "drive/chain.h"
#include "rig.h"

namespace gradus::test {
namespace {

constexpr double kDegree = 0.017453292519943295;
using Complex = std::complex<double>;

Complex describing(double A, double b) {
  const double c = 2 * b / A - 1;
  return Complex(A / M_PI * (M_PI / 2 - std::asin(c) - c * std::sqrt(1 - c * c)), 4 * b / M_PI * (b / A - 1)) / A;
}

/// Complex amplitude at ω of samples taken over whole periods.
class Fourier {
 public:
  explicit Fourier(double omega) : omega_(omega) {}
  void add(double t, double x) {
    sum_ += x * std::exp(Complex(0, -omega_ * t));
    ++n_;
  }
  Complex amplitude() const { return 2.0 * sum_ / static_cast<double>(n_); }

 private:
  double omega_;
  Complex sum_;
  int n_ = 0;
};

TEST(Play, of_1_4_degrees_shows_the_phase_lag_and_gain_of_backlash) {
  // the rotor follows a sine by a stiff loop over its own encoder; the flywheel only has a brake
  DriveSpec d;
  d.controller.kp = 4000;
  d.controller.kd = 40;
  d.controller.motor_side = true;
  d.controller.error_rate = true;
  d.motor.inertia = 0.0072;
  d = with_play(d, 1.4, 3000, 1);
  for (const double amplitude : {1.5, 2.0, 4.0}) {
    const double h = 0.0005, omega = 2 * M_PI;  // 1 Hz
    Rig rig(d, 1e-5, h);
    Fourier theta(omega), q(omega);
    for (int i = 0; i < 8000; ++i) {
      rig.step(amplitude * kDegree * std::sin(omega * rig.time()), 0, 0.05);
      if (i < 4000) continue;
      theta.add(rig.time(), rig.state.theta);
      q.add(rig.time(), rig.q);
    }
    const Complex got = q.amplitude() / theta.amplitude(), due = describing(std::abs(theta.amplitude()), 0.7 * kDegree);
    std::printf("  %.1f degrees: gain %.4f (%.4f), lag %.2f (%.2f) degrees\n", amplitude, std::abs(got), std::abs(due),
                -std::arg(got) / kDegree, -std::arg(due) / kDegree);
    EXPECT_NEAR(std::abs(got), std::abs(due), 0.05 * std::abs(due));
    EXPECT_NEAR(std::arg(got), std::arg(due), 0.05 * std::fabs(std::arg(due)));
  }
}

/// Limit cycle of a rotor J θ̈ + b θ̇ = −kp q behind play: N(A) = (J ω² − j b ω)/kp. Bisection on A: ω from the real
/// part.
void predict_cycle(double J, double b, double kp, double half, double& A, double& omega) {
  auto excess = [&](double a) {
    const Complex N = describing(a, half);
    omega = std::sqrt(kp * N.real() / J);
    return -N.imag() - b * omega / kp;  // falls with A: beyond the cycle the loop is damped
  };
  double lo = 1.3 * half, hi = 100 * half;
  for (int i = 0; i < 100; ++i) (excess(A = 0.5 * (lo + hi)) > 0 ? lo : hi) = A;
  excess(A);
}

TEST(Play, in_a_loop_over_the_joint_makes_the_limit_cycle_that_the_describing_function_predicts) {
  const double J = 0.0072, b = 0.12, kp = 15, half = 0.7 * kDegree;
  DriveSpec d;
  d.controller.kp = kp;
  d.motor.inertia = J;
  d.friction.viscous = b;
  d = with_play(d, 1.4, 2000, 0.5);
  double A = 0, omega = 0;
  predict_cycle(J, b, kp, half, A, omega);
  const double h = 5e-5;
  Rig rig(d, 1e-7, h);
  rig.state.theta = 3 * half;
  double top = 0, last = 0, period = 0;
  int crossings = 0;
  while (rig.time() < 12) {
    const double before = rig.state.theta;
    rig.step(0, 0, 0.001);
    if (rig.time() < 8) continue;
    top = std::max(top, std::fabs(rig.state.theta));
    if (before < 0 && rig.state.theta >= 0) {
      if (crossings++ > 0)
        period = (rig.time() - last) / (crossings - 1);
      else
        last = rig.time();
    }
  }
  std::printf("  amplitude %.3f (%.3f) degrees, %.3f (%.3f) rad/s\n", top / kDegree, A / kDegree, 2 * M_PI / period,
              omega);
  EXPECT_NEAR(top, A, 0.05 * A);
  EXPECT_NEAR(2 * M_PI / period, omega, 0.05 * omega);
}

}  // namespace
}  // namespace gradus::test

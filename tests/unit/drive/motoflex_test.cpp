/// The motoflex gear, one implicit step per physics step, against the exact solution of its equations between events
/// [facts: nao.md 4.5b]: m ẇ + B w + D z = T with z = p − l, p or 0 above, below and inside the play.
#include <gtest/gtest.h>

#include <cmath>

#include "drive/chain.h"
#include "rig.h"

namespace gradus::test {
namespace {

struct GearSet {
  double m, D, B, l;
};
constexpr GearSet kHipRoll{1.080835e-3, 6130811.0, 84.36548, 1.301046e-5};
constexpr GearSet kKnee{1.103733e-3, 17995220.0, 0.108967, 1.050896e-5};

/// p, w after time t without leaving the region, D acting about p_eq (T included); in the gap D = 0.
void move(const GearSet& g, int region, double T, double t, double& p, double& w) {
  if (region == 0) {  // m ẇ = T − B w
    const double w_inf = T / g.B, tau = g.m / g.B, e = std::exp(-t / tau);
    p += w_inf * t + (w - w_inf) * tau * (1 - e);
    w = w_inf + (w - w_inf) * e;
    return;
  }
  const double eq = (region > 0 ? g.l : 0) + T / g.D, x = p - eq, a = g.B / (2 * g.m), disc = g.D / g.m - a * a;
  const double f = std::sqrt(std::fabs(disc)), e = std::exp(-a * t);
  const double c = disc > 0 ? std::cos(f * t) : std::cosh(f * t), s = disc > 0 ? std::sin(f * t) : std::sinh(f * t);
  p = eq + e * (x * c + (w + a * x) / f * s);
  w = e * (w * c + ((disc > 0 ? -1 : 1) * f * x - a * (w + a * x) / f) * s);
}

/// Exact state after time H under constant torque: from event to event, each bracketed and bisected.
void exact(const GearSet& g, double T, double H, double& p, double& w) {
  double left = H;
  while (left > 0) {
    // at a border the speed says which region comes
    const int region = p > g.l || (p == g.l && w > 0) ? 1 : p < 0 || (p == 0 && w < 0) ? -1 : 0;
    auto outside = [&](double x) { return region > 0 ? x < g.l : region < 0 ? x > 0 : x < 0 || x > g.l; };
    // steps short against the oscillation, so that no event is jumped over
    const double step = std::min(left, 0.1 * std::sqrt(g.m / g.D));
    double p1 = p, w1 = w;
    move(g, region, T, step, p1, w1);
    if (!outside(p1)) {
      p = p1, w = w1, left -= step;
      continue;
    }
    double lo = 0, hi = step;
    for (int i = 0; i < 60; ++i) {
      const double mid = 0.5 * (lo + hi);
      p1 = p, w1 = w;
      move(g, region, T, mid, p1, w1);
      (outside(p1) ? hi : lo) = mid;
    }
    p1 = p, w1 = w;
    move(g, region, T, hi, p1, w1);
    p = region > 0 ? g.l : region < 0 ? 0 : p1 > 0.5 * g.l ? g.l : 0;
    w = w1, left -= hi;
  }
}

DriveSpec filter(const GearSet& g) {
  DriveSpec d;
  d.controller.kp = 1;  // the command is the torque, the joint is held
  d.gear.model = GearModel::motoflex;
  d.gear.inertia = g.m;
  d.gear.stiffness = g.D;
  d.gear.damping = g.B;
  d.gear.play = g.l;
  return d;
}

/// Torque reversals ±3 N m every 11 ms for 22 ms and on: rms difference of the joint torque.
double rms(const GearSet& g) {
  Rig rig(filter(g), 1e12, 0.001);
  double p = 0, w = 0, sum = 0;
  const int n = 220;
  for (int i = 0; i < n; ++i) {
    const double T = i / 11 % 2 ? -3 : 3, p0 = p, w0 = w;
    exact(g, T, 0.001, p, w);
    const double torque = T - (g.m * (w - w0) + g.B * (p - p0)) / 0.001;  // mean over the step, by momentum
    rig.step(T);
    sum += (rig.torque - torque) * (rig.torque - torque);
  }
  return std::sqrt(sum / n);
}

TEST(Motoflex, one_implicit_step_is_near_the_exact_solution) {
  const double hip = rms(kHipRoll), undamped = rms(kKnee);
  std::printf("  rms of the joint torque: %.4f N m (201.3), %.4f N m (130.85, hardly damped)\n", hip, undamped);
  EXPECT_LT(hip, 0.002);      // facts: 0.001
  EXPECT_LT(undamped, 0.25);  // facts: 0.18, its 100 explicit substeps have 0.51
}

TEST(Motoflex, the_oracle_conserves_energy_without_damping) {
  GearSet g = kKnee;
  g.B = 1e-9;
  double p = -1e-5, w = 0.3;
  auto energy = [&] { return 0.5 * g.m * w * w + 0.5 * g.D * std::pow(p < 0 ? p : p > g.l ? p - g.l : 0, 2); };
  const double at_start = energy();
  exact(g, 0, 0.002, p, w);
  EXPECT_NEAR(energy(), at_start, 1e-6 * at_start);
}

TEST(Motoflex, in_the_gap_no_torque_passes_and_in_contact_all_of_it_in_the_end) {
  GearSet g = kHipRoll;
  g.l = 1.4 * M_PI / 180;  // a real play in the paper's model
  Rig rig(filter(g), 1e12, 0.001);
  int in_gap = 0;
  for (int i = 0; i < 4000; ++i) {
    rig.step(3);
    in_gap += rig.torque == 0;
  }
  EXPECT_NEAR(rig.torque, 3, 1e-9);
  EXPECT_NEAR(in_gap * 0.001, g.l * g.B / 3, 0.1 * g.l * g.B / 3);  // damped crossing: w = T/B nearly from the start
}

}  // namespace
}  // namespace gradus::test

/// No set of parameters diverges. The bound is the energy: a passive chain can give back no more than what the
/// controller's torque did over the way that targets moved, plus what was there at the start.
/// 100,000 draws in optimised builds (3 s), 3000 in others; GRADUS_DRAWS sets another number.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "drive/chain.h"
#include "base/rng.h"
#include "rig.h"

namespace gradus::test {
namespace {

#ifdef NDEBUG
constexpr int kDraws = 100000;
#else
constexpr int kDraws = 3000;
#endif

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : key_{seed, 0, 0} {}
  double in(double lo, double hi) { return random_in(key_, 0, n_++, lo, hi); }
  double decades(double lo, double hi) { return std::exp(in(std::log(lo), std::log(hi))); }  // evenly in the logarithm
  bool coin() { return in(0, 1) < 0.5; }

 private:
  RandomKey key_;
  std::uint32_t n_ = 0;
};

DriveSpec random_drive(Draw& r) {
  DriveSpec d;
  const bool electrical = r.coin();
  d.delay = r.coin() ? 0 : r.in(0, 0.03);
  d.controller.kp = electrical ? r.decades(1, 3000) : r.decades(0.1, 1000);
  d.controller.kd = r.coin() ? 0 : d.controller.kp * r.decades(1e-4, 0.1);
  d.controller.ki = r.in(0, 4) < 3 ? 0 : d.controller.kp * r.decades(0.1, 100);
  d.controller.error_rate = d.controller.kd > 0 && r.coin();
  d.controller.limit = electrical ? r.decades(1, 50) : r.decades(0.01, 100);
  d.controller.stiffness = r.in(0, 1);
  if (electrical) {
    const double kt = r.decades(1e-3, 0.1);
    d.motor = {r.decades(0.1, 50), r.decades(1e-5, 1e-2), kt, kt, 0};
  }
  d.motor.inertia = r.decades(1e-8, 1e-5);
  if (!electrical && r.coin()) d.motor.speed = r.decades(0.1, 100);
  if (!electrical && r.coin()) d.motor.power = r.decades(0.01, 1000);
  d.friction.viscous = r.coin() ? 0 : r.decades(1e-3, 5);
  d.friction.coulomb = r.coin() ? 0 : r.decades(1e-3, 3);
  d.friction.stribeck = r.coin() ? 0 : r.decades(1e-3, 3);
  d.friction.stribeck_speed = r.decades(0.01, 2);
  d.friction.load = r.coin() ? 0 : r.in(0, 0.9);
  d.friction.load_stribeck = r.coin() ? 0 : r.in(0, 0.5);
  d.gear.ratio = r.decades(1, 400);
  d.gear.efficiency = r.coin() ? 1 : r.in(0.4, 1);
  const double kind = r.in(0, 4);
  if (kind < 1) return d;
  d.gear.model = kind < 3 ? GearModel::elastic : GearModel::motoflex;
  d.gear.stiffness = r.decades(4e2, 2e7);  // facts: nao.md 4.5c goes to 6e6, 4.4 to 1.8e7
  d.gear.damping = r.coin() ? 0 : r.decades(1e-2, 1e2);
  d.gear.play = r.coin() ? r.in(1.0, 1.4) * M_PI / 180 : r.decades(1e-6, 0.1);
  d.gear.inertia = r.decades(1e-4, 1e-2);
  d.controller.motor_side = r.coin();
  return d;
}

/// Energy that must come from somewhere: the flywheel's; behind a motoflex gear, which does not act back on the motor,
/// that of the gear's own mass and spring.
double energy_of(const Rig& rig, const DriveSpec& d, double inertia) {
  if (d.gear.model != GearModel::motoflex)
    return 0.5 * (inertia + (d.has_rotor() ? 0 : d.rotor_inertia())) * rig.v * rig.v;
  const double p = rig.state.theta, z = p < 0 ? p : p > d.gear.play ? p - d.gear.play : 0;
  return 0.5 * d.gear.inertia * rig.state.omega * rig.state.omega + 0.5 * d.gear.stiffness * z * z;
}

/// Largest energy over its bound, in 0.3 s with three targets.
double worst_share(const DriveSpec& d, double inertia, double h, Draw& r, long& unsettled) {
  Rig rig(d, inertia, h);
  const double torque = d.controller.stiffness * d.torque_gain() * d.controller.limit;
  const double spring = d.controller.stiffness * d.torque_gain() * d.controller.kp;
  // A loop with an inductance, an integral or the rate of the error, or over the joint with play or a filter between,
  // is not passive (it has limit cycles): there the bound is the work that the motor's torque can have done on the way
  // that it went.
  const bool filter = d.gear.model == GearModel::motoflex, cycles = d.electrical() || filter || d.controller.ki > 0 ||
                                                                    d.controller.error_rate ||
                                                                    (d.has_rotor() && !d.controller.motor_side);
  double bound = 1e-9, target = 0, worst = 0;
  for (int part = 0; part < 3; ++part) {
    const double next = r.in(-1, 1), way = std::fabs(next - target) + d.gear.play;
    if (!filter) bound += std::min(torque * way, spring * way * 4);
    target = next;
    for (int i = 0; i * h < 0.1; ++i) {
      rig.step(target);
      if (!std::isfinite(rig.v + rig.q + rig.state.theta + rig.state.omega)) return INFINITY;
      const double most = torque + (filter ? d.speed_loss() * std::fabs(rig.v) : 0);
      if (cycles) bound += most * std::fabs(filter ? rig.state.omega : rig.rotor_speed()) * h;
      worst = std::max(worst, energy_of(rig, d, inertia) / bound);
    }
  }
  unsettled += rig.unsettled;
  return worst;
}

TEST(Draws, no_parameters_diverge_at_1_2_and_5_ms) {
  const char* wanted = std::getenv("GRADUS_DRAWS");
  const int draws = wanted ? std::atoi(wanted) : kDraws;
  double worst = 0;
  long unsettled = 0, steps = 0;
  for (int n = 0; n < draws; ++n) {
    for (const double h : {0.001, 0.002, 0.005}) {
      Draw r(static_cast<std::uint64_t>(n) + 1);
      const DriveSpec d = random_drive(r);
      const double inertia = r.decades(1e-4, 1), share = worst_share(d, inertia, h, r, unsettled);
      worst = std::max(worst, share);
      ASSERT_LT(share, 1.05) << "draw " << n << ", step " << h << ": " << to_string(d.gear.model) << " el "
                             << d.electrical() << " ms " << d.controller.motor_side << " kp " << d.controller.kp
                             << " kd " << d.controller.kd << " lim " << d.controller.limit << " S "
                             << d.controller.stiffness << " J " << d.rotor_inertia() << " Jl " << inertia << " k "
                             << d.gear.stiffness << " C " << d.gear.damping << " play " << d.gear.play << " B "
                             << d.friction.viscous << " F " << d.friction.coulomb << " delay " << d.delay << " L/R "
                             << d.motor.inductance / d.motor.resistance;
      steps += static_cast<long>(0.3 / h);
    }
  }
  std::printf("  %d draws: at most %.3f of the energy bound; %ld of %ld steps unsettled\n", draws, worst, unsettled,
              steps);
  EXPECT_LT(static_cast<double>(unsettled), 0.001 * static_cast<double>(steps));
}

}  // namespace
}  // namespace gradus::test

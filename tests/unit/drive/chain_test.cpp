/// Motor, friction, gear and delay against closed forms, one chain on a flywheel.
#include "drive/chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rig.h"

namespace gradus::test {
namespace {

constexpr double kDegree = 0.017453292519943295;

/// Observed order of error(h) must be 1.
template <class Error>
void expect_first_order(const Error& error, double h, double bound) {
  const double e1 = error(h), e2 = error(h / 2), e3 = error(h / 4);
  EXPECT_LT(e1, bound);
  EXPECT_NEAR(std::log2(e1 / e2), 1, 0.25) << e1 << " " << e2 << " " << e3;
  EXPECT_NEAR(std::log2(e2 / e3), 1, 0.25) << e1 << " " << e2 << " " << e3;
}

TEST(Motor, runs_up_to_its_no_load_speed) {
  // J v̇ = N U − (N κ + B) v with L → 0:  v = v₀ (1 − e^{−t (Nκ + B)/J}),  v₀ = N U/(N κ + B)
  DriveSpec d = knee();
  d.motor.inductance = 0;
  const double J = 0.02 + d.rotor_inertia(), N = d.torque_gain(), loss = d.speed_loss(), v0 = N * 21.6 / loss;
  EXPECT_NEAR(v0, 8700 * 2 * M_PI / 60 / 130.85, 0.01);  // the data sheet's 8700 rpm behind the gear
  auto error = [&](double h) {
    Rig rig(d, 0.02, h);
    double worst = 0;
    while (rig.time() < 0.1) {
      rig.step(1e3);
      worst = std::max(worst, std::fabs(rig.v - v0 * (1 - std::exp(-rig.time() * loss / J))));
    }
    return worst / v0;
  };
  expect_first_order(error, 0.001, 0.03);
  Rig rig(d, 0.02, 0.001);
  for (int i = 0; i < 1000; ++i) rig.step(-1e3);
  EXPECT_NEAR(rig.v, -v0, 1e-9);
}

TEST(Motor, stalled_gives_kt_u_over_r_through_the_gear) {
  DriveSpec d = knee();
  for (const double S : {1.0, 0.7}) {
    Rig rig(d, 1e9, 0.001);  // will not turn
    rig.stiffness = S;
    for (int i = 0; i < 20; ++i) rig.step(1);
    EXPECT_NEAR(rig.torque, S * 0.01938 * 21.6 / 6.44 * 130.85, 1e-6);
    EXPECT_NEAR(rig.state.current, S * 21.6 / 6.44, 1e-6);
    EXPECT_DOUBLE_EQ(rig.state.voltage, S * 21.6);
  }
}

TEST(Motor, current_after_a_voltage_step_follows_the_rl_circuit) {
  // i = U/R (1 − e^{−t R/L})
  DriveSpec d = knee();
  d.motor.inductance = 0.0644;  // L/R = 10 ms
  auto error = [&](double h) {
    Rig rig(d, 1e9, h);
    double worst = 0;
    while (rig.time() < 0.05) {
      rig.step(1);
      worst = std::max(worst, std::fabs(rig.state.current - 21.6 / 6.44 * (1 - std::exp(-rig.time() / 0.01))));
    }
    return worst;
  };
  expect_first_order(error, 0.001, 0.2);
}

TEST(Motor, released_carries_no_current_and_no_torque) {
  Rig rig(knee(), 0.02, 0.001);
  rig.stiffness = 0;
  rig.v = 2;
  for (int i = 0; i < 10; ++i) rig.step(1);
  EXPECT_EQ(rig.state.current, 0);
  EXPECT_EQ(rig.state.voltage, 0);
  // viscous friction alone is left: J v̇ = −B v
  EXPECT_NEAR(rig.v, 2 * std::pow(1 + 0.001 * 0.223 / (0.02 + knee().rotor_inertia()), -10), 1e-12);
}

TEST(Controller, holds_a_load_with_the_error_load_over_stiffness_or_none_with_an_integral) {
  DriveSpec d = knee();
  const double load = -1.5, stiffness = d.torque_gain() * d.controller.kp;
  Rig p(d, 0.02, 0.001);
  for (int i = 0; i < 3000; ++i) p.step(0.3, load);
  EXPECT_NEAR(0.3 - p.q, 1.5 / stiffness, 1e-9);
  d.controller.ki = 2000;
  Rig pi(d, 0.02, 0.001);
  for (int i = 0; i < 20000; ++i) pi.step(0.3, load);
  EXPECT_NEAR(pi.q, 0.3, 1e-9);
}

TEST(Controller, integral_does_not_wind_up_at_the_limit) {
  DriveSpec d = knee();
  d.controller.ki = 2000;
  Rig rig(d, 1e9, 0.001);
  for (int i = 0; i < 1000; ++i) rig.step(1);
  EXPECT_EQ(rig.state.integral, 0);
}

/// An ideal motor that drives a wheel of 0.3 kg m² towards a target far away: torque T as long as T ω < P, then P/ω, none beyond v₀.
DriveSpec limited(GearModel gear) {
  DriveSpec d;
  d.controller.kp = 1e4;
  d.controller.limit = 20;
  d.motor.inertia = 0.01;
  d.motor.speed = 10;
  d.motor.power = 60;
  d.gear.model = gear;
  d.gear.stiffness = 2e6;  // holds 1e-4 J, which the closed form does not know
  d.gear.damping = 200;
  return d;
}

TEST(Motor, of_limited_power_gives_the_work_power_times_time) {
  for (const GearModel gear : {GearModel::rigid, GearModel::elastic}) {
    const DriveSpec d = limited(gear);
    const double J = 0.3 + 0.01;  // constant torque to ω₁ = P/T, then ½ J (ω² − ω₁²) = P (t − t₁)
    auto error = [&](double h) {
      Rig rig(d, 0.3, h);
      double worst = 0;
      while (rig.time() < 0.2) {
        rig.step(1e6);
        const double t1 = 3 * J / 20, t = rig.time();
        worst = std::max(worst, std::fabs(rig.v - (t < t1 ? 20 * t / J : std::sqrt(9 + 2 * 60 * (t - t1) / J))));
      }
      return worst;
    };
    expect_first_order(error, 0.001, 0.02);
  }
}

TEST(Motor, of_limited_speed_drives_up_to_it_and_brakes_with_all_it_has) {
  for (const GearModel gear : {GearModel::rigid, GearModel::elastic}) {
    for (const double way : {1.0, -1.0}) {
      Rig rig(limited(gear), 0.3, 0.001);
      double fastest = 0;
      for (int i = 0; i < 2000; ++i) rig.step(1e6 * way), fastest = std::max(fastest, way * rig.v);
      const double relaxing = 20 / 2e6 / 0.001;  // [rad/s] teeth that let go within a step push rotor and wheel apart
      EXPECT_LT(fastest, gear == GearModel::elastic ? 10 + relaxing : 10.0001);
      EXPECT_NEAR(rig.v, 10 * way, relaxing);
      EXPECT_NEAR(rig.torque, 0, 1e-2);
      for (int i = 0; i < 5; ++i) rig.step(-1e6 * way);
      EXPECT_NEAR(rig.torque * way, -20 * 0.3 / 0.31 * (gear == GearModel::elastic) - 20 * (gear == GearModel::rigid), 2);  // not 60 W/10 rad/s
      // driven faster from outside it does not drive, and does not brake by itself
      Rig fast(limited(gear), 0.3, 0.001);
      fast.v = 15 * way, fast.state.omega = 15 * way, fast.state.inertia = 0.3 / 0.001;
      fast.step(1e6 * way);
      EXPECT_NEAR(fast.torque, 0, 1e-9);
    }
  }
}

TEST(Controller, derivative_of_the_error_follows_a_ramp_without_drag) {
  // steady ramp r t, no load: kp e + kd (ġ − v) = loss v/N: with the rate of the error the drag of kd vanishes
  DriveSpec d = knee();
  d.controller.kd = 2;
  auto lag = [&](bool error_rate) {
    d.controller.error_rate = error_rate;
    Rig rig(d, 0.02, 0.001);
    for (int i = 0; i < 2000; ++i) rig.step(0.5 * (rig.time() + 0.001));
    return 0.5 * rig.time() - rig.q;
  };
  const double drag = d.speed_loss() / d.torque_gain() * 0.5 / d.controller.kp;
  EXPECT_NEAR(lag(true), drag, 1e-6);
  EXPECT_NEAR(lag(false), drag + 2 * 0.5 / d.controller.kp, 1e-6);
}

TEST(Delay, of_any_length_shifts_a_ramp_by_exactly_that_time) {
  // A command held over each step and delayed by d is, on average over a step, the ramp at t − d
  DriveSpec d;
  for (const double delay : {0.0, 0.0004, 0.001, 0.0025, 0.0056, 0.0201}) {
    d.delay = delay;
    const Chain c = make_chain({0, d}, 0.001, 0);
    std::vector<double> ring(static_cast<std::size_t>(c.ring), -7);
    for (std::int64_t k = 0; k < 60; ++k) {
      const double goal = delayed_goal(c, ring.data(), k, static_cast<double>(k));
      if (k > 25) {
        EXPECT_NEAR(goal, static_cast<double>(k) - delay / 0.001, 1e-9) << delay;
      }
      if (c.ring > 0) ring[static_cast<std::size_t>(k % c.ring)] = static_cast<double>(k);
    }
  }
}

TEST(Friction, stops_a_wheel_at_a_constant_rate_and_holds_it) {
  // J v̇ = −F
  for (const bool elastic : {false, true}) {
    DriveSpec d;
    d.friction.coulomb = 0.2;
    d.motor.inertia = 0.3;
    if (elastic) d = with_play(d, 0, 1e7, 1e3);
    Rig rig(d, 0.2, 0.001);
    rig.v = rig.state.omega = 2;
    for (int i = 0; i < 3000; ++i) rig.step(0);
    EXPECT_NEAR(rig.v, 2 - 0.2 * 3 / 0.5, 1e-3) << elastic;
    for (int i = 0; i < 4000; ++i) rig.step(0);
    EXPECT_LT(std::fabs(rig.v), 1e-6);
    const double q = rig.q;
    for (int i = 0; i < 10000; ++i) rig.step(0, 0.19);  // below its budget: creeps at most at kRest, 10 s
    EXPECT_LT(std::fabs(rig.q - q), 1.1e-5 * (elastic ? 2 : 1));
    for (int i = 0; i < 1000; ++i) rig.step(0, 0.21);  // above: J v̇ = 0.01
    EXPECT_NEAR(rig.v, 0.01 / 0.5, 1e-3);
  }
}

TEST(Friction, stribeck_share_is_half_at_its_speed) {
  DriveSpec d;
  d.friction = {0.1, 0, 0.4, 2.0, 0.5, 0.3};
  const Chain c = make_chain({0, d}, 0.001, 0);
  ChainState s{};
  EXPECT_DOUBLE_EQ(friction_budget(c, s, 0), 0.5);
  EXPECT_DOUBLE_EQ(friction_budget(c, s, -2), 0.3);
  s.load = 3;
  EXPECT_DOUBLE_EQ(friction_budget(c, s, 2), 0.3 + (0.5 + 0.15) * 3);
}

TEST(Gear, of_efficiency_eta_needs_the_load_over_eta_to_lift_and_less_to_lower) {
  // constant slow speed against a load T: lifting T_m = T/η, lowering T_m = T (2η − 1)/η
  for (const bool elastic : {false, true}) {
    DriveSpec d = knee();
    d.gear.efficiency = 0.8;
    if (elastic) d = with_play(d, 0, 3000, 5);
    for (const double direction : {1.0, -1.0}) {
      Rig rig(d, 0.02, 0.001);
      double command = 0;
      for (int i = 0; i < 4000; ++i) rig.step(command += direction * 0.0003, -2);
      const double motor = rig.state.current * 0.01938 * 130.85 - d.friction.viscous * rig.v;
      EXPECT_NEAR(rig.v, direction * 0.3, 1e-6);
      EXPECT_NEAR(motor, direction > 0 ? 2 / 0.8 : 2 * 0.6 / 0.8, 2e-4) << elastic << direction;
    }
  }
}

TEST(Gear, encoders_differ_by_half_the_play_under_load) {
  Rig rig(with_play(knee(), 1.4), 0.02, 0.001);
  for (int i = 0; i < 3000; ++i) rig.step(0.2, -3);
  EXPECT_NEAR(rig.state.theta - rig.q, 0.7 * kDegree + 3.0 / 1500, 1e-6);
  for (int i = 0; i < 3000; ++i) rig.step(0.2, 3);
  EXPECT_NEAR(rig.state.theta - rig.q, -0.7 * kDegree - 3.0 / 1500, 1e-6);
}

TEST(Gear, the_play_is_crossed_in_the_time_that_the_rotor_needs) {
  // from flank to flank g under torque T: t = √(2 g J/T); facts: 11 ms at 3 N m for 1.4° and 0.0072 kg m²
  DriveSpec d;
  d.controller.kp = 1e9;
  d.controller.limit = 3;
  d.motor.inertia = 0.0072;
  d = with_play(d, 1.4, 1e6, 10);
  Rig rig(d, 1e9, 1e-5);
  rig.state.theta = -0.7 * kDegree;
  while (rig.torque == 0 && rig.time() < 0.1) rig.step(1);
  EXPECT_NEAR(rig.time(), std::sqrt(2 * 1.4 * kDegree * 0.0072 / 3), 3e-5);
  EXPECT_NEAR(rig.time(), 0.011, 0.001);
}

TEST(Chain, loop_over_the_motor_s_encoder_leaves_the_play_in_the_joint) {
  DriveSpec d = with_play(knee(), 1.4);
  d.controller.motor_side = true;
  Rig rig(d, 0.02, 0.001);
  for (int i = 0; i < 3000; ++i) rig.step(0.2, -3);
  EXPECT_NEAR(0.2 - rig.state.theta, 3 / (d.torque_gain() * d.controller.kp), 1e-6);
  EXPECT_NEAR(0.2 - rig.q, 0.7 * kDegree + 3.0 / 1500 + 3 / (d.torque_gain() * d.controller.kp), 1e-6);
}

TEST(Chain, stiff_teeth_without_play_are_a_rigid_gear) {
  DriveSpec rigid = knee();
  rigid.friction.coulomb = 0.1;
  const DriveSpec stiff = with_play(rigid, 0, 1e8, 1e4);
  Rig a(rigid, 0.02, 0.001), b(stiff, 0.02, 0.001);
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    const double target = i / 400 % 2 ? 0.3 : -0.2;
    a.step(target, 1);
    b.step(target, 1);
    worst = std::max(worst, std::fabs(a.q - b.q));
  }
  EXPECT_LT(worst, 1e-4);
}

/// What enters a chain and its flywheel, what is stored and lost, and what the implicit steps take: with every
/// difference W − ω an implicit step loses ½ J (W − ω)², likewise for the current and the teeth. Nothing may be
/// missing.
struct Balance {
  double in = 0, lost = 0, numeric = 0, stored = 0;
  double open() const { return in - lost - numeric - stored; }
};

Balance run_balance(const DriveSpec& d, double h, double inertia) {
  Rig rig(d, inertia, h);
  const double L = d.motor.inductance, R = d.motor.resistance, J = d.rotor_inertia(), k = d.gear.stiffness;
  const bool elastic = d.has_rotor();
  const double flywheel = inertia + (elastic ? 0 : J);
  Balance b;
  auto over = [&] {
    const double x = rig.state.theta - rig.q, g = 0.5 * d.gear.play;
    return x > g ? x - g : x < -g ? x + g : 0;
  };
  auto stored = [&] { return 0.5 * flywheel * rig.v * rig.v + stored_energy(rig.chain, rig.state, rig.q); };
  while (rig.time() < 1 - h / 2) {
    const double v = rig.v, w = rig.state.omega, i = rig.state.current, x = over(), at_start = stored();
    rig.step(std::fmod(rig.time(), 0.4) < 0.2 ? 0.2 : -0.1, 0.5);
    const double V = rig.v, W = rig.rotor_speed(), I = rig.state.current, y = over();
    const double U = R * I + L * (I - i) / h + rig.chain.kappa * W;
    const double T_m = d.gear.ratio * d.motor.torque_constant * I;
    const double T_f = T_m - d.friction.viscous * W - rig.torque - (elastic ? J * (W - w) / h : 0);
    b.in += h * (U * I + 0.5 * V);
    b.lost += h * (R * I * I + d.friction.viscous * W * W + T_f * W);
    b.numeric += 0.5 * flywheel * (V - v) * (V - v) + 0.5 * L * (I - i) * (I - i);
    if (elastic) {
      b.numeric += 0.5 * J * (W - w) * (W - w);
      // torque of the teeth times W − V against the change of ½ k x²: damping, and what implicit springs take
      b.lost += h * rig.torque * (W - V) - 0.5 * k * (y * y - x * x);
      EXPECT_GE(h * rig.torque * (W - V) - 0.5 * k * (y * y - x * x), -1e-12);
    }
    EXPECT_GE(T_f * W, -1e-9);  // friction never drives
    b.stored += stored() - at_start;
  }
  EXPECT_EQ(rig.unsettled, 0);
  return b;
}

TEST(Energy, of_the_whole_chain_is_accounted_for) {
  DriveSpec rigid = knee();
  rigid.friction.coulomb = 0.2;
  rigid.friction.load = 0.2;
  for (const DriveSpec& d : {rigid, with_play(rigid, 1.4)}) {
    const Balance coarse = run_balance(d, 0.001, 0.01), fine = run_balance(d, 0.0001, 0.01);
    EXPECT_NEAR(coarse.open(), 0, 1e-9 * coarse.in);
    EXPECT_NEAR(fine.open(), 0, 1e-9 * fine.in);
    EXPECT_GT(coarse.in, 1);
    EXPECT_LT(fine.numeric, 0.2 * coarse.numeric);  // first order: a tenth
    EXPECT_LT(coarse.numeric, 0.1 * coarse.in);
  }
}

TEST(Convergence, with_play_is_of_first_order) {
  auto run = [](double h, std::vector<double>& out) {
    Rig rig(with_play(knee(), 1.4), 0.02, h);
    const int every = static_cast<int>(std::lround(0.002 / h));
    for (int i = 0; i < 500 * every; ++i) {
      rig.step(0.2 * std::sin(2 * M_PI * 2 * rig.time()), 0.3);
      if (i % every == every - 1) out.push_back(rig.q);
    }
  };
  std::vector<double> exact;
  run(1.5625e-6, exact);
  auto error = [&](double h) {
    std::vector<double> got;
    run(h, got);
    double sum = 0;
    for (std::size_t i = 0; i < got.size(); ++i) sum += (got[i] - exact[i]) * (got[i] - exact[i]);
    return std::sqrt(sum / static_cast<double>(got.size()));
  };
  expect_first_order(error, 0.0005, 0.5 * kDegree);
}

}  // namespace
}  // namespace gradus::test

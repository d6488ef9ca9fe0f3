/// Motion without contacts against closed forms and against an independent integration with Lagrange multipliers.
#include "wheels/verification.h"
#include "fixture.h"

namespace gradus::wheels {
namespace {

WheelsParameters torque_robot(double offset, double damping) {
  WheelsParameters p = open_parameters(1);
  p.tyres = Tyres::rolling;
  p.impact = ImpactMode::rolling;
  RobotParameters& r = p.robots[0];
  r.centre_offset = offset;
  r.wheel_damping = damping;
  r.drive.input = DriveInput::torque;
  return p;
}

TEST(PlanarWheelsSmooth, ReducedModelEqualsLagrangeMultipliersOverFourSeconds) {
  for (const double offset : {0.012, -0.009}) {
    const WheelsParameters p = torque_robot(offset, 2e-5);
    World w(p);
    set_robot(w.state, 0, {0.1, -0.2}, 0.3);
    const MultiplierModel reference(p.robots[0]);
    MultiplierModel::State s{};
    s[0] = 0.1 + offset * std::cos(0.3), s[1] = -0.2 + offset * std::sin(0.3), s[2] = 0.3;
    const double frame = 0.01, h = 5e-5;
    double worst = 0, worst_wheel = 0, turns = 0, last = 0.3;
    for (int k = 0; k < 400; ++k) {
      const double t = k * frame, right = 4e-3 * std::sin(3.1 * t) + 1e-3, left = 4e-3 * std::cos(2.3 * t) - 5e-4;
      w.commands[0] = {right, left};
      w.step(frame);
      for (int i = 0; i < 200; ++i) s = reference.step(s, right, left, h);
      const auto b = w.robot(0);
      if (b[kTheta] - last > M_PI) turns -= 2 * M_PI;
      if (b[kTheta] - last < -M_PI) turns += 2 * M_PI;
      last = b[kTheta];
      const double x_c = b[kX] + offset * std::cos(b[kTheta]), y_c = b[kY] + offset * std::sin(b[kTheta]);
      worst = std::max({worst, std::fabs(x_c - s[0]), std::fabs(y_c - s[1]), std::fabs(b[kTheta] + turns - s[2])});
      worst_wheel = std::max({worst_wheel, std::fabs(b[kWheelRight] - s[3]), std::fabs(b[kWheelLeft] - s[4])});
    }
    EXPECT_LT(worst, 1e-9) << "offset " << offset;
    EXPECT_LT(worst_wheel, 1e-8);
    EXPECT_GT(std::fabs(s[2]), 3.0) << "the run must turn, or the offset terms are not tested";
  }
}

TEST(PlanarWheelsSmooth, EnergyOfAFreelySpinningRobotDriftsLessThan1e12In20Seconds) {
  World w(torque_robot(0.012, 0));
  set_robot(w.state, 0, {0, 0}, 0);
  w.robot(0)[kV] = 0.5, w.robot(0)[kW] = 25;
  const double before = w.energy(0);
  w.run(20, 0.016);
  EXPECT_NEAR(w.energy(0) / before, 1, 1e-12);
  EXPECT_GT(w.robot(0)[kV], 0.9) << "mass ahead of the axle turns spin into forward speed";
}

TEST(PlanarWheelsSmooth, WorkOfTorquesAndDampingEqualsTheChangeOfEnergy) {
  World w(torque_robot(0.012, 5e-4));
  set_robot(w.state, 0, {0, 0}, 0);
  w.robot(0)[kV] = 0.4, w.robot(0)[kW] = 3;
  const RobotParameters& p = w.model.par.robots[0];
  const double before = w.energy(0), h = 5e-4;
  auto loss = [&] {
    const double r = (w.robot(0)[kV] + p.half_axle * w.robot(0)[kW]) / p.wheel_radius;
    const double l = (w.robot(0)[kV] - p.half_axle * w.robot(0)[kW]) / p.wheel_radius;
    return p.wheel_damping * (r * r + l * l);
  };
  double work = 0;
  for (int k = 0; k < 1000; ++k) {
    w.commands[0] = {6e-3 * std::sin(0.01 * k), 5e-3 * std::cos(0.013 * k)};
    const double right = w.robot(0)[kWheelRight], left = w.robot(0)[kWheelLeft], l0 = loss();
    w.step(h);
    const double l1 = loss();
    w.step(h);
    work += w.commands[0].right * (w.robot(0)[kWheelRight] - right) +
            w.commands[0].left * (w.robot(0)[kWheelLeft] - left) - 2 * h / 6 * (l0 + 4 * l1 + loss());
  }
  EXPECT_NEAR(w.energy(0) - before, work, 1e-10);
  EXPECT_GT(std::fabs(work), 1e-3);
}

TEST(PlanarWheelsSmooth, SidewaysSpeedDiesByFrictionOverTheRightWay) {
  WheelsParameters p = open_parameters(1);
  p.robots[0].drive.input = DriveInput::torque;
  World w(p);
  set_robot(w.state, 0, {0, 0}, 0);
  w.robot(0)[kU] = 0.79;
  w.run(0.2, 0.016);
  EXPECT_NEAR(w.robot(0)[kY], 0.79 * 0.79 / (2 * 0.7 * 9.81), 1e-9);
  EXPECT_EQ(w.robot(0)[kU], 0);
}

TEST(PlanarWheelsSmooth, SlidingFrictionlesslyConservesEnergyAndMomentumWithOffsetMass) {
  WheelsParameters p = open_parameters(1);
  glide(p);
  p.robots[0].centre_offset = 0.012;
  p.robots[0].wheel_inertia = 0;  // without spinning wheels it is a free rigid body
  World w(p);
  set_robot(w.state, 0, {0, 0}, 0.4);
  w.robot(0)[kV] = 0.8, w.robot(0)[kU] = 0.5, w.robot(0)[kW] = 12;
  auto momentum = [&] {  // of the mass centre, and about it
    const auto b = w.robot(0);
    const RobotModel& r = w.model.robots[0];
    const Vec2 v = rotation(b[kTheta]) * Vec2{b[kV], b[kU] + r.mass_offset / r.mass * b[kW]};
    return r.mass * v;
  };
  const double before = w.energy(0);
  const Vec2 p0 = momentum();
  w.run(3, 0.016);
  // Series terms below 1e-13 m in 16 ms leave up to 6e-12 m/s of velocity a piece.
  EXPECT_NEAR(w.energy(0) / before, 1, 1e-11);
  EXPECT_NEAR(momentum().x, p0.x, 1e-11);
  EXPECT_NEAR(momentum().y, p0.y, 1e-11);
}

TEST(PlanarWheelsSmooth, TyresHoldUntilTheNeededForceExceedsStaticFriction) {
  WheelsParameters p = open_parameters(1);
  p.robots[0].drive.input = DriveInput::torque;
  p.robots[0].wheel_damping = 0;
  const double v = 1.5, limit = 0.8 * 9.81 / v;  // |v w| ≤ μ_s g
  for (const double factor : {0.999, 1.001}) {
    World w(p);
    set_robot(w.state, 0, {0, 0}, 0);
    w.robot(0)[kV] = v, w.robot(0)[kW] = factor * limit;
    w.run(0.05, 0.005);
    EXPECT_EQ(w.robot(0)[kU] != 0, factor > 1);
    EXPECT_LE(w.robot(0)[kU], 0) << "in a left turn it slides to the right";
  }
}

TEST(PlanarWheelsSmooth, DriveFollowsTheClosedFormThroughItsTorqueLimit) {
  WheelsParameters p = open_parameters(1);
  World w(p);
  set_robot(w.state, 0, {0, 0}, 0);
  w.drive(0, 30);
  w.run(0.4, 0.016);
  const RobotParameters& r = p.robots[0];
  const double mv = w.model.robots[0].mass_v, rr = r.wheel_radius * r.wheel_radius, kp = r.drive.speed_gain;
  const double d = 2 * r.wheel_damping / rr / mv, f = 2 * r.drive.limit_drive / r.wheel_radius / mv;
  const double vs = (30 - r.drive.limit_drive / kp) * r.wheel_radius, t1 = -std::log1p(-vs * d / f) / d;
  const double x1 = f / d * t1 - f / d * (1 - std::exp(-d * t1)) / d;
  const double k = 2 * (kp + r.wheel_damping) / rr / mv, vi = 2 * kp * 30 / r.wheel_radius / mv / k, dt = 0.4 - t1;
  EXPECT_NEAR(w.robot(0)[kV], vi + (vs - vi) * std::exp(-k * dt), 1e-11);
  EXPECT_NEAR(w.robot(0)[kX], x1 + vi * dt + (vs - vi) * (1 - std::exp(-k * dt)) / k, 1e-11);
}

TEST(PlanarWheelsSmooth, VoltageMotorApproachesItsNoLoadSpeedExponentially) {
  WheelsParameters p = open_parameters(1);
  Drive& drive = p.robots[0].drive;
  drive.input = DriveInput::voltage, drive.torque_per_volt = 0.004, drive.back_emf = 4e-4, drive.limit_drive = 1;
  drive.limit_brake = 1;
  World w(p);
  set_robot(w.state, 0, {0, 0}, 0);
  w.commands[0] = {-6, 6};
  w.run(0.3, 0.01);
  const RobotParameters& r = p.robots[0];
  const double mu = drive.back_emf + r.wheel_damping;
  const double T = w.model.robots[0].inertia_w * r.wheel_radius * r.wheel_radius / (2 * mu * r.half_axle * r.half_axle);
  const double w_inf = -0.004 * 6 / mu * r.wheel_radius / r.half_axle;
  EXPECT_NEAR(w.robot(0)[kW], w_inf * (1 - std::exp(-0.3 / T)), 1e-10);
  EXPECT_NEAR(w.robot(0)[kV], 0, 1e-14);
}

TEST(PlanarWheelsSmooth, DifferentLimitsForDrivingAndBrakingGiveTheMeasuredAccelerationsOfFirasim) {
  WheelsParameters p = league_parameters(League::five_a_side, Preset::firasim);
  p.field = open_field();
  p.robots.resize(1);
  World w(p);
  set_robot(w.state, 0, {0, 0}, 0);
  w.drive(0, 40);
  w.run(0.2, 0.02);
  EXPECT_NEAR(w.robot(0)[kV], 1.257 * 0.2, 1e-9);
  w.robot(0)[kV] = 0.8;
  w.drive(0, -40);
  w.run(0.05, 0.01);
  EXPECT_NEAR(w.robot(0)[kV], 0.8 - 6.7 * 0.05, 1e-9);
  w.run(0.12, 0.01);  // through zero: braking ends at t₀ = v/6.7, then it drives backwards
  const double t0 = (0.8 - 6.7 * 0.05) / 6.7;
  EXPECT_NEAR(w.robot(0)[kV], -1.257 * (0.12 - t0), 1e-8);
}

TEST(PlanarWheelsSmooth, BallSlidesThenRollsAtFiveSeventhsThenStops) {
  WheelsParameters p = open_parameters(0);
  World w(p);
  set_ball(w.model, w.state, {0, 0}, {0.9 * 0.6, 0.9 * 0.8}, false);
  const double mu = 0.3 * 9.81, k = p.ball.rolling_damping, q = p.ball.rolling_resistance * 9.81 / k;
  const double ts = 2 * 0.9 / (7 * mu), xs = 0.9 * ts - 0.5 * mu * ts * ts, v1 = 5.0 / 7 * 0.9;
  w.run(1, 0.016);
  const double t = w.time - ts, e = std::exp(-k * t);
  EXPECT_NEAR(std::hypot(w.ball()[kBallVx], w.ball()[kBallVy]), (v1 + q) * e - q, 1e-13);
  EXPECT_NEAR(w.ball()[kX], 0.6 * (xs + (v1 + q) * (1 - e) / k - q * t), 1e-13);
  EXPECT_NEAR(w.ball()[kY], 0.8 * (xs + (v1 + q) * (1 - e) / k - q * t), 1e-13);
  EXPECT_EQ(w.ball()[kBallRollX], w.ball()[kBallVx]);
  w.run(20, 0.016);
  EXPECT_EQ(w.ball()[kBallVx], 0);
  EXPECT_EQ(w.ball()[kBallVy], 0);
}

TEST(PlanarWheelsSmooth, ResultDoesNotDependOnHowTheTimeIsCut) {
  for (const double frame : {0.001, 0.005, 0.05}) {
    WheelsParameters p = open_parameters(1);
    p.robots[0].centre_offset = 0.01;
    World w(p), one(p);
    for (World* x : {&w, &one}) {
      set_robot(x->state, 0, {0, 0}, 0);
      x->robot(0)[kV] = 0.9, x->robot(0)[kW] = 12;
      x->commands[0] = {40, 10};
    }
    w.run(0.4, frame);
    one.run(0.4, 0.016);
    EXPECT_NEAR(w.robot(0)[kX], one.robot(0)[kX], 1e-9) << frame;
    EXPECT_NEAR(w.robot(0)[kY], one.robot(0)[kY], 1e-9) << frame;
    EXPECT_NEAR(w.robot(0)[kTheta], one.robot(0)[kTheta], 1e-9) << frame;
  }
}

}  // namespace
}  // namespace gradus::wheels

/// Located hits against closed forms: when they happen, what they conserve, what they may not do.
#include "base/rng.h"
#include "fixture.h"

namespace gradus::wheels {
namespace {

TEST(PlanarWheelsImpact, BallHitsTheWallAtTheAnalyticTime) {
  WheelsParameters p = five_parameters(0);
  glide(p), no_friction(p);
  for (const double frame : {0.005, 0.016, 0.001}) {
    World w(p);
    set_ball(w.model, w.state, {0.1, 0.3}, {0.31, 1.7});
    const double te = (0.9 - p.ball.radius - 0.3) / 1.7;
    while (w.time < te) w.step(frame);
    const double y = 0.9 - p.ball.radius - 0.7 * 1.7 * (w.time - te);
    EXPECT_NEAR(w.ball()[kY], y, 2e-9) << "1e-9 s at (1.7 + 1.19) m/s";
    EXPECT_NEAR(w.ball()[kBallVy], -0.7 * 1.7, 1e-11);
    EXPECT_NEAR(w.ball()[kBallVx], 0.31, 1e-12);
    EXPECT_EQ(w.report.impacts, 1);
  }
}

TEST(PlanarWheelsImpact, WallFrictionTurnsTheBall) {
  WheelsParameters p = five_parameters(0);
  glide(p);
  p.surfaces.ball_wall = {0.5, 0.2};
  World slides(p), sticks(p);
  set_ball(slides.model, slides.state, {0, 0.85}, {1.5, 1.0}, false);
  slides.run(0.05, 0.01);
  const double lost = 0.2 * 1.5 * 1.0;  // μ (1 + e) v_n
  EXPECT_NEAR(slides.ball()[kBallVx], 1.5 - lost, 1e-9);
  EXPECT_NEAR(slides.ball()[kBallVy], -0.5, 1e-9);
  // The wall is at +y: the ball's far side is dragged back, so it spins the way it would roll along the wall: towards
  // −z seen from above is clockwise if it moved the other way; spin = r ω_z, surface speed at the wall V_x − spin =
  // slip left.
  EXPECT_NEAR(slides.ball()[kBallSpin], lost / 0.4, 1e-9);
  set_ball(sticks.model, sticks.state, {0, 0.85}, {0.3, 1.0}, false);
  sticks.run(0.05, 0.01);
  EXPECT_NEAR(sticks.ball()[kBallVx], 0.3 * 5 / 7, 1e-9);
  EXPECT_NEAR(sticks.ball()[kBallSpin], sticks.ball()[kBallVx], 1e-9) << "no slip left at the wall";
}

TEST(PlanarWheelsImpact, WallFrictionTakesRollingSpinUpToItsLimit) {
  WheelsParameters p = five_parameters(0);
  glide(p);
  for (const double mu : {0.05, 1.0}) {
    p.surfaces.ball_wall = {0.5, mu};
    World w(p);
    set_ball(w.model, w.state, {0, 0.85}, {0, 0.67});
    w.run(0.06, 0.01);
    EXPECT_NEAR(w.ball()[kBallVy], -0.335, 1e-10);
    EXPECT_NEAR(w.ball()[kBallRollY], std::max(0.0, 0.67 - mu * 1.5 * 0.67 / 0.4), 1e-9);
  }
}

/// Single contact of robot A's front face (moving along x) with a corner of robot B: P = −(1+e) c / (n W n).
struct CornerHit {
  WheelsParameters p = open_parameters(2);
  Vec2 corner;  // of B relative to its centre: the leftmost one
  double angle = 0.5;
  CornerHit() {
    glide(p), no_friction(p);
    corner = rotation(angle) * Vec2{-0.0375, 0.0375};
  }
  World run(double y) const {
    World w(p);
    set_robot(w.state, 0, {-0.3, 0}, 0);
    w.robot(0)[kV] = 1;
    set_robot(w.state, 1, {0, y}, angle);
    w.ball()[kX] = 50;
    while (w.report.impacts == 0) w.step(0.002);
    return w;
  }
};

TEST(PlanarWheelsImpact, CornerHitFollowsTheImpulseFormulaInEveryMode) {
  for (const ImpactMode mode : {ImpactMode::slip, ImpactMode::rolling, ImpactMode::paper})
    for (const double e : {1.0, 0.3}) {
      CornerHit hit;
      hit.p.impact = mode;
      hit.p.tyres = mode == ImpactMode::slip ? Tyres::slip : Tyres::rolling;
      hit.p.surfaces.robot_robot.restitution = e;
      const double y = 0.01 - hit.corner.y;  // the corner meets A's face 1 cm left of its middle
      const World w = hit.run(y);
      const RobotModel& m = w.model.robots[0];
      const bool paper = mode == ImpactMode::paper, rolls = mode == ImpactMode::rolling;
      const double mass_v = paper ? m.mass : m.mass_v;
      const double inertia =
          paper ? m.inertia_w - 2 * m.par.wheel_inertia * 0.0335 * 0.0335 / (0.0225 * 0.0225) : m.inertia_w;
      // n from B to A is −x. Lever arms about the axle mid-points: A (0.0375, 0.01), B the corner.
      const double la = 0.01, lb = hit.corner.y;  // ρ × n = ρ_y for n = −x
      const double jv = -std::cos(hit.angle), ju = rolls ? 0 : std::sin(hit.angle);
      const double mobility = 1 / mass_v + la * la / inertia + jv * jv / mass_v + ju * ju / m.mass + lb * lb / inertia;
      const double P = (1 + e) / mobility;
      const auto a = body_of(std::span<const double>(w.state), 0), b = body_of(std::span<const double>(w.state), 1);
      const double tolerance = 2e-7;  // read up to 2 ms after the hit, with the robots already turning
      EXPECT_NEAR(a[kW], la * P / inertia, 1e-7) << static_cast<int>(mode);
      EXPECT_NEAR(b[kW], -lb * P / inertia, 1e-7) << static_cast<int>(mode);
      if (mode != ImpactMode::slip) {  // there u stays 0 and v is not mixed by turning
        EXPECT_NEAR(a[kV], 1 - P / mass_v, tolerance);
        EXPECT_NEAR(b[kV], -jv * P / mass_v, tolerance);
        EXPECT_EQ(b[kU], 0);
      } else {
        EXPECT_LT(b[kU], -0.01) << "pushed to its right";
      }
    }
}

/// Two robots thrown at each other: total energy, momentum and angular momentum before and after.
struct Throw {
  double energy_before, energy_after;
  Vec2 momentum_before, momentum_after;
  double spin_before, spin_after;
  bool hit;  // exactly one, at a speed that bounces
};
Throw throw_robots(World& w, std::uint64_t number) {
  const RandomKey key{number, 0, 5};
  auto draw = [&](std::uint32_t k, double lo, double hi) { return random_in(key, 0, k, lo, hi); };
  const double away = draw(0, -M_PI, M_PI), dist = 0.112;
  w.report = {};
  std::fill(w.state.begin(), w.state.end(), 0.0);
  set_robot(w.state, 0, {0, 0}, draw(1, -3, 3));
  set_robot(w.state, 1, {dist * std::cos(away), dist * std::sin(away)}, draw(2, -3, 3));
  set_ball(w.model, w.state, {50, 0}, {0, 0});
  const bool rolls = w.model.par.impact == ImpactMode::rolling;
  for (int i = 0; i < 2; ++i) {
    const double toward = (i == 0 ? 1 : -1) * draw(3 + i, 0.2, 1.5);
    const Vec2 v = inverse_times(rotation(w.robot(i)[kTheta]), Vec2{toward * std::cos(away), toward * std::sin(away)});
    w.robot(i)[kV] = v.x, w.robot(i)[kU] = rolls ? 0 : v.y, w.robot(i)[kW] = draw(5 + i, -10, 10);
  }
  auto measure = [&](double& energy, Vec2& momentum, double& spin) {
    energy = spin = 0, momentum = {};
    for (int i = 0; i < 2; ++i) {
      const auto b = w.robot(i);
      const RobotModel& r = w.model.robots[i];
      const Rot2 R = rotation(b[kTheta]);
      const double d = r.mass_offset / r.mass;
      const Vec2 c = Vec2{b[kX], b[kY]} + R * Vec2{d, 0}, v = R * Vec2{b[kV], b[kU] + d * b[kW]};
      energy += w.energy(i);
      momentum = momentum + r.mass * v;
      spin += r.mass * cross(c, v) + (r.inertia_w - r.mass * d * d) * b[kW];
    }
  };
  Throw t;
  measure(t.energy_before, t.momentum_before, t.spin_before);
  for (int k = 0; k < 20 && w.report.impacts == 0; ++k) w.step(0.004);
  measure(t.energy_after, t.momentum_after, t.spin_after);
  t.hit = w.report.impacts == 1 && w.report.slices == 0;
  return t;
}

TEST(PlanarWheelsImpact, TenThousandElasticHitsConserveEnergyAndMomentum) {
  WheelsParameters p = open_parameters(2);
  glide(p), no_friction(p);
  p.surfaces.robot_robot.restitution = 1;
  p.numerics.rest_speed = 0;  // a second, slow point of the same hit would not bounce and so lose a little
  for (RobotParameters& r : p.robots) r.wheel_inertia = 0, r.centre_offset = 0.008;  // free rigid bodies
  World w(p);
  int hits = 0;
  double energy = 0, momentum = 0, spin = 0;
  for (std::uint64_t n = 0; n < 10000; ++n) {
    const Throw t = throw_robots(w, n);
    if (!t.hit) continue;
    ++hits;
    energy = std::max(energy, std::fabs(t.energy_after / t.energy_before - 1));
    momentum = std::max(momentum, norm(t.momentum_after - t.momentum_before));
    spin = std::max(spin, std::fabs(t.spin_after - t.spin_before));
  }
  EXPECT_GT(hits, 9000);
  EXPECT_LT(energy, 1e-9);
  EXPECT_LT(momentum, 1e-11);
  EXPECT_LT(spin, 1e-12);
}

TEST(PlanarWheelsImpact, RollingModeConservesEnergyAndKeepsTheTyresWhereTheyAre) {
  WheelsParameters p = open_parameters(2);
  glide(p), no_friction(p);
  p.tyres = Tyres::rolling, p.impact = ImpactMode::rolling;
  p.surfaces.robot_robot.restitution = 1;
  p.numerics.rest_speed = 0;  // a second, slow point of the same hit would not bounce and so lose a little
  for (RobotParameters& r : p.robots) r.centre_offset = 0.008;
  World w(p);
  int hits = 0;
  double energy = 0;
  for (std::uint64_t n = 0; n < 3000; ++n) {
    const Throw t = throw_robots(w, n);
    if (!t.hit) continue;
    ++hits;
    energy = std::max(energy, std::fabs(t.energy_after / t.energy_before - 1));
    EXPECT_EQ(w.robot(0)[kU], 0);
    EXPECT_EQ(w.robot(1)[kU], 0);
  }
  EXPECT_GT(hits, 1000);
  EXPECT_LT(energy, 1e-9);
}

TEST(PlanarWheelsImpact, FrictionAndRestitutionNeverGainEnergy) {
  for (const double mu : {0.1, 0.3, 0.8})
    for (const double e : {0.0, 0.5, 1.0}) {
      WheelsParameters p = open_parameters(2);
      glide(p);
      for (RobotParameters& r : p.robots) r.centre_offset = 0.01;
      p.surfaces.robot_robot = {e, mu};
      World w(p);
      double worst = -1, momentum = 0;
      for (std::uint64_t n = 0; n < 1000; ++n) {
        const Throw t = throw_robots(w, n);
        worst = std::max(worst, t.energy_after / t.energy_before - 1);
        momentum = std::max(momentum, std::fabs(t.energy_before));
      }
      EXPECT_LT(worst, 1e-9) << "mu " << mu << " e " << e;
    }
}

TEST(PlanarWheelsImpact, FaceToFaceTwoPointsActLikeOneMidway) {
  for (const double e : {1.0, 0.3}) {
    WheelsParameters p = open_parameters(2);
    glide(p), no_friction(p);
    p.surfaces.robot_robot.restitution = e;
    World w(p);
    set_robot(w.state, 0, {-0.2, 0}, 0);
    set_robot(w.state, 1, {0.2, 0.01}, M_PI);
    w.robot(0)[kV] = 0.8, w.robot(1)[kV] = 0.2;
    while (w.report.impacts == 0) w.step(0.0005);
    const RobotModel& m = w.model.robots[0];
    const double A = 2 / m.mass_v + 2 * 0.005 * 0.005 / m.inertia_w, P = (1 + e) / A;
    EXPECT_NEAR(w.robot(0)[kW], 0.005 * P / m.inertia_w, 1e-8);
    EXPECT_NEAR(w.robot(1)[kW], 0.005 * P / m.inertia_w, 1e-8);
    EXPECT_NEAR(w.report.impact_loss, 0.5 * (1 - e * e) / A, 1e-9);
  }
}

TEST(PlanarWheelsImpact, RobotKicksTheBallWithFiniteMassAndInPaperModeLikeARock) {
  WheelsParameters p = open_parameters(1);
  glide(p);
  World w(p);
  set_robot(w.state, 0, {-0.3, 0}, 0);
  w.robot(0)[kV] = 0.8;
  set_ball(w.model, w.state, {0, 0}, {-0.2, 0}, false);
  w.run(0.4, 0.016);
  const double mv = w.model.robots[0].mass_v, P = 1.5 * 1.0 / (1 / mv + 1 / p.ball.mass);
  EXPECT_NEAR(w.ball()[kBallVx], -0.2 + P / p.ball.mass, 1e-10);
  EXPECT_NEAR(w.robot(0)[kV], 0.8 - P / mv, 1e-10);
  p.impact = ImpactMode::paper;
  World q(p);
  q.state = w.state;
  set_robot(q.state, 0, {-0.3, 0}, 0);
  q.robot(0)[kV] = 0.8;
  set_ball(q.model, q.state, {0, 0}, {-0.2, 0}, false);
  q.run(0.4, 0.016);
  EXPECT_NEAR(q.ball()[kBallVx], 0.8 + 0.5 * 1.0, 1e-10);
  EXPECT_NEAR(q.robot(0)[kV], 0.8, 1e-14);
}

TEST(PlanarWheelsImpact, SpinningRobotThroughSeveralHitsDoesNotDependOnTheFrameLength) {
  WheelsParameters p = five_parameters(2);
  auto play = [&](double frame) {
    World w(p);
    set_ball(w.model, w.state, {-0.9, -0.5}, {0, 0});
    set_robot(w.state, 0, {-0.3, 0.02}, 0);
    w.robot(0)[kV] = 0.9, w.robot(0)[kW] = 12;
    w.commands[0] = {40, 10};
    set_robot(w.state, 1, {-0.17, 0.06}, 0.7);
    w.run(0.12, frame);
    return w;
  };
  World a = play(0.012), b = play(0.004);
  EXPECT_GE(a.report.impacts, 1);
  EXPECT_EQ(a.report.impacts, b.report.impacts);
  if (a.report.slices == 0 && b.report.slices == 0) {
    EXPECT_NEAR(a.robot(0)[kX], b.robot(0)[kX], 1e-8);
    EXPECT_NEAR(a.robot(1)[kTheta], b.robot(1)[kTheta], 1e-7);
  }
}

}  // namespace
}  // namespace gradus::wheels

/// Resting, pushing and squeezed contacts: nothing chatters, nothing sinks in, friction holds what it should.
#include "wheels/paper_wall.h"
#include "fixture.h"

namespace gradus::wheels {
namespace {

constexpr double kSide = 0.0375;

TEST(PlanarWheelsContact, PushingAnotherRobotSharesTheForce) {
  WheelsParameters p = open_parameters(2);
  for (RobotParameters& r : p.robots) r.wheel_damping = 0, r.drive.input = DriveInput::torque;
  World w(p);
  set_robot(w.state, 0, {-0.9, 0}, 0);
  set_robot(w.state, 1, {-0.9 + 2 * kSide + 1e-5, 0}, 0);
  w.commands[0] = {0.02, 0.02};
  w.run(0.2, 0.001);
  const double speed = 0.2 * 2 * 0.02 / p.robots[0].wheel_radius / (2 * w.model.robots[0].mass_v);
  EXPECT_NEAR(w.robot(1)[kV], speed, 1e-3 * speed);
  EXPECT_NEAR(w.robot(0)[kV], w.robot(1)[kV], 1e-4);
  EXPECT_NEAR(w.gap(), p.numerics.standoff, 5e-6);
  EXPECT_EQ(w.report.impacts, 0);
}

TEST(PlanarWheelsContact, AHarderPushSlidesARobotSidewaysAgainstItsTyres) {
  WheelsParameters p = open_parameters(2);
  for (RobotParameters& r : p.robots) r.wheel_damping = 0, r.drive.input = DriveInput::torque, r.drive.limit_drive = 1;
  const double grip = 0.8 * 9.81 * (p.robots[0].body_mass + 2 * p.robots[0].wheel_mass);
  for (const double factor : {0.95, 1.1}) {
    World w(p);
    set_robot(w.state, 0, {0, 0}, 0);
    set_robot(w.state, 1, {2 * kSide + 1e-5, 0}, M_PI / 2);  // broadside: only its tyres resist
    const double torque = factor * grip * p.robots[0].wheel_radius / 2;
    w.commands[0] = {torque, torque};
    w.run(0.1, 0.004);
    if (factor < 1)
      EXPECT_LT(std::fabs(w.robot(1)[kX] - 2 * kSide), 1e-4) << "held by the tyres";
    else
      EXPECT_GT(w.robot(1)[kX] - 2 * kSide, 1e-3);
  }
}

TEST(PlanarWheelsContact, FrictionHoldsACornerAtTheWallExactlyInsideItsCone) {
  WheelsParameters p = five_parameters(1);
  RobotParameters& robot = p.robots[0];
  robot.wheel_damping = 0, robot.drive.input = DriveInput::torque;
  robot.tyre_static = robot.tyre_sliding = 0;  // only the wall
  // Heading 45°, front left corner on the wall above the centre, drive force F along the heading. Held corner:
  // J a = 0 with M a = F + Jᵀ λ gives λ = −(J M⁻¹ Jᵀ)⁻¹ J M⁻¹ F; |λ_t / λ_n| is the friction that is needed.
  const double c = std::sqrt(0.5);
  p.surfaces.robot_wall = {0, 1};
  const RobotModel m = World(p).model.robots[0];
  const double lever = kSide * std::sqrt(2.0), W[3] = {1 / m.mass_v, 1 / m.mass, 1 / m.inertia_w};
  const double Jn[3] = {-c, -c, 0}, Jt[3] = {c, -c, -lever};  // n = −y, t = perp(n) = +x, in body axes
  double nn = 0, nt = 0, tt = 0;
  for (int k = 0; k < 3; ++k) nn += Jn[k] * W[k] * Jn[k], nt += Jn[k] * W[k] * Jt[k], tt += Jt[k] * W[k] * Jt[k];
  const double bn = -Jn[0] * W[0], bt = -Jt[0] * W[0], det = nn * tt - nt * nt;
  const double needed = std::fabs((nn * bt - nt * bn) / (tt * bn - nt * bt));
  ASSERT_GT(needed, 0.05) << det;
  for (const double factor : {0.9, 1.1}) {
    p.surfaces.robot_wall.friction = factor * needed;
    World w(p);
    set_ball(w.model, w.state, {-0.8, -0.5}, {0, 0});
    set_robot(w.state, 0, {0, 0.9 - lever - 1e-5}, M_PI / 4);
    w.commands[0] = {0.02, 0.02};
    w.run(0.02, 0.004);
    const Vec2 corner = Vec2{w.robot(0)[kX], w.robot(0)[kY]} + rotation(w.robot(0)[kTheta]) * Vec2{kSide, kSide};
    if (factor > 1)
      EXPECT_LT(std::fabs(corner.x), 2e-6);
    else
      EXPECT_GT(std::fabs(corner.x), 1e-5);
  }
}

TEST(PlanarWheelsContact, BallInAWedgeIsHeldByFrictionAndSqueezedOutWithout) {
  // Two robots close on the ball like a mouth of half angle 10°: it stays for μ > tan 10° = 0.18. (Not for ever: the
  // friction turns the robots against their motors, about 1 rad/s, which opens the mouth.)
  for (const double mu : {0.0, 0.5}) {
    WheelsParameters p = open_parameters(2);
    p.surfaces.ball_robot = {0, mu};
    p.surfaces.robot_robot = {0, 0};
    World w(p);
    const double half = 10 * M_PI / 180, r = p.ball.radius, away = r + kSide + 1e-4;
    set_ball(w.model, w.state, {0, 0}, {0, 0});
    // Faces touch the ball at ±(90° − 10°): normals tilt towards +x, so the squeeze drives the ball to +x.
    for (const int s : {1, -1}) {
      const double face = s * (M_PI / 2 + half);  // direction from the ball to the robot
      set_robot(w.state, s > 0 ? 0 : 1, {away * std::cos(face), away * std::sin(face)}, face + M_PI);
      w.drive(s > 0 ? 0 : 1, 8);
    }
    w.run(0.12, 0.008);
    const auto r0 = w.robot(0);
    const Vec2 seen = inverse_times(rotation(r0[kTheta]), Vec2{w.ball()[kX] - r0[kX], w.ball()[kY] - r0[kY]});
    if (mu == 0)
      EXPECT_GT(std::fabs(seen.y), 0.03) << "slips out";
    else
      EXPECT_LT(std::fabs(seen.y), 0.01) << "held";
    EXPECT_GT(w.gap(), -1e-5);
  }
}

TEST(PlanarWheelsContact, BallPushedForwardRollsAndStaysAtTheFace) {
  WheelsParameters p = open_parameters(1);
  World w(p);
  set_robot(w.state, 0, {0, 0}, 0);
  set_ball(w.model, w.state, {kSide + p.ball.radius + 1e-5, 0}, {0, 0});
  w.drive(0, 30);
  w.run(0.3, 0.016);
  EXPECT_NEAR(w.ball()[kX] - w.robot(0)[kX], kSide + p.ball.radius, 1e-4);
  EXPECT_NEAR(w.ball()[kBallRollX], w.ball()[kBallVx], 0.05 * w.ball()[kBallVx]);
}

/// Ten seconds of a nasty case: overlap, hits in the worst second, hits in the last second.
struct Nasty {
  double least_gap = 1;
  std::int64_t most = 0, last = 0;
  bool finite = true;
};
Nasty suffer(World& w) {
  Nasty n;
  for (int s = 0; s < 10; ++s) {
    const std::int64_t before = w.report.impacts;
    for (int i = 0; i < 62; ++i) w.step(0.016), n.least_gap = std::min(n.least_gap, w.gap());
    n.last = w.report.impacts - before;
    n.most = std::max(n.most, n.last);
  }
  n.least_gap = std::min(n.least_gap, w.report.least_gap);
  n.finite = w.report.not_finite == 0 && w.report.stalled == 0;
  return n;
}

struct Place {
  double x, y, theta, command;
};
void expect_calm(const char* name, const std::vector<Place>& robots, Vec2 ball, Vec2 velocity = {}) {
  for (const double mu : {0.0, 0.3}) {
    WheelsParameters p = five_parameters(static_cast<int>(robots.size()));
    for (Surface* s : {&p.surfaces.ball_robot, &p.surfaces.ball_wall, &p.surfaces.robot_robot, &p.surfaces.robot_wall})
      s->friction = mu;
    World w(p);
    for (std::size_t i = 0; i < robots.size(); ++i) {
      set_robot(w.state, static_cast<int>(i), {robots[i].x, robots[i].y}, robots[i].theta);
      w.drive(static_cast<int>(i), robots[i].command);
    }
    set_ball(w.model, w.state, ball, velocity);
    ASSERT_GT(w.gap(), 0) << name;
    const Nasty n = suffer(w);
    EXPECT_GT(n.least_gap, -1e-4) << name << " mu " << mu;
    EXPECT_LE(n.most, 60) << name << " mu " << mu;
    EXPECT_TRUE(n.finite) << name;
    EXPECT_LE(w.report.forced, 1) << name << " mu " << mu;
  }
}

TEST(PlanarWheelsContact, NastyCasesComeToRestWithoutChatterOrOverlap) {
  const double y = 0.9 - kSide - 1e-3, b = 0.02135;
  expect_calm("ball between two robots and the wall", {{-.12, y, 0, 40}, {.12, y, M_PI, 40}}, {0, 0.9 - b - 1e-4});
  expect_calm("ball pressed obliquely to the wall", {{-.15, .75, .6, 40}, {.15, .75, M_PI - .6, 40}}, {0, .85});
  expect_calm("robot square into the corner block", {{.8, .6, M_PI / 4, 40}}, {-.5, 0});
  expect_calm("robot pushed into the corner by another", {{.9, .7, .5, 40}, {.75, .6, .7, 40}}, {-.5, 0});
  expect_calm("three robots in a row", {{-.3, 0, 0, 40}, {-.1, .01, 0, 40}, {.1, .02, M_PI, 40}}, {0, .5});
  expect_calm("ball shot into the goal, robot behind it", {{.8, .05, .3, 30}}, {1.0, .1}, {2, 1.3});
  expect_calm("ball pushed into the goal corner", {{1.12, .07, .75, 40}}, {1.2, .15});
  expect_calm("the same with a second robot pushing", {{1.12, .07, .75, 40}, {1.0, -.03, .7, 40}}, {1.2, .15});
  expect_calm("robot against the goal post", {{1.0, .19, .1, 40}}, {-.5, 0});
  expect_calm("ball pinched at the post by two", {{.95, .15, .2, 40}, {.95, .28, -.6, 40}}, {1.05, .17});
}

TEST(PlanarWheelsContact, RobotsCrushTheBallSymmetrically) {
  for (const int count : {3, 4}) {
    std::vector<Place> robots;
    for (int i = 0; i < count; ++i) {
      const double a = 2 * M_PI / count * i;
      robots.push_back({0.2 * std::cos(a), 0.2 * std::sin(a), a + M_PI, 40});
    }
    expect_calm("crush", robots, {0, 0});
  }
}

TEST(PlanarWheelsContact, PushingAlongAWallConvergesWithTheSliceLength) {
  auto push = [](double slice) {
    WheelsParameters p = five_parameters(2);
    no_friction(p);
    p.numerics.longest_slice = slice, p.numerics.slice_curvature = 1, p.numerics.slice_turn = 1;
    World w(p);
    set_ball(w.model, w.state, {-.9, -.5}, {0, 0});
    set_robot(w.state, 0, {-.6, .8}, .5);
    set_robot(w.state, 1, {-.75, .72}, .45);
    w.drive(0, 30), w.drive(1, 30);
    w.run(0.64, 0.016);
    return Vec2{w.robot(0)[kX], w.robot(0)[kY]};
  };
  const Vec2 reference = push(2.5e-4);
  const double coarse = norm(push(4e-3) - reference), fine = norm(push(1e-3) - reference);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, coarse);
}

TEST(PlanarWheelsPaper, PivotKeepsTheCornerStillAndMatchesThePrintedEquation) {
  RobotParameters r;
  r.half_axle = kSide;  // the printed case: wheels at the sides
  const double L = 2 * kSide, omega = 7;
  // Front right corner, left wheel driving: ω = 4/5 ω_l r / L clockwise, v = ω_l r √(2/5) cos α along heading + 45°.
  const Twist t = pivot_twist(r, {kSide, -kSide}, omega, PivotForm::projected);
  EXPECT_NEAR(t.w, -0.8 * omega * r.wheel_radius / L, 1e-14);
  const double speed = omega * r.wheel_radius * std::sqrt(0.4) * std::cos(std::atan(0.5));
  EXPECT_NEAR(t.v, speed * std::cos(M_PI / 4), 1e-14);
  EXPECT_NEAR(t.u, speed * std::sin(M_PI / 4), 1e-14);
  for (const double sx : {1.0, -1.0})
    for (const double sy : {1.0, -1.0})
      for (const PivotForm form : {PivotForm::projected, PivotForm::rolling}) {
        const Vec2 c{sx * kSide, sy * kSide};
        const Twist q = pivot_twist(r, c, omega, form);
        EXPECT_NEAR(q.v - q.w * c.y, 0, 1e-12);
        EXPECT_NEAR(q.u + q.w * c.x, 0, 1e-12);
      }
  EXPECT_NEAR(pivot_twist(r, {kSide, -kSide}, omega, PivotForm::rolling).w, -omega * r.wheel_radius / L, 1e-14);
}

WheelsParameters paper_parameters() {
  WheelsParameters p = five_parameters(1);
  p.impact = ImpactMode::paper, p.tyres = Tyres::rolling;
  return p;
}

TEST(PlanarWheelsPaper, RobotAtTheBoundaryPivotsThenStopsThenDrivesAway) {
  const WheelsParameters p = paper_parameters();
  World w(p);
  set_ball(w.model, w.state, {-0.8, -0.5}, {0, 0});
  set_robot(w.state, 0, {0, 0.9 - kSide * std::sqrt(2.0) - 1e-5}, M_PI / 4);  // front left corner at the wall
  w.drive(0, 10);
  w.run(0.064, 0.016);
  const auto b = w.robot(0);
  const Vec2 corner = Vec2{b[kX], b[kY]} + rotation(b[kTheta]) * Vec2{kSide, kSide};
  EXPECT_NEAR(corner.x, 0, 2e-4) << "turns about the corner";
  const double h = p.robots[0].half_axle + kSide;
  const double rate = h * p.robots[0].wheel_radius * 10 / (h * h + kSide * kSide);
  EXPECT_NEAR(b[kW], rate, 1e-6) << "eq. (18), the right wheel drives to the left";
  w.run(2, 0.016);
  EXPECT_NEAR(w.robot(0)[kTheta], M_PI / 2, 0.02) << "until two corners touch";
  EXPECT_EQ(w.robot(0)[kV], 0);
  EXPECT_EQ(w.robot(0)[kW], 0);
  EXPECT_GT(w.gap(), -1e-4);
  w.drive(0, -10);
  w.run(0.5, 0.016);
  EXPECT_LT(w.robot(0)[kY], 0.82) << "released when it drives away";
}

TEST(PlanarWheelsPaper, RobotSlidesAlongTheBoundaryAtASmallAngle) {
  World w(paper_parameters());
  set_ball(w.model, w.state, {-0.8, -0.5}, {0, 0});
  set_robot(w.state, 0, {-0.5, 0.8}, 0.3);
  w.drive(0, 20);
  w.run(1, 0.016);
  EXPECT_GT(w.robot(0)[kX], -0.2);
  EXPECT_NEAR(w.robot(0)[kTheta], 0, 0.05);
  EXPECT_GT(w.gap(), -1e-4);
}

}  // namespace
}  // namespace gradus::wheels

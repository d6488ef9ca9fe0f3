/// Walking: gains against published ones, legs against the tree's forward kinematics, plans against what was asked.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "control/walk/rotation.h"
#include "control/walk/walk_controller.h"
#include "base/rng.h"
#include "load/robot_toml.h"

namespace gradus::walk {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
const std::string kSource = GRADUS_SOURCE_DIR;

std::shared_ptr<const RobotKind> kind_of(const std::string& robot) {
  auto spec = load_robot(kSource + "/robots/" + robot + ".toml");
  EXPECT_TRUE(spec) << (spec.notes().empty() ? "" : to_string(spec.notes()[0]));
  auto kind = compile(*spec, ContactSpec{});
  EXPECT_TRUE(kind);
  return *kind;
}

WalkFile walk_of(const std::string& name) {
  auto walk = load_walk(kSource + "/motions/" + name + ".toml");
  EXPECT_TRUE(walk) << (walk.notes().empty() ? "" : to_string(walk.notes()[0]));
  return *walk;
}

WalkEngine engine_of(const std::string& robot, const std::string& walk) {
  auto e = WalkEngine::make(walk_of(walk), kind_of(robot), 9.81);
  EXPECT_TRUE(e) << (e.notes().empty() ? "" : to_string(e.notes()[0]));
  return *e;
}

/// Pose of a leg's sole from joint angles, by the tree's kernels.
Pose sole_of(const RobotKind& kind, const LegGeometry& leg, const LegAngles& angles) {
  std::vector<double> q(static_cast<std::size_t>(kind.nq()), 0), v(static_cast<std::size_t>(kind.nv()), 0);
  q[3] = 1;
  for (std::size_t i = 0; i < 6; ++i) q[7 + static_cast<std::size_t>(leg.joint[i])] = angles[i];
  std::vector<Frame> frames(static_cast<std::size_t>(kind.nlink()));
  compute_poses(kind, q.data(), v.data(), frames.data());
  const Frame& foot = frames[static_cast<std::size_t>(leg.foot_link)];
  return {foot.R, foot.p - foot.R.z * leg.sole};
}

double rotation_between(const Mat3& A, const Mat3& B) { return norm(A.x - B.x) + norm(A.y - B.y) + norm(A.z - B.z); }

LegAngles random_posture(const RobotKind& kind, const LegGeometry& leg, std::uint64_t n) {
  LegAngles q;
  for (std::size_t i = 0; i < 6; ++i) {
    const Joint& j = kind.joints[static_cast<std::size_t>(leg.joint[i])];
    q[i] = random_in({11, 0, 1}, n, static_cast<std::uint32_t>(i), j.lower, j.upper);
  }
  q[3] = random_in({11, 0, 1}, n, 9, 0.05, 2.0);  // a knee bent backwards has no other solution that way
  return q;
}

// facts/nao.md 5.2: recovered from the released gain file of MoToFlex 2011's walking engine (g = 9.8).
TEST(Preview, GainsAreThoseOfTheDortmundWalk) {
  const PreviewGains g = preview_gains({0.01, 0.235, 9.8, 50, 0.3, 0.4, 1e-10});
  EXPECT_NEAR(g.integral, -53.4229, 5e-4);
  EXPECT_NEAR(g.state[0], -2024.721, 5e-3);
  EXPECT_NEAR(g.state[1], -313.535, 5e-3);
  EXPECT_NEAR(g.state[2], 222.819, 5e-3);
  ASSERT_EQ(g.preview.size(), 50u);
  const double first[] = {53.4229, 81.9630, 90.6973, 91.1067, 88.1294};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(g.preview[i], first[i], 5e-4) << i;
  EXPECT_NEAR(g.preview[49], 5.4036, 5e-4);
}

TEST(Preview, FollowsAStepAndComesToRestOverIt) {
  const PreviewGains g = preview_gains({0.01, 0.26, 9.81, 60, 0.3, 0.4, 1e-10});
  std::vector<double> r(61, 0.0);
  PreviewState x = at_rest(0);
  double before = 0;
  for (int k = 0; k < 400; ++k) {
    for (std::size_t i = 0; i <= 60; ++i) r[i] = k + static_cast<int>(i) >= 100 ? 0.05 : 0;
    if (k == 99) before = x.c;
    advance(g, r, x);
  }
  EXPECT_NEAR(x.c, 0.05, 1e-4);
  EXPECT_NEAR(x.p, 0.05, 1e-4);
  EXPECT_GT(before, 0.01);  // it leaves before the step comes
}

class Legs : public testing::TestWithParam<std::array<std::string, 2>> {};

TEST_P(Legs, ClosedFormIsTheInverseOfForwardKinematicsIn20000Poses) {
  const WalkEngine e = engine_of(GetParam()[0], GetParam()[1]);
  const auto kind = kind_of(GetParam()[0]);
  double worst_p = 0, worst_R = 0;
  for (std::uint64_t n = 0; n < 20'000; ++n) {
    const LegGeometry& leg = e.leg(n % 2 ? kRight : kLeft);
    const Pose wanted = sole_of(*kind, leg, random_posture(*kind, leg, n));
    bool reached = false;
    const Pose got = sole_of(*kind, leg, leg_angles(leg, wanted, reached));
    ASSERT_TRUE(reached) << n;
    worst_p = std::max(worst_p, norm(got.p - wanted.p));
    worst_R = std::max(worst_R, rotation_between(got.R, wanted.R));
  }
  EXPECT_LT(worst_p, 1e-13);
  EXPECT_LT(worst_R, 1e-12);
}

TEST_P(Legs, WithAGivenYawAnklePointAndSoleNormalAreExact) {
  const WalkEngine e = engine_of(GetParam()[0], GetParam()[1]);
  const auto kind = kind_of(GetParam()[0]);
  double worst_p = 0, worst_n = 0;
  for (std::uint64_t n = 0; n < 20'000; ++n) {
    const LegGeometry& leg = e.leg(n % 2 ? kRight : kLeft);
    const LegAngles posture = random_posture(*kind, leg, n);
    const Pose wanted = sole_of(*kind, leg, posture);
    bool reached = false;
    const LegAngles q = leg_angles_with_yaw(leg, wanted, posture[0] + 0.1, reached);
    ASSERT_TRUE(reached);
    EXPECT_EQ(q[0], posture[0] + 0.1);
    const Pose got = sole_of(*kind, leg, q);
    worst_p = std::max(worst_p, norm(got.p - wanted.p));
    worst_n = std::max(worst_n, norm(got.R.z - wanted.R.z));
  }
  EXPECT_LT(worst_p, 1e-13);
  EXPECT_LT(worst_n, 1e-12);
}

TEST_P(Legs, APoseOutOfReachIsToldAndStretchesTheLeg) {
  const WalkEngine e = engine_of(GetParam()[0], GetParam()[1]);
  bool reached = true;
  const LegAngles q = leg_angles(e.leg(kLeft), {identity3<double>(), e.leg(kLeft).p_BH + Vec3{0, 0, -1}}, reached);
  EXPECT_FALSE(reached);
  EXPECT_NEAR(q[3], 0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Walkers, Legs,
                         testing::Values(std::array<std::string, 2>{"nao_h25_v6", "nao_walk"},
                                         std::array<std::string, 2>{"kidsize", "kidsize_steps"}));

/// The plan's end: ticks until the robot stands again.
PlanSample end_of(const GaitSpec& gait, const WalkCommand& command) {
  StepPlanner p(gait);
  p.command(command);
  PlanSample s = p.next();
  while (s.walking) s = p.next();
  return s;
}

TEST(StepPlanner, TwelveStepsEndWhereTheyWereAskedTo) {
  const GaitSpec gait = walk_of("nao_walk").gait;
  const double v = 0.0952, T = gait.step_time;
  PlanSample s = end_of(gait, {v, 0, 0, 12});
  for (int foot : {kLeft, kRight}) {
    EXPECT_NEAR(s.foot[static_cast<std::size_t>(foot)].x, 12 * v * T, 1e-12);
    EXPECT_NEAR(s.foot[static_cast<std::size_t>(foot)].y, foot == kLeft ? 0.05 : -0.05, 1e-12);
    EXPECT_EQ(s.foot[static_cast<std::size_t>(foot)].z, 0);
  }
  EXPECT_EQ(s.steps, 13);  // the last closes
  s = end_of(gait, {0, 0, 42 * kDegree, 12});
  EXPECT_NEAR(s.foot[kLeft].yaw, 12 * 42 * kDegree * T, 1e-12);
  EXPECT_NEAR(s.foot[kRight].yaw, 12 * 42 * kDegree * T, 1e-12);
  EXPECT_NEAR(s.heading, 12 * 42 * kDegree * T, 1e-12);
  s = end_of(gait, {0, -0.03, 0, 12});
  EXPECT_NEAR(s.foot[kLeft].y, 0.05 - 12 * 0.03 * T, 1e-12);
  EXPECT_NEAR(s.foot[kRight].y, -0.05 - 12 * 0.03 * T, 1e-12);
}

TEST(StepPlanner, ACircleIsARegularPolygonWithItsChords) {
  const GaitSpec gait = walk_of("nao_walk").gait;
  const int n = 94;
  const double T = gait.step_time, turn = 2 * std::numbers::pi / (n * T);
  const PlanSample s = end_of(gait, {0.0952, 0, turn, n});
  EXPECT_NEAR(s.foot[kLeft].x, 0, 1e-9);
  EXPECT_NEAR(s.foot[kLeft].y, 0.05, 1e-9);
  EXPECT_NEAR(s.foot[kLeft].yaw, 2 * std::numbers::pi, 1e-9);
}

TEST(StepPlanner, FeetNeverCrossAndMoveWithoutJumps) {
  const GaitSpec gait = walk_of("nao_walk").gait;
  for (const WalkCommand& c : {WalkCommand{0.2, 0, 0, 6}, WalkCommand{0, 0.06, 0, 6}, WalkCommand{0, -0.06, 0, 6},
                               WalkCommand{0, 0, 0.7, 6}, WalkCommand{0.1, 0, -0.7, 6}}) {
    StepPlanner p(gait);
    p.command(c);
    PlanSample last = p.next();
    for (int k = 0; k < 500; ++k) {
      const PlanSample s = p.next();
      const double dx = s.foot[kLeft].x - s.foot[kRight].x, dy = s.foot[kLeft].y - s.foot[kRight].y,
                   yaw = s.foot[kRight].yaw;
      EXPECT_GT(-dx * std::sin(yaw) + dy * std::cos(yaw), 0.06) << "tick " << k;  // left of the right foot
      for (std::size_t f : {0u, 1u}) {
        EXPECT_LT(std::hypot(s.foot[f].x - last.foot[f].x, s.foot[f].y - last.foot[f].y), 0.012);
        EXPECT_LT(std::fabs(s.foot[f].z - last.foot[f].z), 0.003);
      }
      EXPECT_FALSE(s.foot[kLeft].z > 0 && s.foot[kRight].z > 0) << "both feet in the air";
      EXPECT_LT(std::hypot(s.zmp[0] - last.zmp[0], s.zmp[1] - last.zmp[1]), 0.06);
      last = s;
    }
    EXPECT_FALSE(last.walking);
  }
}

TEST(StepPlanner, GivenStepsAreSetDownAsSeenFromTheOtherFootAndInTheirTime) {
  const GaitSpec gait = walk_of("nao_walk").gait;
  StepPlanner p(gait);
  p.add({kRight, 0.03, -0.12, -0.2, 0.6});
  p.add({kLeft, 0.05, 0.1, 0.1, 0.8});
  PlanSample s;
  int walking = 0;
  for (int i = 0; i < 400; ++i) {
    s = p.next();
    walking += s.walking;
    for (const FootPose& f : s.foot) ASSERT_GE(f.z, 0);
  }
  EXPECT_NEAR(walking * gait.tick, 0.6 + 0.8, 2.5 * gait.tick);
  const FootPose &left = s.foot[kLeft], &right = s.foot[kRight];
  EXPECT_NEAR(right.x, 0.03, 1e-12);
  EXPECT_NEAR(right.y, gait.spacing / 2 - 0.12, 1e-12);
  EXPECT_NEAR(right.yaw, -0.2, 1e-12);
  EXPECT_NEAR(left.x, right.x + std::cos(-0.2) * 0.05 - std::sin(-0.2) * 0.1, 1e-9);
  EXPECT_NEAR(left.y, right.y + std::sin(-0.2) * 0.05 + std::cos(-0.2) * 0.1, 1e-9);
  EXPECT_NEAR(left.yaw, -0.1, 1e-12);
  EXPECT_FALSE(s.walking);
  EXPECT_EQ(s.steps, 2);  // no step that closes the feet
  p.command({0.05, 0, 0, 2});  // walking goes on from there
  for (int i = 0; i < 400; ++i) s = p.next();
  EXPECT_NEAR(s.foot[kLeft].yaw, -0.1, 1e-9);
  EXPECT_NEAR(std::hypot(s.foot[kLeft].x - s.foot[kRight].x, s.foot[kLeft].y - s.foot[kRight].y), gait.spacing, 1e-9);
}

TEST(WalkEngine, CentreOfMassIsWhereTheControlWantsItAndStandingFeetStayPut) {
  for (const auto& [robot, walk] : {std::pair{"nao_h25_v6", "nao_walk"}, std::pair{"kidsize", "kidsize_steps"}}) {
    WalkEngine e = engine_of(robot, walk);
    const auto kind = kind_of(robot);
    e.command({0.06, 0, 0.2, 4});
    std::vector<double> q(static_cast<std::size_t>(kind->nq()), 0), v(static_cast<std::size_t>(kind->nv()), 0);
    std::vector<Frame> frames(static_cast<std::size_t>(kind->nlink()));
    for (int k = 0; k < 400; ++k) {
      e.tick();
      q[3] = 1;
      std::copy(e.posture().begin(), e.posture().end(), q.begin() + 7);
      compute_poses(*kind, q.data(), v.data(), frames.data());
      Vec3 c{0, 0, 0};
      for (std::size_t i = 0; i < frames.size(); ++i)
        c += (frames[i].p + frames[i].R * kind->links[i].com) * (kind->links[i].mass / kind->mass);
      const Vec3 c_W = e.base() * c;
      EXPECT_NEAR(c_W.x, e.centre_of_mass()[0], 2e-5);
      EXPECT_NEAR(c_W.y, e.centre_of_mass()[1], 2e-5);
      for (int side : {kLeft, kRight}) {
        const Frame& f = frames[static_cast<std::size_t>(e.leg(side).foot_link)];
        const Vec3 p = e.base() * (f.p - f.R.z * e.leg(side).sole);
        const FootPose& plan = e.sample().foot[static_cast<std::size_t>(side)];
        EXPECT_NEAR(p.x, plan.x, 1e-12);
        EXPECT_NEAR(p.y, plan.y, 1e-12);
        EXPECT_NEAR(p.z, plan.z, 1e-12);
      }
    }
    EXPECT_EQ(e.out_of_reach(), 0) << robot;
    EXPECT_EQ(e.beyond_limits(), 0) << robot;
    EXPECT_FALSE(e.walking());
  }
}

/// One call of a controller at time t; returns the targets.
std::vector<double> targets_at(WalkController& c, const RobotKind& kind, double t) {
  std::vector<double> target(static_cast<std::size_t>(kind.njoint()), 0), force(kind.feet.size(), 20);
  RobotOutput out{};
  out.kind = &kind;
  out.time = t;
  out.q_WB = {1, 0, 0, 0};
  out.gyro = {0, 0.3, 0};
  out.foot_force = force;
  RobotCommand command{};
  command.target = target;
  c.control(out, command);
  return target;
}

TEST(WalkController, ARewoundRunGetsTheSameTargets) {
  const auto kind = kind_of("nao_h25_v6");
  for (const bool feedback : {false, true}) {
    auto c = WalkController::make(walk_of("nao_walk"), kind, 9.81, {{0.1, 0, 0, 3}}, {feedback, feedback, 0});
    ASSERT_TRUE(c);
    std::vector<std::vector<double>> first;
    for (int k = 0; k < 300; ++k) first.push_back(targets_at(**c, *kind, 0.01 * k));
    for (int k = 120; k < 300; ++k)
      EXPECT_EQ(targets_at(**c, *kind, 0.01 * k), first[static_cast<std::size_t>(k)]) << k;
  }
}

TEST(WalkController, PitchingForwardPressesTheToesDown) {
  const auto kind = kind_of("nao_h25_v6");
  auto with = WalkController::make(walk_of("nao_walk"), kind, 9.81, {}, {true, false, 0});
  auto without = WalkController::make(walk_of("nao_walk"), kind, 9.81, {}, {false, false, 0});
  std::vector<double> a, b;
  for (int k = 0; k < 100; ++k) a = targets_at(**with, *kind, 0.01 * k), b = targets_at(**without, *kind, 0.01 * k);
  // Half the load on each foot: 0.05 s × 0.3 rad/s / 2.
  for (const char* ankle : {"LAnklePitch", "RAnklePitch"}) {
    const auto j = static_cast<std::size_t>(kind->find_joint(ankle));
    EXPECT_NEAR(a[j] - b[j], 0.0075, 1e-4) << ankle;
  }
}

TEST(WalkFiles, EveryFaultIsReportedAtItsPlace) {
  const auto r = parse_walk("[walk]\nleft_leg = [\"a\"]\nstep_time = \"0 s\"\nlift = 3\nstride = 1\n", "w.toml");
  ASSERT_FALSE(r);
  std::string all;
  for (const Diagnostic& d : r.notes()) all += to_string(d) + "\n";
  for (const char* part : {"w.toml:2", "six joints", "right_leg", "w.toml:3", "step_time", "w.toml:4", "stride"})
    EXPECT_NE(all.find(part), std::string::npos) << part << " is not in\n" << all;
}

TEST(WalkFiles, ALegThatDoesNotFitIsRefused) {
  WalkFile walk = walk_of("nao_walk");
  std::swap(walk.left_leg[1], walk.left_leg[2]);
  EXPECT_FALSE(WalkEngine::make(walk, kind_of("nao_h25_v6"), 9.81));
}

}  // namespace
}  // namespace gradus::walk

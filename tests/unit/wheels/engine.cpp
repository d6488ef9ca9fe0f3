/// Promises about advance(): no allocation, same bits, snapshots, soak, honest refusals.
#include <limits>

#include "counting_new.h"
#include "wheels/verification.h"
#include "fixture.h"
#include "support/wheels_load.h"

namespace gradus::wheels {
namespace {

WheelsModel league_model(League league, double friction) {
  WheelsParameters p = league_parameters(league);
  for (Surface* s : {&p.surfaces.ball_robot, &p.surfaces.ball_wall, &p.surfaces.robot_robot, &p.surfaces.robot_wall})
    s->friction = friction;
  return World::compiled(p);
}

TEST(PlanarWheelsEngine, AdvanceAllocatesNothing) {
  const WheelsModel m = league_model(League::eleven_a_side, 0.3);
  LoadedMatch match(m, Load::chase, 3);
  const long before = allocation_count();
  for (int i = 0; i < 600; ++i) match.frame();
  EXPECT_EQ(allocation_count() - before, 0);
  EXPECT_GT(match.report.slices, 1000);
}

TEST(PlanarWheelsEngine, RerunsGiveTheSameBits) {
  for (const Load load : {Load::random, Load::chase}) {
    const WheelsModel m = league_model(League::five_a_side, 0.3);
    LoadedMatch a(m, load, 5), b(m, load, 5);
    for (int i = 0; i < 600; ++i) a.frame(), b.frame();
    EXPECT_EQ(a.hash(), b.hash());
  }
}

TEST(PlanarWheelsEngine, ASnapshotOfTheSlabContinuesWithTheSameBits) {
  const WheelsModel m = league_model(League::five_a_side, 0.3);
  LoadedMatch match(m, Load::chase, 9);
  for (int i = 0; i < 400; ++i) match.frame();
  std::vector<double> a(match.state().begin(), match.state().end()), b = a;
  std::vector<WheelCommand> commands(m.robot_count(), WheelCommand{30, 25});
  Scratch used(m), fresh(m);
  Report report;
  std::vector<double> warm = a;
  for (int i = 0; i < 50; ++i) advance(m, warm, commands, 0.01, used, report);  // leaves its traces in the scratch
  for (int i = 0; i < 100; ++i) {
    advance(m, a, commands, 0.01, used, report);
    advance(m, b, commands, 0.01, fresh, report);
  }
  EXPECT_EQ(hash_doubles(a), hash_doubles(b));
}

struct SoakCase {
  League league;
  Load load;
  double friction, minutes, overlap;
};
void soak(const SoakCase& c, std::uint64_t seed) {
  const WheelsModel m = league_model(c.league, c.friction);
  LoadedMatch match(m, c.load, seed);
  const int frames = static_cast<int>(c.minutes * 60 / 0.016);
  double gap = 1;
  std::int64_t most = 0, last = 0;
  for (int f = 1; f <= frames; ++f) {
    match.frame();
    gap = std::min(gap, smallest_gap(m, match.state()));
    if (f % 62 == 0) most = std::max(most, match.report.impacts - last), last = match.report.impacts;
  }
  const Report& r = match.report;
  EXPECT_GT(std::min(gap, r.least_gap), -c.overlap);
  EXPECT_EQ(r.not_finite, 0);
  EXPECT_EQ(r.stalled, 0);
  EXPECT_EQ(r.full, 0);
  EXPECT_LE(r.impact_gain, 1e-9);
  EXPECT_LE(static_cast<double>(r.impacts), 60 * 60 * c.minutes);
  EXPECT_GT(r.impacts, 0);
  EXPECT_LE(most, 500);
  EXPECT_LE(r.forced, 3);
}

TEST(PlanarWheelsSoak, FiveAgainstFiveRandomCommands) {
  for (const std::uint64_t seed : {1, 2}) soak({League::five_a_side, Load::random, 0.3, 3, 1e-4}, seed);
}
TEST(PlanarWheelsSoak, FiveAgainstFiveEverybodyChases) {
  for (const double mu : {0.0, 0.3}) soak({League::five_a_side, Load::chase, mu, 2, 1e-4}, 3);
}
TEST(PlanarWheelsSoak, ElevenAgainstElevenRandomCommands) {
  soak({League::eleven_a_side, Load::random, 0.3, 1, 1e-4}, 4);
}
TEST(PlanarWheelsSoak, ElevenAgainstElevenEverybodyChases) {
  for (const double mu : {0.0, 0.3}) soak({League::eleven_a_side, Load::chase, mu, 0.5, 5e-4}, 5);
}
TEST(PlanarWheelsSoak, RobotsWithBallGuideAndOffsetMassChase) {
  WheelsParameters p = league_parameters(League::five_a_side);
  for (RobotParameters& r : p.robots) r.outline = guide_outline(0.075, 0.05, 0.008), r.centre_offset = 0.01;
  const WheelsModel m = World::compiled(p);
  LoadedMatch match(m, Load::chase, 6);
  double gap = 1;
  for (int f = 0; f < 3750; ++f) match.frame(), gap = std::min(gap, smallest_gap(m, match.state()));
  EXPECT_GT(std::min(gap, match.report.least_gap), -1e-4);
  EXPECT_EQ(match.report.not_finite + match.report.stalled, 0);
}

TEST(PlanarWheelsEngine, TheVerificationTableOfThePaperPasses) {
  const auto rows = verify_paper();
  EXPECT_GE(rows.size(), 10u);
  for (const VerificationRow& r : rows)
    EXPECT_TRUE(r.passed()) << r.quantity << ": " << r.found << " instead of " << r.expected;
}

/// The same bits with gcc and clang, at every optimisation level. A change of the engine on purpose changes these: run
/// both compilers before writing the new ones down.
TEST(PlanarWheelsEngine, GoldenHashes) {
  struct Golden {
    League league;
    Load load;
    double friction;
    std::uint64_t hash;
  };
  for (const Golden& g : {Golden{League::five_a_side, Load::random, 0.3, 0x73efd1b27bd45a31},
                          Golden{League::five_a_side, Load::chase, 0.0, 0xf6b1d731785d6e4f},
                          Golden{League::eleven_a_side, Load::chase, 0.3, 0xdcced61aabaa9b33}}) {
    const WheelsModel m = league_model(g.league, g.friction);
    LoadedMatch match(m, g.load, 11);
    for (int i = 0; i < 500; ++i) match.frame();
    EXPECT_EQ(match.hash(), g.hash) << std::hex << match.hash();
  }
}

TEST(PlanarWheelsEngine, CommandsThatAreNotFiniteAreRefusedAndCounted) {
  World w(open_parameters(2));
  set_robot(w.state, 0, {0, 0}, 0), set_robot(w.state, 1, {1, 0}, 0);
  w.commands[0] = {std::numeric_limits<double>::quiet_NaN(), 1};
  w.commands[1] = {10, 10};
  w.step(0.01);
  EXPECT_EQ(w.report.refused_commands, 1);
  EXPECT_EQ(w.robot(0)[kV], 0);
  EXPECT_GT(w.robot(1)[kV], 0);
}

/// Motors a million times too stiff for Taylor series, also where driving and braking limits differ and make them
/// chatter at standstill: a step took minutes. Now it is bounded, reported, and wheels still reach their speed and
/// their stop.
TEST(PlanarWheelsEngine, MotorsOfAnyStiffnessCostBoundedWorkAndAreReported) {
  for (const double gain : {0.4, 4e3, 4e9}) {
    WheelsParameters p = open_parameters(2);
    for (RobotParameters& r : p.robots) r.drive.speed_gain = gain, r.drive.limit_brake = 0.3;
    World w(p);
    set_robot(w.state, 0, {0, 0}, 0), set_robot(w.state, 1, {1, 0.5}, 0);
    w.commands[0] = {20, 18};
    w.commands[1] = {-3, 3};
    w.run(1, 1.0 / 60);
    EXPECT_NEAR(w.robot(0)[kV], 19 * p.robots[0].wheel_radius, 0.01) << gain;
    w.commands[0] = w.commands[1] = {};
    w.run(1, 1.0 / 60);
    EXPECT_NEAR(w.robot(0)[kV], 0, 0.01) << gain;
    EXPECT_LT(w.report.restarts, 2 * 120 * 400) << gain;  // two robots, 120 frames
    EXPECT_EQ(w.report.not_finite, 0);
    EXPECT_TRUE(gain < 1 || w.report.coarse > 0) << gain;
  }
}

TEST(PlanarWheelsEngine, AbsentRobotsTakeNoPart) {
  World w(open_parameters(2));
  set_robot(w.state, 0, {0, 0}, 0);
  w.robot(0)[kV] = 1;
  set_robot(w.state, 1, {0.2, 0}, 0);
  w.robot(1)[kPresent] = 0;
  w.commands[0] = {44, 44};
  w.run(0.5, 0.01);
  EXPECT_EQ(w.report.impacts, 0);
  EXPECT_GT(w.robot(0)[kX], 0.3);
  EXPECT_EQ(w.robot(1)[kX], 0.2);
}

TEST(PlanarWheelsEngine, CompileReportsEveryProblem) {
  WheelsParameters p = five_parameters(2);
  p.robots[0].wheel_radius = -1;
  p.robots[1].outline = {{0.1, 0.1}, {0.2, 0.1}, {0.2, 0.2}};  // the axle is outside
  p.ball.mass = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(compile(p));
  EXPECT_EQ(compile(p).notes().size(), 2u);
  p.robots[0].wheel_radius = 0.02, p.ball.mass = 0.046;
  EXPECT_EQ(compile(p).notes().size(), 1u);
  p = five_parameters(1);
  p.tyres = Tyres::rolling;
  EXPECT_FALSE(compile(p)) << "rolling tyres with impact mode slip";
}

}  // namespace
}  // namespace gradus::wheels

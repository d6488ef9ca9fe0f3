/// Placement without overlap, kick-off, goals and restarts.
#include "wheels/match.h"

#include "fixture.h"

namespace gradus::wheels {
namespace {

World league_world(League league) {
  World w(league_parameters(league));
  clear_state(w.model, w.state);
  return w;
}

TEST(PlanarWheelsMatch, KickOffPlacesEverybodyInItsOwnHalfWithoutOverlap) {
  for (const League league : {League::three_a_side, League::five_a_side, League::eleven_a_side})
    for (const Team first : {Team::blue, Team::yellow}) {
      World w = league_world(league);
      EXPECT_EQ(kick_off(w.model, w.state, first), 0);
      EXPECT_GT(w.gap(), 1e-3);
      const int team = w.model.robot_count() / 2;
      for (int i = 0; i < 2 * team; ++i) {
        EXPECT_EQ(w.robot(i)[kPresent], 1);
        EXPECT_GT((i < team ? -1 : 1) * w.robot(i)[kX], 0.03) << "blue on −x, yellow on +x";
      }
      EXPECT_EQ(w.ball()[kX], 0);
      w.run(0.5, 0.016);
      EXPECT_EQ(w.report.impacts, 0);
    }
}

TEST(PlanarWheelsMatch, OverlappingPlacementsAreResolvedAndReported) {
  World w = league_world(League::five_a_side);
  ASSERT_EQ(kick_off(w.model, w.state, Team::blue), 0);
  for (int i = 0; i < 10; ++i) {  // everybody wants the same place
    const Placement p = place_robot(w.model, w.state, i, {0.5, 0.5}, 0.3);
    EXPECT_TRUE(p.placed);
    EXPECT_EQ(p.moved > 0, i > 0);
  }
  EXPECT_GE(w.gap(), 1e-3);
  const Placement ball = place_ball(w.model, w.state, {0.5, 0.5}, {0, 0});
  EXPECT_TRUE(ball.placed);
  EXPECT_GT(ball.moved, 0);
  EXPECT_GE(w.gap(), 1e-3);
  w.run(0.2, 0.016);
  EXPECT_GE(w.gap(), 1e-4);
}

TEST(PlanarWheelsMatch, PlacementsInsideAWallAreMovedAndNonsenseIsRefused) {
  World w = league_world(League::five_a_side);
  kick_off(w.model, w.state, Team::blue);
  const Placement p = place_robot(w.model, w.state, 3, {0.3, 0.89}, 0);
  EXPECT_TRUE(p.placed);
  EXPECT_GT(p.moved, 0);
  const std::vector<double> before = w.state;
  EXPECT_FALSE(place_robot(w.model, w.state, 3, {NAN, 0}, 0).placed);
  EXPECT_FALSE(place_robot(w.model, w.state, 99, {0, 0}, 0).placed);
  EXPECT_FALSE(place_robot(w.model, w.state, 2, {50, 50}, 0).placed) << "too far from any free place";
  EXPECT_EQ(w.state, before);
}

TEST(PlanarWheelsMatch, GoalsAreCountedOnceAndPlayGoesOn) {
  World w = league_world(League::five_a_side);
  kick_off(w.model, w.state, Team::blue);
  for (int i = 0; i < 10; ++i) w.robot(i)[kPresent] = 0;
  MatchState match{};
  set_ball(w.model, w.state, {0.5, 0.05}, {1.5, 0});
  int goals = 0, kicks = 0;
  double when = 0;
  for (int f = 0; f < 200; ++f) {
    w.step(0.016);
    const MatchEvent e = referee(w.model, w.state, match, 0.016, {});
    if (e == MatchEvent::goal_blue) ++goals, when = match[kClock];
    if (e != MatchEvent::kick_off) continue;
    ++kicks;
    EXPECT_NEAR(match[kClock] - when, 1, 0.02);
  }
  EXPECT_EQ(goals, 1);
  EXPECT_EQ(kicks, 1);
  EXPECT_EQ(match[kGoalsBlue], 1) << "yellow defends +x";
  EXPECT_EQ(match[kGoalsYellow], 0);
}

/// The other way round: blue stands on +x, and a ball in the goal there is yellow's.
TEST(PlanarWheelsMatch, SidesCanBeChanged) {
  WheelsParameters p = league_parameters(League::three_a_side);
  p.blue_side = 1;
  World w(p);
  clear_state(w.model, w.state);
  kick_off(w.model, w.state, Team::blue);
  for (int i = 0; i < 6; ++i) EXPECT_GT((i < 3 ? 1 : -1) * w.robot(i)[kX], 0.03);
  set_ball(w.model, w.state, {p.field.half_length + 0.05, 0}, {0, 0});
  MatchState match{};
  EXPECT_EQ(referee(w.model, w.state, match, 0.016, {}), MatchEvent::goal_yellow);
}

/// A goal only when the whole ball is over the line: half-length and radius.
TEST(PlanarWheelsMatch, ABallOnTheLineIsNoGoal) {
  World w = league_world(League::five_a_side);
  kick_off(w.model, w.state, Team::blue);
  const double line = w.model.par.field.half_length, r = w.model.par.ball.radius;
  for (const double side : {-1.0, 1.0}) {
    set_ball(w.model, w.state, {side * (line + 0.999 * r), 0}, {0, 0});
    EXPECT_EQ(ball_in_goal(w.model, w.state), 0);
    set_ball(w.model, w.state, {side * (line + 1.001 * r), 0}, {0, 0});
    EXPECT_EQ(ball_in_goal(w.model, w.state), side);
  }
}

/// Who conceded kicks off: of its team one robot stands at the middle, of the other nobody does.
TEST(PlanarWheelsMatch, WhoConcededKicksOff) {
  for (const double side : {-1.0, 1.0}) {
    World w = league_world(League::five_a_side);
    kick_off(w.model, w.state, Team::blue);
    MatchState match{};
    set_ball(w.model, w.state, {side * (w.model.par.field.half_length + 0.05), 0}, {0, 0});
    for (int f = 0; f < 70; ++f) referee(w.model, w.state, match, 0.016, {});
    const bool blue_conceded = side < 0;
    EXPECT_EQ(match[blue_conceded ? kGoalsYellow : kGoalsBlue], 1);
    for (int i = 0; i < 10; ++i) {
      const double from_ball = std::hypot(w.robot(i)[kX], w.robot(i)[kY]);
      const bool kicks = i == (blue_conceded ? 4 : 9);
      EXPECT_EQ(from_ball < 0.2, kicks) << i;
    }
  }
}

/// Every half begins with a kick-off, the second by yellow.
TEST(PlanarWheelsMatch, HalvesBeginWithKickOffsOfEitherTeam) {
  World w = league_world(League::three_a_side);
  kick_off(w.model, w.state, Team::blue);
  MatchState match{};
  MatchRules rules;
  rules.half = 20, rules.still_time = 1e6;
  std::vector<int> kickers;
  for (int f = 0; f < 63 * 60; ++f) {
    if (referee(w.model, w.state, match, 1.0 / 60, rules) != MatchEvent::kick_off) continue;
    for (int i = 0; i < 6; ++i)
      if (std::hypot(w.robot(i)[kX], w.robot(i)[kY]) < 0.2) kickers.push_back(i / 3);
  }
  EXPECT_EQ(kickers, (std::vector<int>{1, 0, 1})) << "yellow, blue, yellow";
}

TEST(PlanarWheelsMatch, AStuckBallBecomesAFreeBall) {
  World w = league_world(League::five_a_side);
  kick_off(w.model, w.state, Team::blue);
  set_ball(w.model, w.state, {-0.9, 0.7}, {0, 0});
  MatchState match{};
  int frees = 0;
  for (int i = 0; i < 10; ++i) place_robot(w.model, w.state, i, {-0.8 + 0.1 * (i % 5), 0.4 + 0.1 * (i / 5)}, 0);
  for (int f = 0; f < 640; ++f) {
    w.step(0.016);
    frees += referee(w.model, w.state, match, 0.016, {}) == MatchEvent::free_ball;
  }
  EXPECT_EQ(frees, 1);
  EXPECT_NEAR(w.ball()[kX], -0.55, 0.02);
  EXPECT_NEAR(w.ball()[kY], 0.45, 0.02);
  int near = 0;
  for (int i = 0; i < 10; ++i) {
    const double dx = w.robot(i)[kX] - w.ball()[kX], d = std::hypot(dx, w.robot(i)[kY] - w.ball()[kY]);
    if (d > 0.3) continue;
    ++near;
    EXPECT_NEAR(d, 0.2, 0.03);
    EXPECT_EQ(dx < 0, i < 5) << "each on its own side";
  }
  EXPECT_EQ(near, 2) << "one of each team";
}

}  // namespace
}  // namespace gradus::wheels

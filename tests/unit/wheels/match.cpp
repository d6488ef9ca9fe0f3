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
        EXPECT_GT((i < team ? 1 : -1) * w.robot(i)[kX], 0.03) << "blue on +x, yellow on −x";
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
    if (e == MatchEvent::goal_yellow) ++goals, when = match[kClock];
    if (e != MatchEvent::kick_off) continue;
    ++kicks;
    EXPECT_NEAR(match[kClock] - when, 1, 0.02);
  }
  EXPECT_EQ(goals, 1);
  EXPECT_EQ(kicks, 1);
  EXPECT_EQ(match[kGoalsYellow], 1) << "blue defends +x";
  EXPECT_EQ(match[kGoalsBlue], 0);
}

TEST(PlanarWheelsMatch, AStuckBallBecomesAFreeBall) {
  World w = league_world(League::five_a_side);
  kick_off(w.model, w.state, Team::blue);
  set_ball(w.model, w.state, {-0.9, 0.7}, {0, 0});
  MatchState match{};
  int frees = 0;
  for (int f = 0; f < 330; ++f) {
    w.step(0.016);
    frees += referee(w.model, w.state, match, 0.016, {}) == MatchEvent::free_ball;
  }
  EXPECT_EQ(frees, 1);
  EXPECT_NEAR(w.ball()[kX], -0.55, 0.1);
  EXPECT_NEAR(w.ball()[kY], 0.45, 0.1);
}

}  // namespace
}  // namespace gradus::wheels

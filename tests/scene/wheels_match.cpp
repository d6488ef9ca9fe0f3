/// The built-in teams play each other on the exact planar engine.
#include <gtest/gtest.h>

#include <vector>

#include "control/wheels_strategy.h"
#include "core/hash.h"
#include "motion/planar_wheels/match.h"
#include "motion/planar_wheels/planar_wheels.h"

namespace gradus {
namespace {

using namespace wheels;

struct Played {
  MatchState match{};
  std::uint64_t hash = 0;
  double least_gap = 1;
  Report report;
};

Played play_match(League league, double minutes) {
  auto model = compile(league_parameters(league));
  EXPECT_TRUE(model);
  const int robots = model->robot_count(), team = robots / 2;
  std::vector<double> state(state_size(*model));
  clear_state(*model, state);
  EXPECT_EQ(kick_off(*model, state, Team::blue), 0);
  Scratch scratch(*model);
  std::vector<WheelCommand> commands(robots);
  std::vector<control::PlayerPose> poses(team);
  std::vector<control::WheelOrder> orders(team);
  const Field& f = model->par.field;
  control::PitchNumbers pitch;
  pitch.half_length = f.half_length, pitch.half_width = f.half_width, pitch.goal_width = f.goal_width;
  Played out;
  for (long k = 0; k < std::lround(minutes * 60 / 0.016); ++k) {
    const auto ball = body_of(std::span<const double>(state), robots);
    for (int t = 0; t < 2; ++t) {
      for (int i = 0; i < team; ++i) {
        const auto b = body_of(std::span<const double>(state), t * team + i);
        poses[i] = {b[kX], b[kY], b[kTheta]};
      }
      control::play(pitch, {ball[kX], ball[kY], ball[kBallVx], ball[kBallVy], poses, t == 0 ? -1.0 : 1.0}, orders);
      for (int i = 0; i < team; ++i) commands[t * team + i] = {orders[i].right, orders[i].left};
    }
    advance(*model, state, commands, 0.016, scratch, out.report);
    referee(*model, state, out.match, 0.016, {});
    out.least_gap = std::min(out.least_gap, smallest_gap(*model, state));
  }
  out.hash = hash_doubles(state);
  return out;
}

TEST(WheelsMatch, TheBuiltInTeamsScoreGoalsAndTheGameNeverStops) {
  const Played p = play_match(League::five_a_side, 10);
  EXPECT_GE(p.match[kGoalsBlue] + p.match[kGoalsYellow], 3);
  EXPECT_GT(p.least_gap, -1e-4);
  EXPECT_EQ(p.report.stalled + p.report.not_finite, 0);
}

TEST(WheelsMatch, AMatchIsRepeatable) {
  EXPECT_EQ(play_match(League::three_a_side, 1).hash, play_match(League::three_a_side, 1).hash);
}

TEST(WheelsMatch, ElevenAgainstElevenPlays) {
  const Played p = play_match(League::eleven_a_side, 2);
  EXPECT_GT(p.least_gap, -5e-4);
  EXPECT_EQ(p.report.stalled + p.report.not_finite, 0);
  EXPECT_GT(p.report.impacts, 20);
}

}  // namespace
}  // namespace gradus

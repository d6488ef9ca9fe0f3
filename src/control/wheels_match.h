/// A match of wheeled robots: the exact planar engine, the referee's rules, and for each team either the built-in
/// strategy or commands from outside (FIRASim's protocol). Sockets stay outside: give it orders, take its picture.
#pragma once
#include <memory>
#include <vector>

#include "control/wheels_strategy.h"
#include "core/result.h"
#include "link/firasim/server.h"
#include "motion/planar_wheels/match.h"
#include "motion/planar_wheels/planar_wheels.h"

namespace gradus::control {

enum class Driver { built_in, remote };

struct WheelsMatchOptions {
  wheels::League league = wheels::League::five_a_side;
  wheels::Preset preset = wheels::Preset::realistic;
  Driver blue = Driver::built_in, yellow = Driver::built_in;
  wheels::MatchRules rules;
  bool own_referee = true;  // goals, kick-offs and free balls by us; false: an external referee does it
  double frame = 1.0 / 60;  // [s]
};

class WheelsMatch {
 public:
  static Result<WheelsMatch> make(const WheelsMatchOptions& options);

  /// Replacements from the protocol. A robot switched off is taken from the field; one put down starts at rest;
  /// overlapping placements are moved to the nearest free place. Returns how many were moved or refused.
  int apply(const firasim::Orders& orders);
  /// STOP and HALT stop every robot until GAME_ON.
  void apply(const firasim::RefereeCommand& command);
  /// One frame. `board`: commands of remote teams (may be null if both are built in).
  wheels::MatchEvent step(const firasim::CommandBoard* board);

  /// What the overhead camera sees.
  void picture(firasim::Environment& out) const;
  /// The referee's message that belongs to an event of step().
  firasim::RefereeCommand announce(wheels::MatchEvent event) const;

  const wheels::WheelsModel& model() const { return *model_; }
  std::span<double> state() { return state_; }
  const wheels::MatchState& score() const { return match_; }
  const wheels::Report& report() const { return report_; }
  bool halted() const { return halted_; }

 private:
  explicit WheelsMatch(const WheelsMatchOptions& options, wheels::WheelsModel model);
  void command_built_in(int team);
  void command_remote(int team, const firasim::CommandBoard& board);
  int team_size() const { return model_->robot_count() / 2; }

  WheelsMatchOptions options_;
  std::unique_ptr<wheels::WheelsModel> model_;
  wheels::Scratch scratch_;
  std::vector<double> state_;
  std::vector<wheels::WheelCommand> commands_;
  wheels::MatchState match_{};
  wheels::Report report_;
  bool halted_ = false;
  PitchNumbers pitch_;
  std::vector<PlayerPose> poses_;
  std::vector<WheelOrder> orders_;
};

}  // namespace gradus::control

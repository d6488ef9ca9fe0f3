/// Playing: putting robots and ball down without overlap, kick-off, goals, restarts. Plain functions over the state
/// slab.
#pragma once
#include <array>
#include <span>

#include "wheels/field.h"
#include "wheels/state.h"

namespace gradus::wheels {

/// Blue robots come first in a group. They defend the goal at −x and yellow that at +x, as FIRASim's referee has it, or
/// the other way round (WheelsParameters::blue_side).
enum class Team { blue, yellow };

/// What became of a wish to put something down.
struct Placement {
  bool placed = false;  // false: no free place within reach, or not finite; nothing was changed
  double moved = 0;     // how far from the wished place, because something was there [m]
};

/// Puts a robot down at rest (or the ball with a velocity), as near to the wish as is free: rings of growing radius
/// about it are searched, in fixed order. `clearance`: least gap to everything else.
Placement place_robot(const WheelsModel& m, std::span<double> state, int robot, Vec2 p, double theta,
                      double clearance = 1e-3);
Placement place_ball(const WheelsModel& m, std::span<double> state, Vec2 p, Vec2 velocity, double clearance = 1e-3);

/// All robots in their own halves, the ball in the middle. Any number of robots.
/// Returns how many had to be moved or could not be placed.
int kick_off(const WheelsModel& m, std::span<double> state, Team first);

/// The goal the ball is in: +1 at +x, −1 at −x, 0 none. The whole ball must be over the line.
int ball_in_goal(const WheelsModel& m, std::span<const double> state);

/// The score and clock of a match, as doubles so that it can live in a state slab.
enum MatchField {
  kClock,
  kGoalsBlue,
  kGoalsYellow,
  kRestartIn,
  kStillFor,
  kLastRestart,
  kEventCount,  // events so far ...
  kLastEvent,   // ... and the last of them, a MatchEvent
  kHalted,      // 1: the referee stopped play, wheels stand
  kMatchSize
};
using MatchState = std::array<double, kMatchSize>;

struct MatchRules {
  double pause_after_goal = 1.0;  // the ball stays in the goal for this long [s]
  double still_speed = 0.1;       // slower than this ...                                          [m/s]
  double still_time = 10;         // ... for this long is a stuck ball: free ball                   [s]
  double half = 300;              // then the team kicks off that did not begin                     [s]
};
enum class MatchEvent { none, goal_blue, goal_yellow, kick_off, free_ball };

/// Watches a step of length h: counts goals, kicks off again after the pause and for every half, frees a stuck ball at
/// the nearest free-ball mark (centres of the quadrants): one robot of each team 20 cm from it on its own side, all
/// others farther away [MiroSot laws, free ball].
MatchEvent referee(const WheelsModel& m, std::span<double> state, std::span<double> match, double h,
                   const MatchRules& rules);

}  // namespace gradus::wheels

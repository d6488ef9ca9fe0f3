/// Fields and robots of wheeled soccer. Numbers: FIRA rules and FIRASim's parameter file (docs/planar_wheels.md, sec.
/// 8).
#pragma once
#include "wheels/model.h"

namespace gradus::wheels {

enum class League { three_a_side, five_a_side, eleven_a_side };

struct LeagueNumbers {
  int team_size;
  double length, width;           // [m]
  double goal_width, goal_depth;  // [m]
  double corner;                  // leg of the 45° corner blocks [m]
  double centre_radius;           // centre circle
  double area_width, area_depth;  // goal area
  double penalty_mark;            // from the goal line
};
LeagueNumbers league_numbers(League league);

/// Rectangle with two goals and four corner blocks: eight walls (side walls, goal backs, corners) and four blocks (the
/// end walls beside the goals; their inner corners are the posts, their flanks the sides of the goals).
Field soccer_field(const LeagueNumbers& n);

/// Twice the team of identical robots on a league's field.
enum class Preset { realistic, firasim };
WheelsParameters league_parameters(League league, Preset preset = Preset::realistic);

}  // namespace gradus::wheels

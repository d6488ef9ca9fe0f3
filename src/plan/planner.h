/// A way of stances from start to goal: RRT-Connect [Kuffner, LaValle 2000] over poses (x, y, yaw) of the base.
///
/// One tree grows from the start, one from the goal. A random pose is drawn; the tree whose turn it is grows one step towards it from its nearest stance, by at most
/// `stride` and `turn`; the other tree then grows towards the new stance until it arrives or is stopped. A step is an edge if the robot can take it in the
/// direction in which it will be walked [walker.h (2)]. Then the way is shortened: two of its stances, drawn at random, are joined straight if the steps
/// between them are sound and cost less,
///   cost of a step = 1 + weight · Σ costs of its footholds                                                     (1)
/// Random numbers are addressed by (seed, draw); the effort is bounded by steps that are tried, not by time. So equal questions have equal answers.
#pragma once
#include <optional>
#include <vector>

#include "plan/walker.h"

namespace gradus::plan {

struct PlanSettings {
  double stride = 0.08;     // longest step of the base                                              [m]
  double turn = 0.2;        //                                                                       [rad]
  double near = 0.03;       // the goal is reached within                                            [m]
  double weight = 0.2;      // of footholds in (1)
  int most_steps = 20000;   // that are tried
  int shortcuts = 60;       // that are tried
  std::uint64_t seed = 1;
};

struct Plan {
  std::vector<Stance> way;  // from the start to the goal
  int tried = 0;            // steps
  int stances = 0;          // of both trees
  bool found = false;
};

/// Metres that a radian of turning counts for.
inline constexpr double kTurnLength = 0.25;
double distance_of(const Place2& a, const Place2& b);

/// start: as the robot stands. goal: without a yaw any will do.
Plan make_plan(Walker& walker, const Stance& start, Vec3 goal, std::optional<double> yaw, const PlanSettings& settings);

/// What the planner must see to go from a to b.
MapArea area_between(Vec3 a, Vec3 b);

}  // namespace gradus::plan

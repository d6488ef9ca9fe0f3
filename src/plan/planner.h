/// A way of stances from start to goal: RRT-Connect [Kuffner, LaValle 2000] over poses (x, y, yaw) of the base.
///
/// The search is OMPL's. Poses are as far apart as the steps that lie between them at least,
///   d(a, b) = max(|Δp|/stride, |Δyaw|/turn)                                                                    (1)
/// so trees grow by steps, one from the start, one from the goal. A step is an edge if the robot can take it in the direction in which it will be walked
/// [walker.h (2)]. Then the way is shortened: two of its stances, drawn at random, are joined straight if the steps between them are sound and cost less,
///   cost of a step = 1 + weight · Σ costs of its footholds                                                     (2)
/// A plan is part of a run that repeats bit for bit. So what OMPL would draw from its random numbers, one seed for the whole process, is ours: poses
/// are drawn by (seed, draw), the nearest stance is looked for among all, and the effort is bounded by steps that are tried, not by time.
#pragma once
#include <optional>
#include <vector>

#include "plan/walker.h"

namespace gradus::plan {

struct PlanSettings {
  double stride = 0.08;     // longest step of the base                                              [m]
  double turn = 0.2;        //                                                                       [rad]
  double near = 0.03;       // the goal is reached within                                            [m]
  double weight = 0.2;      // of footholds in (2)
  int most_steps = 20000;   // that are tried
  int shortcuts = 60;       // that are tried
  std::uint64_t seed = 1;
};

struct Plan {
  std::vector<Stance> way;  // from the start to the goal
  int tried = 0;            // steps
  int stances = 0;          // that were looked at
  bool found = false;
};

/// start: as the robot stands. goal: without a yaw any will do.
Plan make_plan(Walker& walker, const Stance& start, Vec3 goal, std::optional<double> yaw, const PlanSettings& settings);

/// What the planner must see to go from a to b.
MapArea area_between(Vec3 a, Vec3 b);

}  // namespace gradus::plan

/// OMPL's RRT-Connect over poses of a base on legs: what a pose, a step and a random draw are [planner.h].
#pragma once
#include <vector>

#include "plan/planner.h"

namespace gradus::plan {

/// [planner.h (1)]
double steps_between(const Place2& a, const Place2& b, const PlanSettings& settings);
/// share = 0: a, 1: b, turning the shorter way.
Place2 part_of_way(const Place2& a, const Place2& b, double share);

/// Fills plan.way, tried, stances and found.
void search_poses(Walker& walker, const Stance& start, const std::vector<Stance>& goals, const PlanSettings& settings, Plan& plan);

}  // namespace gradus::plan

/// A2 for the ground: which contact points of a robot will touch the half-space in this step. Full collision detection
/// (issue 3) adds its contacts to the same list.
#pragma once
#include "state/access.h"

namespace gradus {

struct GroundPoints {
  static constexpr Access access{.reads = Field::q | Field::v | Field::frames | Field::memory,
                                 .writes = Field::contacts};
  /// Fills contacts with every point that would be inside the ground after falling freely for one step.
  static void find(View<access> view, double h);
};

}  // namespace gradus

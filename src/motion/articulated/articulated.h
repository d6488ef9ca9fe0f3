/// Level 3: base and joints under torques. Articulated-body algorithm with linearly implicit servos, stops and
/// contacts. Assumes rigid links and ideal gears; shows everything the drives and contacts can produce.
/// docs/motion_articulated.md
#pragma once
#include "state/motion.h"

namespace gradus {

struct Articulated {
  static constexpr std::string_view name = "articulated";
  static constexpr int level = 3;
  static constexpr Access access{.reads = Field::q | Field::v | Field::target | Field::frames | Field::contacts |
                                          Field::drive | Field::acc | Field::impulse,
                                 .writes = Field::q | Field::v | Field::r | Field::acc | Field::impulse};
  static MotionNeeds bind(const RobotKind& kind);
  static void enter(View<access>, double) {}
  static void predict(View<access> view, double h);
  static void respond(View<access> view);
  static void response(View<access> view, std::span<const int> links, Response* out);
  static void commit(View<access> view, double h);
};

}  // namespace gradus

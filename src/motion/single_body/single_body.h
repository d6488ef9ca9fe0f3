/// Level 1: the robot as one rigid body with its present common centre of mass and inertia [MuRoSimF 2009, 4.2]. The joints
/// follow their targets; their motion moves contact points but does not push back. Cannot show reactions to joint
/// motion. Private state: steps left to catch up with the targets. docs/motion_single_body.md
#pragma once
#include "state/motion.h"

namespace gradus {

struct SingleBody {
  static constexpr std::string_view name = "single_body";
  static constexpr int level = 1;
  static constexpr Access access{.reads = Field::q | Field::v | Field::z | Field::target | Field::frames |
                                          Field::contacts | Field::acc | Field::impulse,
                                 .writes = Field::q | Field::v | Field::z | Field::r | Field::acc | Field::impulse};
  static MotionNeeds bind(const RobotKind& kind);
  static void enter(View<access> view, double h);
  static void predict(View<access> view, double h);
  static void respond(View<access> view);
  static void response(View<access> view, std::span<const int> links, Response* out);
  static void commit(View<access> view, double h);
};

}  // namespace gradus

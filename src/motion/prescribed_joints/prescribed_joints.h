/// Level 2: the joints follow their targets, whatever torque that takes; the base moves with the full effect of that
/// motion [MuRoSimF 2009, 4.3: first six rows of the equations of motion]. Cannot show servo limits. Private state: steps
/// left to catch up with the targets. docs/motion_prescribed_joints.md
#pragma once
#include "state/motion.h"

namespace gradus {

struct PrescribedJoints {
  static constexpr std::string_view name = "prescribed_joints";
  static constexpr int level = 2;
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

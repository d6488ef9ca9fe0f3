/// Level 0: walking without dynamics [MuRoSimF 2009, 4.1]. The standing foot stays where it is on the ground, flat; the
/// base follows from the joints; when another foot gets below the standing one, it takes over. Cannot fall or slide.
/// Private state: number of the standing foot, its pose (position 3, quaternion 4), whether it was just put down; steps
/// left to catch up with the targets. docs/motion_kinematic_walk.md
#pragma once
#include "state/motion.h"

namespace gradus {

struct KinematicWalk {
  static constexpr std::string_view name = "kinematic_walk";
  static constexpr int level = 0;
  static constexpr Access access{.reads = Field::q | Field::v | Field::z | Field::target | Field::frames | Field::acc,
                                 .writes = Field::q | Field::v | Field::z | Field::r | Field::acc | Field::impulse};
  static constexpr PrivateProperty properties[] = {
      {"standing_foot", "", "number of the foot that stands", 0},
      {"foot_x", "m", "where it stands", 1},
      {"foot_y", "m", "where it stands", 2},
      {"foot_z", "m", "where it stands", 3},
  };
  static MotionNeeds bind(const RobotKind& kind);
  static void enter(View<access> view, double h);
  static void predict(View<access> view, double h);
  static void respond(View<access> view);
  static void response(View<access> view, std::span<const int> links, Response* out);
  static void commit(View<access> view, double h);
};

}  // namespace gradus

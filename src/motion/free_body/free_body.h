/// A ball, a box: one rigid body without joints. Free flight is exact in position and angular momentum.
/// docs/motion_free_body.md
#pragma once
#include "state/motion.h"

namespace gradus {

struct FreeBody {
  static constexpr std::string_view name = "free_body";
  static constexpr int level = -1;
  static constexpr Access access{
      .reads = Field::q | Field::v | Field::target | Field::frames | Field::contacts | Field::acc | Field::impulse,
      .writes = Field::q | Field::v | Field::r | Field::acc | Field::impulse};
  static MotionNeeds bind(const RobotKind& kind);
  static void enter(View<access>, double) {}
  static void predict(View<access> view, double h);
  static void respond(View<access> view);
  static void response(View<access> view, std::span<const int> links, Response* out);
  static void commit(View<access> view, double h);
};

}  // namespace gradus

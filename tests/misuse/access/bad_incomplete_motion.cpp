// expect: constraints not satisfied|constraint failure
// A motion without respond is no MotionAlgorithm.
#include "state/motion.h"

namespace gradus {
struct Incomplete {
  static constexpr std::string_view name = "incomplete";
  static constexpr int level = -1;
  static constexpr Access access{};
  static MotionNeeds bind(const RobotKind&) { return {}; }
  static void enter(View<access>, double) {}
  static void predict(View<access>, double) {}
  static void commit(View<access>, double) {}
};
constexpr MotionTable kTable = motion_table<Incomplete>();
}  // namespace gradus

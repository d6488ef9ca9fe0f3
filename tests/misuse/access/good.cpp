// An algorithm that keeps to what it declares compiles.
#include "state/motion.h"

namespace gradus {
struct Good {
  static constexpr std::string_view name = "good";
  static constexpr int level = -1;
  static constexpr Access access{.reads = Field::q | Field::v, .writes = Field::v};
  static MotionNeeds bind(const RobotKind&) { return {}; }
  static void enter(View<access>, double) {}
  static void predict(View<access> view, double h) { view.v_next()[0] = view.v()[0] + h * view.q()[0]; }
  static void respond(View<access>) {}
  static void response(View<access>, std::span<const int>, Response*) {}
  static void commit(View<access>, double) {}
};
constexpr MotionTable kTable = motion_table<Good>();
static_assert(kTable.level == -1);
}  // namespace gradus

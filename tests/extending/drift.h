/// A motion in one file, as docs/extending.md walks through it: a body that glides with the velocity it has. No gravity, no
/// contact; impulses change nothing, since its mass is infinite.
#pragma once
#include <algorithm>

#include "motion/root.h"
#include "state/motion.h"

namespace gradus {

struct Drift {
  static constexpr std::string_view name = "drift";
  static constexpr int level = -1;
  static constexpr Access access{.reads = Field::q | Field::v, .writes = Field::q | Field::v | Field::r | Field::acc | Field::impulse};

  static MotionNeeds bind(const RobotKind& kind) {
    MotionNeeds n;
    n.uses_contacts = n.uses_drives = false;
    n.infinite_mass = true;
    if (kind.njoint() > 0) n.missing.push_back("a single rigid body: this robot has joints");
    return n;
  }
  static void enter(View<access>, double) {}
  static void predict(View<access> view, double) { view.acc_out()[0] = zero6<double>(); }
  static void respond(View<access> view) { view.dV()[0] = zero6<double>(); }
  static void response(View<access>, std::span<const int> links, Response* out) {
    std::fill_n(out, links.size() * links.size(), Response{});
  }
  /// q⁺ = q + h v; it does not turn
  static void commit(View<access> view, double h) {
    std::copy_n(view.q(), 7, view.q_next());
    std::copy_n(view.v(), 6, view.v_next());
    for (int i = 0; i < 3; ++i) view.q_next()[i] += h * view.v()[3 + i];
    std::fill_n(view.r_next(), 6, 0.0);
  }
};
static_assert(MotionAlgorithm<Drift>);

}  // namespace gradus

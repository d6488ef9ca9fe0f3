#include "engine/link_forces.h"

namespace gradus {
namespace {

void add(std::vector<sense::LinkForce>& out, const sense::LinkForce& f) {
  if (out.size() < out.capacity()) out.push_back(f);
}

}  // namespace

void find_link_forces(const RobotContext& c, int number, std::span<const MovingContact> contacts, double h,
                      std::vector<sense::LinkForce>& out) {
  out.clear();
  each_static_touch<true>(c, [&](const StaticTouch& t) { add(out, {t.link, t.p_WC, t.f_W, true}); });
  for (const MovingContact& x : contacts) {
    const Vec3 force = x.impulse * (1 / h);
    if (x.robot_a == number) add(out, {x.link_a, x.point, force, !x.held});
    if (x.robot_b == number) add(out, {x.link_b, x.point, Vec3{0, 0, 0} - force, !x.held});
  }
}

std::size_t most_link_forces(const RobotKind& kind, const RobotLayout& at, std::size_t contacts) {
  return kind.points.size() + static_cast<std::size_t>(at.field_size) + 2 * contacts;
}

}  // namespace gradus

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
  const RobotKind& kind = *c.kind;
  const RobotScratch& room = *c.s;
  const Vec3 root = base_position(c.now + c.at.q);
  const auto place = [&](int link, Vec3 p_L) {
    const Frame& f = room.frames[static_cast<std::size_t>(link)];
    return root + f.p + f.R * p_L;
  };
  const auto* memory = reinterpret_cast<const ContactMemory*>(c.now + c.at.contact);
  const Plane& ground = *c.ground;
  for (std::size_t i = 0; i < kind.points.size(); ++i) {
    const ContactPoint& p = kind.points[i];
    const ContactMemory& m = memory[i];
    if (m.fn > 0)
      add(out, {p.link, place(p.link, p.p_BC) - ground.n * p.radius,
                ground.n * m.fn - ground.t1 * (m.s1 * p.kt) - ground.t2 * (m.s2 * p.kt)});
  }
  for (int i = 0; i < room.contact_count; ++i) {
    const StaticContact& x = room.contacts[static_cast<std::size_t>(i)];
    const int field = x.point - static_cast<int>(kind.points.size());
    if (field < 0) continue;
    const FieldContact& f = room.field[static_cast<std::size_t>(field)];
    if (f.m.fn > 0)
      add(out, {x.link, place(x.link, f.p_L),
                f.n * f.m.fn - f.t1 * (f.m.s1 * f.law.kt) - f.t2 * (f.m.s2 * f.law.kt)});
  }
  for (const MovingContact& x : contacts) {
    const Vec3 force = x.impulse * (1 / h);
    if (x.robot_a == number) add(out, {x.link_a, x.point, force});
    if (x.robot_b == number) add(out, {x.link_b, x.point, Vec3{0, 0, 0} - force});
  }
}

std::size_t most_link_forces(const RobotKind& kind, const RobotLayout& at, std::size_t contacts) {
  return kind.points.size() + static_cast<std::size_t>(at.field_size) + 2 * contacts;
}

}  // namespace gradus

/// Contact forces on a robot's links in the last step, wherever they came from: ground plane, field, other robots, itself.
/// The one walk through the contacts of the three rooms; sensors and people look through it.
#pragma once
#include <span>
#include <vector>

#include "contact/contacts.h"
#include "contact/find/static_world.h"
#include "sense/sense.h"

namespace gradus {

/// A contact with the static world that pressed in the last step.
struct StaticTouch {
  int link;
  int point;       // of the robot's outline, on the ground plane; −1: a shape on another object
  int solid;       // number of that object among the static solids; −1: the ground plane
  Vec3 p_WC, f_W;  // where, and the force on the robot                 [m], [N]
};

/// Calls visit(StaticTouch) for each, those on the ground plane first. The state must have been looked at.
template <class Visit>
void each_static_touch(const RobotContext& c, const Visit& visit) {
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
      visit(StaticTouch{p.link, static_cast<int>(i), -1, place(p.link, p.p_BC) - ground.n * p.radius,
                        ground.n * m.fn - ground.t1 * (m.s1 * p.kt) - ground.t2 * (m.s2 * p.kt)});
  }
  for (int i = 0; i < room.contact_count; ++i) {
    const StaticContact& x = room.contacts[static_cast<std::size_t>(i)];
    const int field = x.point - static_cast<int>(kind.points.size());
    if (field < 0) continue;
    const FieldContact& f = room.field[static_cast<std::size_t>(field)];
    if (f.m.fn > 0)
      visit(StaticTouch{x.link, -1, solid_of(f.pair), place(x.link, f.p_L),
                        f.n * f.m.fn - f.t1 * (f.m.s1 * f.law.kt) - f.t2 * (f.m.s2 * f.law.kt)});
  }
}

/// Replaces the list; allocates nothing beyond its capacity. The state must have been looked at.
void find_link_forces(const RobotContext& robot, int number, std::span<const MovingContact> contacts, double h,
                      std::vector<sense::LinkForce>& out);
/// How long the list may become.
std::size_t most_link_forces(const RobotKind& kind, const RobotLayout& at, std::size_t contacts);

}  // namespace gradus

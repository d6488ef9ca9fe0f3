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

/// Friction of the last step: the sticking spring's k_t s, and of the law `compliant` its damper d_t u too, where that is
/// known; a point that slides has μ f_n at most [contact/law/compliant.h (2), (5)]. spring: k_t s; u: of the point now.
inline Vec3 friction_of(Vec3 spring, const ContactPoint& law, const ContactMemory& m, Vec3 n, const Vec3* u) {
  if (u == nullptr) return spring * -1.0;
  const Vec3 t = spring + (*u - n * dot(*u, n)) * law.dt;
  const double size = norm(t), most = law.friction * m.fn;
  return t * (m.sliding > 0 && size > most ? -most / size : -1.0);
}

/// Calls visit(StaticTouch) for each, those on the ground plane first. The state must have been looked at; damped: with
/// velocities, as those robots are that have sensors.
template <bool damped = false, class Visit>
void each_static_touch(const RobotContext& c, const Visit& visit) {
  const RobotKind& kind = *c.kind;
  const RobotScratch& room = *c.s;
  const Vec3 root = base_position(c.now + c.at.q);
  const auto place = [&](int link, Vec3 p_L) {
    const Frame& f = room.frames[static_cast<std::size_t>(link)];
    return root + f.p + f.R * p_L;
  };
  const bool knows_damping = damped && c.contact->law == "compliant";
  const Vec3 v0 = base_velocity(c.now + c.at.v);
  const auto friction = [&](Vec3 spring, const ContactPoint& law, const ContactMemory& m, Vec3 n, int link, Vec3 p_WC) {
    const Vec3 u = knows_damping ? v0 + velocity_at(room.frames[static_cast<std::size_t>(link)].V, p_WC - root) : Vec3{0, 0, 0};
    return friction_of(spring, law, m, n, knows_damping ? &u : nullptr);
  };
  const auto* memory = reinterpret_cast<const ContactMemory*>(c.now + c.at.contact);
  const Plane& ground = *c.ground;
  for (std::size_t i = 0; i < kind.points.size(); ++i) {
    const ContactPoint& p = kind.points[i];
    const ContactMemory& m = memory[i];
    if (!(m.fn > 0)) continue;
    const Vec3 at = place(p.link, p.p_BC) - ground.n * p.radius;
    const Vec3 spring = ground.t1 * (m.s1 * p.kt) + ground.t2 * (m.s2 * p.kt);
    visit(StaticTouch{p.link, static_cast<int>(i), -1, at, ground.n * m.fn + friction(spring, p, m, ground.n, p.link, at)});
  }
  for (int i = 0; i < room.contact_count; ++i) {
    const StaticContact& x = room.contacts[static_cast<std::size_t>(i)];
    const int field = x.point - static_cast<int>(kind.points.size());
    if (field < 0) continue;
    const FieldContact& f = room.field[static_cast<std::size_t>(field)];
    if (!(f.m.fn > 0)) continue;
    const Vec3 at = place(x.link, f.p_L), spring = f.t1 * (f.m.s1 * f.law.kt) + f.t2 * (f.m.s2 * f.law.kt);
    visit(StaticTouch{x.link, -1, solid_of(f.pair), at, f.n * f.m.fn + friction(spring, f.law, f.m, f.n, x.link, at)});
  }
}

/// Replaces the list; allocates nothing beyond its capacity. The state must have been looked at.
void find_link_forces(const RobotContext& robot, int number, std::span<const MovingContact> contacts, double h,
                      std::vector<sense::LinkForce>& out);
/// How long the list may become.
std::size_t most_link_forces(const RobotKind& kind, const RobotLayout& at, std::size_t contacts);

}  // namespace gradus

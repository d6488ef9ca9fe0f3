#include "world/touches.h"

namespace gradus {

int first_body_on(const RobotKind& kind, int link) {
  for (std::size_t o = 0; o < kind.objects.size(); ++o)
    if (kind.objects[o].body && kind.objects[o].link == link) return static_cast<int>(o);
  return -1;
}

namespace {

/// Points of the robot's outline that the ground plane carries, body by body.
void add_ground_points(const World& w, int robot, const RobotKind& kind, std::vector<Touch>& out) {
  const Plane& ground = w.model().ground;
  const auto memory = w.contact_memory(robot);
  for (std::size_t o = 0; o < kind.objects.size(); ++o) {
    if (!kind.objects[o].body) continue;
    const int link = kind.objects[o].link;
    for (int i = kind.point_begin[static_cast<std::size_t>(link)];
         i < kind.point_begin[static_cast<std::size_t>(link) + 1]; ++i) {
      const ContactPoint& p = kind.points[static_cast<std::size_t>(i)];
      const ContactMemory& m = memory[static_cast<std::size_t>(i)];
      if (m.fn <= 0 || p.object != static_cast<int>(o)) continue;
      out.push_back({robot, link, static_cast<int>(o), -1, -1, kGroundPlane,
                     w.X_WL(robot, link) * p.p_BC - ground.n * p.radius,
                     ground.n * m.fn - ground.t1 * (m.s1 * p.kt) - ground.t2 * (m.s2 * p.kt)});
    }
  }
}

/// Contacts with terrain, posts and whatever else stands on the field.
void add_field(const World& w, int robot, const RobotKind& kind, std::vector<Touch>& out) {
  const RobotScratch& room = w.scratch(robot);
  const int point_count = static_cast<int>(kind.points.size());
  for (int i = 0; i < room.contact_count; ++i) {
    const StaticContact& c = room.contacts[static_cast<std::size_t>(i)];
    if (c.point < point_count) continue;
    const FieldContact& f = room.field[static_cast<std::size_t>(c.point - point_count)];
    if (f.m.fn <= 0) continue;
    const int object = w.statics().solids()[static_cast<std::size_t>(solid_of(f.pair))].object;
    out.push_back({robot, c.link, first_body_on(kind, c.link), -1, -1, object, w.X_WL(robot, c.link) * f.p_L,
                   f.n * f.m.fn - f.t1 * (f.m.s1 * f.law.kt) - f.t2 * (f.m.s2 * f.law.kt)});
  }
}

}  // namespace

void find_touches(const World& w, std::vector<Touch>& out) {
  out.clear();
  const auto kind_of = [&](int r) -> const RobotKind& { return *w.model().robots[static_cast<std::size_t>(r)].kind; };
  for (int r = 0; r < w.robot_count(); ++r) {
    add_ground_points(w, r, kind_of(r), out);
    add_field(w, r, kind_of(r), out);
  }
  for (const MovingContact& c : w.contacts()) {
    const Vec3 force = c.impulse * (1 / w.model().step);
    if (!(norm(force) > 0)) continue;
    const bool moving = c.robot_b >= 0;
    out.push_back({c.robot_a, c.link_a, first_body_on(kind_of(c.robot_a), c.link_a), c.robot_b, moving ? c.link_b : -1,
                   moving ? first_body_on(kind_of(c.robot_b), c.link_b) : c.link_b, c.point, force});
  }
}

}  // namespace gradus

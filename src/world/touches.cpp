#include "world/touches.h"

#include "engine/link_forces.h"

namespace gradus {

int first_body_on(const RobotKind& kind, int link) {
  for (std::size_t o = 0; o < kind.objects.size(); ++o)
    if (kind.objects[o].body && kind.objects[o].link == link) return static_cast<int>(o);
  return -1;
}

void find_touches(const World& w, std::vector<Touch>& out) {
  out.clear();
  const auto kind_of = [&](int r) -> const RobotKind& { return *w.model().robots[static_cast<std::size_t>(r)].kind; };
  for (int r = 0; r < w.robot_count(); ++r) {
    const RobotKind& kind = kind_of(r);
    each_static_touch(w.engine().context(r), [&](const StaticTouch& t) {
      const bool plane = t.solid < 0;
      const int object = plane ? kind.points[static_cast<std::size_t>(t.point)].object : first_body_on(kind, t.link);
      const int other = plane ? kGroundPlane : w.statics().solids()[static_cast<std::size_t>(t.solid)].object;
      out.push_back({r, t.link, object, -1, -1, other, t.p_WC, t.f_W});
    });
  }
  for (const MovingContact& c : w.contacts()) {
    const Vec3 force = c.impulse * (1 / w.model().step);
    if (c.held || !(norm(force) > 0)) continue;
    const bool moving = c.robot_b >= 0;
    out.push_back({c.robot_a, c.link_a, first_body_on(kind_of(c.robot_a), c.link_a), c.robot_b, moving ? c.link_b : -1,
                   moving ? first_body_on(kind_of(c.robot_b), c.link_b) : c.link_b, c.point, force});
  }
}

}  // namespace gradus

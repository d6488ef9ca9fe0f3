#include "cli/frame_contacts.h"

#include "world/touches.h"

namespace gradus::cli {

void fill_contacts(const World& world, std::span<const FrameBody> bodies, view::Frame& frame) {
  frame.contacts.clear();
  /// Number of a body in frames; 0 for links without one, which nothing can touch.
  const auto number_of = [&](int robot, int object) -> std::uint16_t {
    for (std::size_t b = 0; b < bodies.size(); ++b)
      if (bodies[b].robot == robot && bodies[b].object == object) return static_cast<std::uint16_t>(b);
    return 0;
  };
  std::vector<Touch> touches;
  find_touches(world, touches);
  for (const Touch& t : touches)
    frame.contacts.push_back({t.point, t.force, number_of(t.robot, t.object),
                              t.other_robot < 0 ? view::kStaticWorld : number_of(t.other_robot, t.other_object)});
  for (int r = 0; r < world.robot_count(); ++r) {
    const World::Push p = world.push(r);
    if (p.link < 0) continue;
    const int object = first_body_on(*world.model().robots[static_cast<std::size_t>(r)].kind, p.link);
    frame.contacts.push_back({world.X_WL(r, p.link) * p.p_L, p.force, number_of(r, object), view::kUserPush});
  }
}

}  // namespace gradus::cli

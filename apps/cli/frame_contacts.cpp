#include "cli/frame_contacts.h"

#include "contact/contact_set.h"

namespace gradus::cli {

void fill_contacts(const World& world, std::span<const FrameBody> bodies, view::Frame& frame) {
  frame.contacts.clear();
  /// Number of a body in frames; 0 for links without one, which nothing can touch.
  const auto number_of = [&](int robot, int object) -> std::uint16_t {
    for (std::size_t b = 0; b < bodies.size(); ++b)
      if (bodies[b].robot == robot && bodies[b].object == object) return static_cast<std::uint16_t>(b);
    return 0;
  };
  world.contacts().each([&](const Touch& t) {
    if (t.loop || !(t.normal_force > 0)) return;
    frame.contacts.push_back({t.point, t.force, number_of(t.robot, t.object),
                              t.other_robot < 0 ? view::kStaticWorld : number_of(t.other_robot, t.other_object)});
  });
  const auto body_on = [&](int robot, int link) {
    const std::vector<ObjectInfo>& objects = world.model().robots[static_cast<std::size_t>(robot)].kind->objects;
    for (std::size_t o = 0; o < objects.size(); ++o)
      if (objects[o].body && objects[o].link == link) return static_cast<int>(o);
    return -1;
  };
  for (int r = 0; r < world.robot_count(); ++r) {
    const World::Push p = world.push(r);
    if (p.link < 0) continue;
    frame.contacts.push_back({world.X_WL(r, p.link) * p.p_L, p.force, number_of(r, body_on(r, p.link)), view::kUserPush});
  }
}

}  // namespace gradus::cli

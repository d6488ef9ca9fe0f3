#include "cli/hand_watch.h"

#include <algorithm>
#include <cstdio>

namespace gradus::cli {

HandWatch::HandWatch(const World& world) {
  for (int r = 0; r < world.robot_count(); ++r)
    seen_.push_back({world.model().robots[static_cast<std::size_t>(r)].name, std::string(world.motion(r).name)});
}

void HandWatch::look(const World& world, std::vector<view::Event>& events) {
  for (int r = 0; r < world.robot_count(); ++r) {
    Seen& s = seen_[static_cast<std::size_t>(r)];
    look_at_push(world, r, events);
    if (s.motion == world.motion(r).name) continue;
    s.motion = world.motion(r).name;
    events.push_back({static_cast<std::uint64_t>(world.k()), world.time(), "level", s.name + " → " + s.motion, r});
  }
}

void HandWatch::look_at_push(const World& world, int robot, std::vector<view::Event>& events) {
  Seen& s = seen_[static_cast<std::size_t>(robot)];
  const World::Push push = world.push(robot);
  const bool was_pushed = s.pushed;
  s.pushed = push.link >= 0;
  if (was_pushed && !s.pushed) events.push_back(told(s, robot));
  if (!s.pushed) return;
  if (!was_pushed) s.k = world.k(), s.time = world.time(), s.strongest = 0;
  s.strongest = std::max(s.strongest, norm(push.force));
}

void HandWatch::finish(std::vector<view::Event>& events) {
  for (std::size_t r = 0; r < seen_.size(); ++r)
    if (seen_[r].pushed) events.push_back(told(seen_[r], static_cast<int>(r)));
}

view::Event HandWatch::told(const Seen& s, int robot) {
  char text[64];
  std::snprintf(text, sizeof text, " pushed by hand, at most %.1f N", s.strongest);
  return {static_cast<std::uint64_t>(s.k), s.time, "push", s.name + text, robot};
}

}  // namespace gradus::cli

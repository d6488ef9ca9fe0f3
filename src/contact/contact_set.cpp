#include "contact/contact_set.h"

namespace gradus {

double ContactSet::load(int robot, int link) const {
  const RobotContext& c = *robots_[static_cast<std::size_t>(robot)];
  const auto* memory = reinterpret_cast<const ContactMemory*>(c.now + c.at.contact);
  const std::vector<int>& begin = c.kind->point_begin;
  double sum = 0;
  for (int k = begin[static_cast<std::size_t>(link)]; k < begin[static_cast<std::size_t>(link) + 1]; ++k) sum += memory[k].fn;
  const auto add = [&](const Touch& t) {
    if (t.link == link && t.other_robot < 0) sum += t.normal_force;
  };
  on_field(robot, c, add);
  moving_.each_of(robot, [&](const MovingContact& m, bool from_b) { add(seen(m, from_b)); });
  return sum;
}

}  // namespace gradus

// Groups in the step of a World: predict before the robots' own, commit after coupling; and what can be changed between
// steps.
#include <algorithm>
#include <cmath>

#include "session/world.h"

namespace gradus {

void World::move_groups(bool timed) {
  if (groups_.empty()) return;
  const double t0 = timed ? clock_() : 0;
  groups_.predict(contexts_, state_[0].slab.data(), state_[1].slab.data(), model_.step);
  if (!timed) return;
  int members = 0;
  for (const GroupModel& g : model_.groups) members += static_cast<int>(g.members.size());
  group_us_ = maximum(clock_() - t0 - clock_cost_, 0.0) * 1e6 / members;
}

void World::finish_groups() {
  if (groups_.empty()) return;
  groups_.commit(contexts_, state_[0].slab.data(), state_[1].slab.data(), model_.step, state_[0].k);
  for (const GroupModel& g : model_.groups)
    for (const int robot : g.members) finish(robot);
}

void World::adopt(int robot) {
  const int group = model_.robots[static_cast<std::size_t>(robot)].group;
  if (group >= 0) groups_.adopt(contexts_, group, robot, state_[0].slab.data(), model_.step);
}

PlaceResult World::place(int robot, const PlaceWish& wish) {
  const int group = model_.robots[static_cast<std::size_t>(robot)].group;
  if (group < 0) return {};
  const PlaceResult result = groups_.place(contexts_, group, robot, wish, state_[0].slab.data(), model_.step);
  refresh(robot);
  return result;
}

void World::set_section_value(int group, int index, double value) {
  groups_.section(group, state_[0].slab.data())[static_cast<std::size_t>(index)] = value;
}

GroupOutput World::output_of_group(int group) const {
  return {&model_,       &groups_.model(group), k(), time(), groups_.look(group, time(), state_[0].slab.data()),
          section(group)};
}

void World::add_group_controller(int group, std::unique_ptr<GroupController> controller, double period) {
  GroupControllerSlot c{group, std::move(controller), 1, {}};
  c.period = std::max<std::int64_t>(1, std::llround(period / model_.step));
  for (const int robot : groups_.model(group).members) c.commands.push_back({targets(robot), {}});
  group_controllers_.push_back(std::move(c));
}

}  // namespace gradus

// Groups of a World [state/group.h]: what can be seen and changed between steps.
#include "world/world.h"

namespace gradus {

PlaceResult World::place(int robot, const PlaceWish& wish) {
  const PlaceResult result = engine_->place(robot, wish, state_[0], input_);
  placements_.moved += result.placed && result.moved > 0;
  placements_.refused += !result.placed;
  refresh(robot);
  return result;
}

void World::set_section_value(int group, int index, double value) {
  groups().section(group, state_[0].slab.data())[static_cast<std::size_t>(index)] = value;
}

GroupOutput World::output_of_group(int group, std::vector<Sight>& room) const {
  return {&model_,       &groups().model(group), k(), time(), groups().look(group, state_[0], model_.step, room),
          section(group)};
}

void World::add_group_controller(int group, std::unique_ptr<GroupController> controller, double period) {
  GroupControllerSlot c{group, std::move(controller), Rate(period, 0, model_.step), {}, {}};
  for (const int robot : groups().model(group).members) c.commands.push_back(command(robot));
  output_of_group(group, c.room);  // makes room
  group_controllers_.push_back(std::move(c));
}

}  // namespace gradus

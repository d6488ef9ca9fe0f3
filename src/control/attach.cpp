#include "control/attach.h"

#include "control/keyframes.h"

namespace gradus {

std::string Controllers::failure() const {
  for (const LibraryController* c : libraries)
    if (!c->failure().empty()) return c->failure();
  return "";
}

Result<Controllers> attach_controllers(World& world) {
  Controllers out;
  Diagnostics problems;
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotModel& robot = world.model().robots[static_cast<std::size_t>(r)];
    const ControllerSpec& c = robot.controller;
    if (c.kind == "keyframes") {
      auto motion = load_motion(c.file);
      if (motion) world.add_controller(r, std::make_unique<Keyframes>(*motion, *robot.kind, c.loop, c.start), c.period, c.start);
      else problems.insert(problems.end(), motion.notes().begin(), motion.notes().end());
    } else if (c.kind == "library") {
      auto library = LibraryController::load(c.file, robot.name, *robot.kind, c.period, c.options, c.place);
      if (library) {
        out.libraries.push_back(library->get());
        world.add_controller(r, std::move(*library), c.period, c.start);
      } else {
        problems.insert(problems.end(), library.notes().begin(), library.notes().end());
      }
    }
  }
  if (has_errors(problems)) return problems;
  return out;
}

}  // namespace gradus

#include "control/attach.h"

#include "control/keyframes.h"
#include "control/walk/walk_controller.h"
#include "control/wheels_team.h"

namespace gradus {

std::string Controllers::failure() const {
  for (const LibraryController* c : libraries)
    if (!c->failure().empty()) return c->failure();
  for (const ProcessController* c : processes)
    if (!c->failure().empty()) return c->failure();
  return "";
}

namespace {

/// Teams that the built-in strategy plays, once per picture.
void attach_teams(World& world) {
  for (int g = 0; g < world.groups().count(); ++g) {
    const GroupModel& group = world.groups().model(g);
    const double period = group.spec.camera ? group.spec.camera->period : 1.0 / 60;
    for (const bool yellow : {false, true})
      if ((yellow ? group.spec.yellow : group.spec.blue) == "strategy")
        world.add_group_controller(g, std::make_unique<control::WheelsTeam>(world.model(), group, yellow), period);
  }
}

std::unique_ptr<Controller> make_walk(const World& world, const RobotModel& robot, Diagnostics& problems) {
  const ControllerSpec& c = robot.controller;
  const auto file = load_walk(c.file);
  problems.insert(problems.end(), file.notes().begin(), file.notes().end());
  if (!file) return nullptr;
  auto walk = walk::WalkController::make(*file, robot.kind, norm(world.model().gravity), c.program,
                                         {c.stabilise, c.steer, c.start});
  problems.insert(problems.end(), walk.notes().begin(), walk.notes().end());
  return walk ? std::move(*walk) : nullptr;
}

}  // namespace

Result<Controllers> attach_controllers(World& world) {
  Controllers out;
  Diagnostics problems;
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotModel& robot = world.model().robots[static_cast<std::size_t>(r)];
    const ControllerSpec& c = robot.controller;
    if (c.kind == "keyframes") {
      auto motion = load_motion(c.file);
      if (motion)
        world.add_controller(r, std::make_unique<Keyframes>(*motion, *robot.kind, c.loop, c.start), c.period, c.start);
      else
        problems.insert(problems.end(), motion.notes().begin(), motion.notes().end());
    } else if (c.kind == "walk") {
      auto controller = make_walk(world, robot, problems);
      if (controller) world.add_controller(r, std::move(controller), c.period, c.start);
    } else if (c.kind == "library") {
      auto library = LibraryController::load(c.file, robot.name, *robot.kind, c.period, c.options, c.place);
      if (library) {
        out.libraries.push_back(library->get());
        world.add_controller(r, std::move(*library), c.period, c.start);
      } else {
        problems.insert(problems.end(), library.notes().begin(), library.notes().end());
      }
    } else if (c.kind == "process") {
      auto process = ProcessController::start(c.file, robot.name, *robot.kind, c.period, c.options, c.place);
      if (process) {
        out.processes.push_back(process->get());
        world.add_controller(r, std::move(*process), c.period, c.start);
      } else {
        problems.insert(problems.end(), process.notes().begin(), process.notes().end());
      }
    }
  }
  attach_teams(world);
  if (has_errors(problems)) return problems;
  return out;
}

}  // namespace gradus

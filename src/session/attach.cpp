#include "session/attach.h"

#include "control/gait/gait.h"
#include "control/keyframes.h"
#include "control/policy.h"
#include "control/walk/walk_controller.h"
#include "control/wheels_team.h"
#include "load/plan_options.h"
#include "plan/way_controller.h"

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
    const SensorSetting* rate = group.spec.camera ? group.spec.camera->find("rate") : nullptr;
    const double period = 1 / (rate ? rate->numbers[0] : 60);
    for (const bool yellow : {false, true})
      if ((yellow ? group.spec.yellow : group.spec.blue) == "strategy")
        world.add_group_controller(g, std::make_unique<control::WheelsTeam>(world.model(), group, yellow), period);
  }
}

/// What was made, or null; its notes are kept.
template <class T>
std::unique_ptr<T> take(Result<std::unique_ptr<T>> made, Diagnostics& problems) {
  problems.insert(problems.end(), made.notes().begin(), made.notes().end());
  return made ? std::move(*made) : nullptr;
}

std::unique_ptr<Controller> make_walk(const World& world, const RobotModel& robot, Diagnostics& problems) {
  const ControllerSpec& c = robot.controller;
  const auto file = load_walk(c.file);
  problems.insert(problems.end(), file.notes().begin(), file.notes().end());
  if (!file) return nullptr;
  auto walk = walk::WalkController::make(*file, robot.kind, norm(world.model().gravity), c.program,
                                         {c.stabilise, c.steer, c.start});
  return take(std::move(walk), problems);
}

std::unique_ptr<Controller> make_gait(const RobotModel& robot, Diagnostics& problems) {
  const ControllerSpec& c = robot.controller;
  auto file = load_gait(c.file);
  problems.insert(problems.end(), file.notes().begin(), file.notes().end());
  if (!file) return nullptr;
  if (const std::string wrong = apply_gait_settings(*file, c.options); !wrong.empty()) {
    problems.push_back({c.place, Severity::error, wrong, ""});
    return nullptr;
  }
  return take(GaitController::make(*file, robot.kind, c.program, c.steer, c.start, c.period, c.place), problems);
}

std::unique_ptr<Controller> make_way(const World& world, const RobotModel& robot, Controllers& out, Diagnostics& problems) {
  const ControllerSpec& c = robot.controller;
  const auto gait = load_gait(c.file);
  append(problems, gait.notes());
  const auto options = read_plan_options(c.options);
  append(problems, options.notes());
  if (!gait || !options) return nullptr;
  plan::WaySettings s;
  s.walker.gait = *gait;
  if (const std::string wrong = apply_gait_settings(s.walker.gait, options->gait); !wrong.empty()) {
    problems.push_back({c.place, Severity::error, wrong, ""});
    return nullptr;
  }
  s.goal = {options->x, options->y, 0}, s.yaw = options->yaw;
  s.plan.stride = options->stride, s.plan.seed = world.model().seed;
  if (options->footholds == "none") {
    s.cost = plan::FootholdCost::none();
  } else if (!options->footholds.empty()) {
    const auto cost = plan::FootholdCost::load(options->footholds);
    append(problems, cost.notes());
    if (!cost) return nullptr;
    s.cost = *cost;
  }
  auto made = take(plan::WayController::make(world.model(), robot.kind, s, c.start, c.period, c.place), problems);
  if (made) out.ways.push_back({robot.name, made.get()});
  return made;
}

std::unique_ptr<Controller> make_keyframes(const RobotModel& robot, Diagnostics& problems) {
  const ControllerSpec& c = robot.controller;
  const auto motion = load_motion(c.file);
  problems.insert(problems.end(), motion.notes().begin(), motion.notes().end());
  return motion ? std::make_unique<Keyframes>(*motion, *robot.kind, c.loop, c.start) : nullptr;
}

std::unique_ptr<Controller> make_policy(const RobotModel& robot, double& period, Diagnostics& problems) {
  const ControllerSpec& c = robot.controller;
  const auto file = load_policy(c.file);
  problems.insert(problems.end(), file.notes().begin(), file.notes().end());
  if (!file) return nullptr;
  if (file->start.size() != robot.kind->joints.size()) {
    problems.push_back({c.place, Severity::error, "the policy " + c.file + " does not fit robot '" + robot.name + "'", ""});
    return nullptr;
  }
  auto policy = std::make_unique<Policy>(*file, *robot.kind, c.program, c.start);
  period = policy->period();
  return policy;
}

/// Null if the robot has none, or after a problem. period: between its calls, if the controller has one of its own.
std::unique_ptr<Controller> make_controller(const World& world, const RobotModel& robot, double& period,
                                            Controllers& out, Diagnostics& problems) {
  const ControllerSpec& c = robot.controller;
  if (c.kind == "keyframes") return make_keyframes(robot, problems);
  if (c.kind == "walk") return make_walk(world, robot, problems);
  if (c.kind == "gait") return make_gait(robot, problems);
  if (c.kind == "plan") return make_way(world, robot, out, problems);
  if (c.kind == "policy") return make_policy(robot, period, problems);
  if (c.kind == "library") {
    auto made = take(LibraryController::load(c.file, robot.name, *robot.kind, c.period, c.options, c.place), problems);
    if (made) out.libraries.push_back(made.get());
    return made;
  }
  if (c.kind == "process") {
    auto made = take(ProcessController::start(c.file, robot.name, *robot.kind, c.period, c.options, c.place), problems);
    if (made) out.processes.push_back(made.get());
    return made;
  }
  return nullptr;
}

}  // namespace

Result<Controllers> attach_controllers(World& world) {
  Controllers out;
  Diagnostics problems;
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotModel& robot = world.model().robots[static_cast<std::size_t>(r)];
    double period = robot.controller.period;
    auto controller = make_controller(world, robot, period, out, problems);
    if (controller) world.add_controller(r, std::move(controller), period, robot.controller.start);
  }
  attach_teams(world);
  if (has_errors(problems)) return problems;
  return out;
}

}  // namespace gradus

#include "gradus/walk.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "control/walk/walk_controller.h"
#include "load/robot_toml.h"
#include "load/shipped.h"

namespace {

using namespace gradus;

/// The controller is made at the first step, when feedback has been chosen and the start is known.
struct Opened {
  WalkFile walk;
  std::shared_ptr<const RobotKind> kind;
};

void say(const Diagnostics& notes, char* error, std::uint32_t size) {
  std::string all;
  for (const Diagnostic& d : notes) all += to_string(d) + "\n";
  if (error != nullptr && size > 0) std::snprintf(error, size, "%s", all.c_str());
}

constexpr double kGravity = 9.81;  // [m/s²]

}  // namespace

struct gradus_walk {
  Opened opened;
  walk::WalkOptions options;
  WalkCommand command;
  bool commanded = false;
  std::unique_ptr<walk::WalkController> controller;
};

gradus_walk* gradus_walk_open(const char* robot_file, const char* walk_file, char* error, std::uint32_t size) {
  auto robot = load_robot(find_shipped(robot_file, "robots"), shipped_files());
  auto walk = load_walk(find_shipped(walk_file, "motions"));
  Diagnostics notes = robot.notes();
  notes.insert(notes.end(), walk.notes().begin(), walk.notes().end());
  if (!robot || !walk) return say(notes, error, size), nullptr;
  auto kind = compile(*robot, ContactSpec{});
  if (!kind) return say(kind.notes(), error, size), nullptr;
  // Whatever does not fit is told now, not at the first step.
  auto trial = walk::WalkEngine::make(*walk, *kind, kGravity);
  if (!trial) return say(trial.notes(), error, size), nullptr;
  auto out = std::make_unique<gradus_walk>();
  out->opened = {std::move(*walk), *kind};
  return out.release();
}

void gradus_walk_close(gradus_walk* walk) { delete walk; }

void gradus_walk_command(gradus_walk* walk, double forward, double side, double turn) {
  walk->command = {forward, side, turn, 0};
  walk->commanded = true;
}

void gradus_walk_feedback(gradus_walk* walk, std::int32_t stabilise, std::int32_t steer) {
  if (walk->controller) return;
  walk->options.stabilise = stabilise != 0;
  walk->options.steer = steer != 0;
}

std::int32_t gradus_walk_step(gradus_walk* w, const gradus_output* out, gradus_command* command) {
  const RobotKind& kind = *w->opened.kind;
  if (out->joint_count != kind.njoint() || command->joint_count != kind.njoint()) return 1;
  if (!w->controller) {
    w->options.start = out->time;
    auto made = walk::WalkController::make(w->opened.walk, w->opened.kind, kGravity, {}, w->options);
    if (!made) return 1;
    w->controller = std::move(*made);
  }
  if (w->commanded) w->controller->set_command(w->command);
  w->commanded = false;
  const auto joints = static_cast<std::size_t>(out->joint_count);
  const double* r = out->base_orientation;
  RobotOutput seen{};
  seen.kind = &kind;
  seen.k = out->k;
  seen.time = out->time;
  seen.q = {out->q, joints};
  seen.v = {out->v, joints};
  seen.tau = {out->tau, joints};
  seen.p_WB = {out->base_position[0], out->base_position[1], out->base_position[2]};
  seen.q_WB = {r[0], r[1], r[2], r[3]};
  seen.gyro = {out->gyro[0], out->gyro[1], out->gyro[2]};
  seen.accelerometer = {out->accelerometer[0], out->accelerometer[1], out->accelerometer[2]};
  seen.foot_force = {out->foot_force, static_cast<std::size_t>(out->foot_count)};
  RobotCommand asked{};
  asked.target = {command->target, joints};
  w->controller->control(seen, asked);
  return 0;
}

std::int32_t gradus_walk_is_walking(const gradus_walk* walk) {
  return walk->controller && walk->controller->engine().walking() ? 1 : 0;
}

#include "common/recordings.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "world/world.h"

namespace gradus::cli {
std::vector<Recording> read_set(const std::string& folder, const std::string& set) {
  auto all = fit::read_index(folder + "/index.csv", set + "/");
  for (const Diagnostic& d : all.notes()) fmt::print(stderr, "servos: {}\n", to_string(d));
  if (!all) {
    fmt::print(stderr, "servos: name the folder of the recordings with --data\n");
    return {};
  }
  return std::move(*all);
}

namespace {

/// The test bench: a pendulum hanging at q = 0 (a rod with a tip mass), or a flywheel about a vertical axis.
RobotSpec bench(const Recording& r, const DriveSpec& drive) {
  RobotBuilder b("bench");
  const double m = r.mass + r.arm, tiny = 1e-9;  // a point mass has no inertia, and gradus wants some
  if (r.inertia > 0) {
    b.fixed().base("post").revolute("joint", {0, 0, 1}).mass(1, {0, 0, 0}, {r.inertia, 0, 0, r.inertia, 0, r.inertia});
  } else {
    const double l = (r.mass + r.arm / 2) * r.length / m,
                 J = (r.mass + r.arm / 3) * r.length * r.length - m * l * l + tiny;
    b.fixed().base("post").revolute("joint", {0, 1, 0}).mass(m, {0, 0, -l}, {J, 0, 0, J, 0, tiny});
  }
  b.drive(drive);
  return b.spec();
}

/// held: a command stays until the next sample; else it runs straight to it.
double command_at(const Recording& r, std::size_t j, double t, bool held) {
  if (held || j + 1 >= r.t.size()) return r.goal[j];
  return r.goal[j] + (t - r.t[j]) / (r.t[j + 1] - r.t[j]) * (r.goal[j + 1] - r.goal[j]);
}

/// Errors of a replay; with_offset: against the recording moved by a constant (the encoder's zero is not known).
void judge(const Recording& r, bool with_offset, Replay& out) {
  const double n = static_cast<double>(out.q.size());
  for (std::size_t i = 0; with_offset && i < out.q.size(); ++i) out.offset += (out.q[i] - r.pos[i]) / n;
  for (std::size_t i = 0; i < out.q.size(); ++i) {
    const double e = out.q[i] - r.pos[i] - out.offset;
    out.mean_abs += std::fabs(e) / n;
    out.rms += e * e / n;
  }
  out.rms = std::sqrt(out.rms);
}

}  // namespace

std::optional<Replay> replay(const Recording& r, const DriveSpec& drive) {
  const bool flywheel = r.inertia > 0;
  SceneSpec scene;
  scene.step = kReplayStep;
  RobotInstanceSpec robot;
  robot.name = "bench";
  robot.robot = bench(r, drive);
  robot.robot.objects.back().initial = r.pos[0];
  scene.robots.push_back(robot);
  auto model = compile(scene);
  if (!model) return std::nullopt;
  auto made = World::make(std::move(*model));
  if (!made) return std::nullopt;
  World& w = **made;
  w.targets(0)[0] = r.goal[0];
  w.set_motion(0, "articulated");  // once more: the delay's past is the first command, not the start posture
  Replay out;
  double before = r.pos[0];
  std::size_t j = 0;
  while (out.q.size() < r.t.size()) {
    const double t = r.t[0] + w.time(), q = drive.controller.motor_side ? w.motor_angle(0, 0) : w.q(0)[7];
    while (out.q.size() < r.t.size() && r.t[out.q.size()] <= t)
      out.q.push_back(q + (t - r.t[out.q.size()]) / kReplayStep * (before - q));
    while (j + 1 < r.t.size() && r.t[j + 1] <= t) ++j;
    w.targets(0)[0] = command_at(r, j, t, flywheel);
    w.stiffness(0)[0] = r.on[j] ? drive.controller.stiffness : 0;
    before = q;
    w.step();
  }
  judge(r, flywheel, out);
  return out;
}

DriveSpec for_log(DriveSpec d, const Recording& r) {
  constexpr double kFirmwareGain = 100;  // of servos/xl330.toml
  if (r.file.starts_with("xl330")) d.controller.kp *= r.kp / kFirmwareGain;
  return d;
}

}  // namespace gradus::cli

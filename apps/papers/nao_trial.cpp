#include "papers/nao_trial.h"

#include <cmath>
#include <numbers>

#include "common/files.h"
#include "papers/paper_world.h"
#include "control/walk/walk_controller.h"
#include "base/rng.h"
#include "load/robot_toml.h"
#include "load/scene_toml.h"
#include "world/world.h"

namespace gradus::cli {
namespace {

/// A controller whose joints are not quite where they say: a constant error on each target.
class Miscalibrated : public Controller {
 public:
  Miscalibrated(std::unique_ptr<Controller> inner, std::vector<double> error)
      : inner_(std::move(inner)), error_(std::move(error)) {}
  void control(const RobotOutput& output, RobotCommand& command) override {
    inner_->control(output, command);
    for (std::size_t j = 0; j < error_.size(); ++j) command.target[j] += error_[j];
  }

 private:
  std::unique_ptr<Controller> inner_;
  std::vector<double> error_;
};

bool is_leg_joint(const std::string& name) {
  return name.find("Hip") != std::string::npos || name.find("Knee") != std::string::npos ||
         name.find("Ankle") != std::string::npos;
}

std::vector<double> calibration_errors(const NaoTrial& t, const RobotKind& kind) {
  std::vector<double> out;
  for (const ObjectInfo& o : kind.objects) {
    if (o.joint < 0) continue;
    out.resize(std::max(out.size(), static_cast<std::size_t>(o.joint + 1)));
    if (!is_leg_joint(o.name) || o.name.find("YawPitch") != std::string::npos) continue;
    out[static_cast<std::size_t>(o.joint)] =
        random_in({t.seed, 0, 7}, 0, static_cast<std::uint32_t>(o.joint), -t.calibration, t.calibration);
  }
  return out;
}

/// Worn gears: the reference play of a team's real robots [facts/nao.md 1.3].
void add_play(ObjectSpec& o) {
  const bool ankle = o.name.find("AnklePitch") != std::string::npos;
  const bool worn =
      ankle || o.name.find("HipPitch") != std::string::npos || o.name.find("KneePitch") != std::string::npos;
  if (!worn || !o.drive) return;
  GearStageSpec& g = o.drive->gear;
  g.model = GearModel::elastic;
  g.play = (ankle ? 1.0 : 1.4) * std::numbers::pi / 180;
  g.stiffness = 1500;
  g.damping = 2;
}

void set_drive(const NaoTrial& t, RobotSpec& robot) {
  for (ObjectSpec& o : robot.objects) {
    if (!o.is_joint()) continue;
    if (t.drive == NaoDrive::play) add_play(o);
    if (t.drive != NaoDrive::stiff) continue;
    o.drive.reset();
    o.servo = {t.stiff_kp, 0.01 * t.stiff_kp, 20, std::numeric_limits<double>::infinity(), 0};
  }
}

void set_floor(const NaoTrial& t, ContactSpec& c) {
  c.friction = t.friction;
  c.stiffness = t.stiffness;
  c.damping = 150 * std::sqrt(t.stiffness / 2e4);
  c.tangential_stiffness = t.stiffness / 2;
  c.tangential_damping = 0.7 * c.damping;
}

/// The scene "nao" with one robot.
std::optional<SceneSpec> make_scene(const NaoTrial& t) {
  auto scene = load_scene_with("nao", {}, {});
  if (!scene) return std::nullopt;
  Diagnostics notes;
  auto robot = load_robot(find_file(t.robot, "", "robots", shipped_files(), {}, notes), shipped_files());
  print(notes), print(robot.notes());
  if (!robot) return std::nullopt;
  scene->robots.resize(1);
  RobotInstanceSpec& r = scene->robots[0];
  r.robot = *robot;
  if (t.edit_robot) t.edit_robot(r.robot);
  set_drive(t, r.robot);
  r.motion = t.motion;
  r.p_WB = {0, 0, 0};
  r.on_ground = true;
  scene->step = t.step;
  set_floor(t, scene->contact);
  return scene;
}

std::optional<WalkFile> load_gait(const NaoTrial& t) {
  Diagnostics notes;
  auto walk = load_walk(find_file(t.walk, "", "motions", shipped_files(), {}, notes));
  print(notes), print(walk.notes());
  if (!walk) return std::nullopt;
  if (t.edit_walk) t.edit_walk(*walk);
  return *walk;
}

/// The robot starts in the walk's own posture.
bool start_in_posture(const WalkFile& walk, SceneSpec& scene) {
  auto kind = compile(scene.robots[0].robot, scene.contact);
  if (!kind) return print(kind.notes()), false;
  auto engine = walk::WalkEngine::make(walk, *kind, norm(scene.gravity));
  if (!engine) return print(engine.notes()), false;
  for (const ObjectInfo& o : (*kind)->objects)
    if (o.joint >= 0)
      scene.robots[0].robot.objects[static_cast<std::size_t>(scene.robots[0].robot.find(o.name).value)].initial =
          engine->posture()[static_cast<std::size_t>(o.joint)];
  return true;
}

std::unique_ptr<Controller> make_controller(const NaoTrial& t, const std::optional<WalkFile>& walk,
                                            const std::shared_ptr<const RobotKind>& kind, double gravity) {
  if (t.controller) return t.controller(*kind, t.control_period);
  auto c = walk::WalkController::make(*walk, kind, gravity, t.program, {t.stabilise, t.steer, 0});
  print(c.notes());
  return c ? std::move(*c) : nullptr;
}

NaoSample sample(const World& w, double last_yaw) {
  const auto q = w.q(0);
  const Vec3 rpy = to_roll_pitch_yaw({q[3], q[4], q[5], q[6]});
  const double turn = 2 * std::numbers::pi;
  return {w.time(), q[0], q[1], q[2], rpy.x, rpy.y, rpy.z - turn * std::round((rpy.z - last_yaw) / turn)};
}

void measure(World& w, const NaoTrial& t, NaoRun& run, const std::function<void(World&)>& each) {
  const auto every = static_cast<std::int64_t>(std::lround(kSampleTime / t.step)),
             steps = static_cast<std::int64_t>(std::lround(t.duration / t.step));
  run.path.push_back(sample(w, 0));
  for (std::int64_t k = 1; k <= steps; ++k) {
    w.step();
    if (k % every != 0) continue;
    const NaoSample s = sample(w, run.path.back().yaw);
    run.path.push_back(s);
    run.joints.emplace_back(w.q(0).begin() + 7, w.q(0).end());
    if (each) each(w);
    if (cos(s.roll) * cos(s.pitch) < kFallenTilt || !(s.z > kFallenHeight)) {
      run.fell = true;
      run.fall_time = s.t;
      break;
    }
  }
}

void sum_up(const NaoTrial& t, NaoRun& run) {
  const auto from = std::min(run.path.size() - 1, static_cast<std::size_t>(std::lround(t.measure_from / kSampleTime)));
  const NaoSample &a = run.path[from], &b = run.path.back();
  const double c = std::cos(a.yaw), s = std::sin(a.yaw), dx = b.x - a.x, dy = b.y - a.y;
  run.x = c * dx + s * dy;
  run.y = c * dy - s * dx;
  run.yaw = b.yaw - a.yaw;
}

}  // namespace

const char* name_of(NaoDrive drive) {
  return drive == NaoDrive::stiff ? "stiff" : drive == NaoDrive::nao ? "nao" : "play";
}

std::optional<SceneSpec> trial_scene(const NaoTrial& t) {
  auto scene = make_scene(t);
  if (!scene || t.controller) return scene;
  const std::optional<WalkFile> walk = load_gait(t);
  if (!walk || !start_in_posture(*walk, *scene)) return std::nullopt;
  return scene;
}

std::optional<NaoRun> run_trial(const NaoTrial& t, const std::function<void(World&)>& each) {
  const auto scene = trial_scene(t);
  if (!scene) return std::nullopt;
  std::optional<WalkFile> walk;
  if (!t.controller && !(walk = load_gait(t))) return std::nullopt;
  const std::unique_ptr<World> world = make_world(*scene);
  if (!world) return std::nullopt;
  World& w = *world;
  const auto kind = w.model().robots[0].kind;
  auto controller = make_controller(t, walk, kind, norm(w.model().gravity));
  if (!controller) return std::nullopt;
  if (t.calibration > 0)
    controller = std::make_unique<Miscalibrated>(std::move(controller), calibration_errors(t, *kind));
  w.add_controller(0, std::move(controller), t.control_period, 0);
  NaoRun run;
  const double start = thread_time();
  measure(w, t, run, each);
  run.us_per_step = 1e6 * (thread_time() - start) / static_cast<double>(std::max<std::int64_t>(1, w.k()));
  sum_up(t, run);
  return run;
}

double pitch_line(const NaoRun& run, double from, double to, double cycle, double hz) {
  std::vector<double> pitch;
  for (const NaoSample& s : run.path)
    if (s.t >= from - 1e-9 && s.t <= to + 1e-9) pitch.push_back(s.pitch);
  const auto n = static_cast<std::size_t>(
      std::lround(std::floor(static_cast<double>(pitch.size()) * kSampleTime / cycle + 1e-6) * cycle / kSampleTime));
  if (n < 10) return 0;
  double mean = 0, a = 0, b = 0;
  for (std::size_t i = 0; i < n; ++i) mean += pitch[i] / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double window = 1 - std::cos(2 * std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(n));
    const double phase = 2 * std::numbers::pi * hz * static_cast<double>(i) * kSampleTime;
    a += window * (pitch[i] - mean) * std::cos(phase);
    b += window * (pitch[i] - mean) * std::sin(phase);
  }
  return 2 * std::hypot(a, b) / static_cast<double>(n);
}

}  // namespace gradus::cli

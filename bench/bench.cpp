#include "bench/bench.h"

#include <ctime>

#include <algorithm>
#include <fstream>
#include <numbers>

#include "bench/mujoco.h"
#include "bench/runners.h"
#include "load/robot_toml.h"

#ifndef GRADUS_COMMIT
#define GRADUS_COMMIT "unknown"
#endif
#ifndef GRADUS_FLAGS
#define GRADUS_FLAGS "unknown"
#endif

namespace gradus::bench {
namespace {

constexpr int kWarmUp = 1000;      // steps before the clock starts: the robot has settled, caches are warm

/// How joints move while the clock runs.
struct Moves {
  double size = 0;   // targets: start ± so much, 0: they stand still                          [rad]
  int period = 50;   // steps between two targets
  bool own = false;  // every world its own
};

using Runners = std::vector<std::unique_ptr<Runner>>;

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

double median(std::vector<double> x) {
  if (x.empty()) return 0;
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

using Edit = std::function<void(ObjectSpec&)>;  // changes one object of the robot

/// A scene with `count` robots of one file, a metre apart; in the air there is no ground.
Result<Model> make_model(const BenchOptions& o, const std::string& robot_file, const std::string& motion, int count,
                         bool ground, const Edit& edit = nullptr) {
  SceneSpec scene;
  scene.name = "bench";
  FieldObjectSpec plane;
  plane.name = "ground";
  plane.shape.kind = ShapeKind::plane;
  if (ground) scene.field.push_back(plane);
  auto robot = load_robot(o.data_dir + "/robots/" + robot_file);
  if (!robot) return robot.notes();
  for (std::size_t k = 0; edit && k < robot->objects.size(); ++k) edit(robot->objects[k]);
  for (int i = 0; i < count; ++i) {
    RobotInstanceSpec r;
    r.name = "r" + std::to_string(i);
    r.robot = *robot;
    r.motion = motion;
    r.p_WB = {1.0 * (i % 10), 1.0 * (i / 10), 0};
    r.on_ground = ground;
    scene.robots.push_back(r);
  }
  return compile(scene);
}

/// Collects runners of one scenario; the first problem ends the collection.
struct Collection {
  Runners runners;
  Diagnostics problems;
  void add(Result<std::unique_ptr<Runner>> r) {
    if (r)
      runners.push_back(std::move(*r));
    else
      problems.insert(problems.end(), r.notes().begin(), r.notes().end());
  }
};

/// MuJoCo where installed; else a row that says so.
void add_mujoco(Collection& c, const Model& model, std::vector<BenchRow>& rows, const std::string& scenario) {
  if (Mujoco::installed()) {
    c.add(make_mujoco_runner(model, ContactSpec{}));
    return;
  }
  BenchRow row;
  row.scenario = scenario;
  row.engine = "mujoco";
  row.note = "not installed";
  rows.push_back(row);
}

void add_lanes(Collection& c, const Model& model) {
  struct {
    LaneType type;
    int worlds;
    const char* name;
  } const variants[] = {{{true, 16}, 16, "float x 16 lanes"},
                        {{true, 16}, 1024, "float x 16 lanes, 1024 worlds"},
                        {{true, 8}, 8, "float x 8 lanes"},
                        {{false, 8}, 8, "double x 8 lanes"},
                        {{true, 1}, 1, "float"},
                        {{false, 1}, 1, "double"}};
  for (const auto& v : variants)
    c.add(make_lanes_runner(model, v.worlds, v.type, native_kernels(), std::string(v.name) + ", native"));
}

std::vector<double> targets(const RobotKind& kind, int round, double size) {
  std::vector<double> t;
  std::uint32_t s = 2654435761u * static_cast<std::uint32_t>(round + 1);
  for (const Joint& j : kind.joints) {
    s = s * 1664525u + 1013904223u;
    const double u = (s >> 8) * (1.0 / 8388608.0) - 1;
    t.push_back(clamped(j.initial + size * u, j.lower, j.upper));
  }
  return t;
}

/// Runs `steps` steps, changing the targets now and then where joints are to move. Returns processor seconds of the
/// steps.
double timed(Runner& r, const RobotKind& kind, int steps, int& round, const Moves& moves) {
  double sum = 0;
  for (int done = 0; done < steps;) {
    const int n = moves.size > 0 ? std::min(moves.period, steps - done) : steps;
    if (moves.size > 0 && !moves.own) r.set_targets(targets(kind, round++, moves.size));
    for (int w = 0; moves.own && w < r.worlds(); ++w) r.set_world_targets(w, targets(kind, round++, moves.size));
    const double t0 = thread_seconds();
    r.run(n);
    sum += thread_seconds() - t0;
    done += n;
  }
  return sum;
}

/// Times all runners in turn, `rounds` times. Appends their rows.
void measure(const std::string& scenario, Collection& c, const RobotKind& kind, const Moves& moves, const BenchOptions& o,
             std::vector<BenchRow>& rows) {
  const std::size_t n = c.runners.size();
  std::vector<int> steps(n), round(n, 0);
  std::vector<std::vector<double>> ns(n);
  for (std::size_t i = 0; i < n; ++i) {
    Runner& r = *c.runners[i];
    timed(r, kind, kWarmUp, round[i], moves);
    r.row.scenario = scenario;
    r.describe(r.row);
    const int probe = 20;
    const double each = timed(r, kind, probe, round[i], moves) / probe;
    steps[i] = std::max(1, static_cast<int>(o.block_seconds / std::max(each, 1e-9)));
  }
  for (int k = 0; k < o.rounds; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      const double s = timed(*c.runners[i], kind, steps[i], round[i], moves);
      ns[i].push_back(1e9 * s / steps[i] / c.runners[i]->row.robots);
    }
    if (o.progress) o.progress((k + 1.0) / o.rounds, scenario);
  }
  const bool peer = n > 0 && c.runners[0]->row.engine.rfind("mujoco", 0) == 0;  // always the first
  for (std::size_t i = 0; i < n; ++i) {
    BenchRow& row = c.runners[i]->row;
    row.ns_per_robot_step = median(ns[i]);
    std::vector<double> ratio;
    for (std::size_t k = 0; peer && k < ns[i].size(); ++k) ratio.push_back(ns[0][k] / ns[i][k]);
    row.times_mujoco = median(ratio);
    rows.push_back(row);
  }
}

/// humanoid28 at level articulated: one robot, lanes, MuJoCo; standing on its feet or moving its limbs in the air.
Diagnostics humanoid(const std::string& scenario, bool ground, const BenchOptions& o, std::vector<BenchRow>& rows) {
  auto model = make_model(o, "humanoid28.toml", "articulated", 1, ground);
  if (!model) return model.notes();
  Collection c;
  add_mujoco(c, *model, rows, scenario);
  c.add(make_world_runner(*model, "one robot"));
  if (!native_kernels().empty()) add_lanes(c, *model);
  if (!c.problems.empty()) return c.problems;
  measure(scenario, c, *model->robots[0].kind, ground ? Moves{} : Moves{0.4, 50, false}, o, rows);
  return {};
}

/// What learning does: every world on the ground with targets of its own, new ones every 20 steps. The deterministic kernels
/// that a batch takes, and the same with at most one prediction and one more.
Diagnostics moving(const BenchOptions& o, std::vector<BenchRow>& rows) {
  struct {
    const char *robot, *name;
    Edit edit;
  } const robots[] = {{"humanoid28.toml", "moving_humanoid28", nullptr},
                      {"quadruped.urdf", "moving_quadruped", [](ObjectSpec& x) { x.servo.kp = 40, x.servo.kd = 1; }}};
  for (const auto& r : robots) {
    auto model = make_model(o, r.robot, "articulated", 1, true, r.edit);
    if (!model) return model.notes();
    Collection c;
    add_mujoco(c, *model, rows, r.name);
    c.add(make_world_runner(*model, "one robot"));
    const LaneKernel& kernel = widest_kernel(true);
    const std::string lanes = "float x " + std::to_string(kernel.type.lanes) + " lanes, 256 worlds";
    for (const int most : {kPredictions, 1})
      c.add(make_lanes_runner(*model, 256, kernel.type, {&kernel, 1},
                              lanes + (most == 1 ? ", one prediction and one more" : ""), most));
    if (!c.problems.empty()) return c.problems;
    measure(r.name, c, *model->robots[0].kind, {0.05, 20, true}, o, rows);
  }
  return {};
}

Diagnostics crowd(const BenchOptions& o, std::vector<BenchRow>& rows) {
  Collection c;
  std::shared_ptr<const RobotKind> kind;
  for (int count : {1, 10, 100}) {
    auto model = make_model(o, "humanoid28.toml", "articulated", count, true);
    if (!model) return model.notes();
    kind = model->robots[0].kind;
    c.add(make_world_runner(*model, std::to_string(count) + (count == 1 ? " robot" : " robots")));
  }
  if (!c.problems.empty()) return c.problems;
  measure("crowd", c, *kind, {}, o, rows);
  return {};
}

Diagnostics levels(const BenchOptions& o, std::vector<BenchRow>& rows) {
  for (const std::string robot : {"kidsize", "humanoid28"}) {
    Collection c;
    std::shared_ptr<const RobotKind> kind;
    for (const char* motion : {"kinematic_walk", "single_body", "prescribed_joints", "articulated"}) {
      auto model = make_model(o, robot + ".toml", motion, 1, true);
      if (!model) return model.notes();
      kind = model->robots[0].kind;
      c.add(make_world_runner(*model, motion));
    }
    if (!c.problems.empty()) return c.problems;
    measure("levels_" + robot, c, *kind, {}, o, rows);
  }
  return {};
}

/// Takes the chain away: its equivalent servo is left, with the rotor's inertia at the joint.
void plain_servo(ObjectSpec& o) {
  if (!o.drive) return;
  o.servo = equivalent_servo(*o.drive);
  o.drive.reset();
}

/// Worn teeth [facts: nao.md 1.3]: 1.4 degrees, 1.0 at the ankles' pitch.
void worn_gear(ObjectSpec& o) {
  if (!o.drive) return;
  GearStageSpec& g = o.drive->gear;
  g.model = GearModel::elastic;
  g.play = (o.name.ends_with("AnklePitch") ? 1.0 : 1.4) * std::numbers::pi / 180;
  g.stiffness = 1500;
  g.damping = 2;
}
/// Pitch joints of the legs, whose play is known of real robots.
void worn_leg(ObjectSpec& o) {
  for (const char* joint : {"HipPitch", "KneePitch", "AnklePitch"})
    if (o.name.ends_with(joint)) worn_gear(o);
}
/// Thigh and shin in two pieces each [facts: nao.md 4.5d].
void flexible_leg(ObjectSpec& o) {
  if (o.name.ends_with("HipPitch") || o.name.ends_with("KneePitch"))
    o.flex = FlexSpec{1, 2006.5, 276, false, {0, 0, 1}};
}

/// Nao H25 V6 with a chain at every joint, standing.
Diagnostics nao(const BenchOptions& o, std::vector<BenchRow>& rows) {
  struct {
    const char* name;
    Edit edit;
    bool known_to_mujoco;  // which has neither chains nor play
  } const variants[] = {{"plain servos", plain_servo, true},
                        {"chains, rigid gears", nullptr, false},
                        {"chains, play in the legs' pitch", worn_leg, false},
                        {"chains, play in all gears", worn_gear, false},
                        {"the same, flexible legs", [](ObjectSpec& x) { worn_gear(x), flexible_leg(x); }, false}};
  Collection c;
  std::shared_ptr<const RobotKind> kind;
  for (const auto& v : variants) {
    auto model = make_model(o, "nao_h25_v6.toml", "articulated", 1, true, v.edit);
    if (!model) return model.notes();
    kind = model->robots[0].kind;
    c.add(make_world_runner(*model, v.name));
    if (v.known_to_mujoco) add_mujoco(c, *model, rows, "nao");
    for (const LaneType type : {LaneType{true, 16}, LaneType{false, 8}})
      if (!native_kernels().empty())
        c.add(make_lanes_runner(*model, 64, type, native_kernels(),
                                std::string(v.name) + (type.single ? ", float x 16 lanes, native" : ", double x 8 lanes, native")));
  }
  if (!c.problems.empty()) return c.problems;
  measure("nao", c, *kind, {}, o, rows);
  return {};
}

Diagnostics run_one(const std::string& name, const BenchOptions& o, std::vector<BenchRow>& rows) {
  if (name == "stand") return humanoid(name, true, o, rows);
  if (name == "air") return humanoid(name, false, o, rows);
  if (name == "moving") return moving(o, rows);
  if (name == "crowd") return crowd(o, rows);
  if (name == "nao") return nao(o, rows);
  return levels(o, rows);
}

}  // namespace

std::vector<std::string> benchmark_names() { return {"stand", "air", "moving", "crowd", "levels", "nao"}; }

Result<std::vector<BenchRow>> run_benchmarks(std::span<const std::string> names, const BenchOptions& options) {
  const std::vector<std::string> all = benchmark_names();
  Diagnostics problems;
  for (const std::string& n : names)
    if (std::find(all.begin(), all.end(), n) == all.end()) {
      problems.push_back({{}, Severity::error, "unknown benchmark '" + n + "'", did_you_mean(n, all)});
    }
  if (!problems.empty()) return problems;
  std::vector<BenchRow> rows;
  for (const std::string& name : all) {
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    problems = run_one(name, options, rows);
    if (has_errors(problems)) return problems;
  }
  const std::string cpu = cpu_name();
  for (BenchRow& r : rows) {
    r.commit = GRADUS_COMMIT;
    r.compiler = __VERSION__;
    r.flags = r.variant.find("native") == std::string::npos ? GRADUS_FLAGS : GRADUS_NATIVE_FLAGS;
    r.cpu = cpu;
  }
  return rows;
}

}  // namespace gradus::bench

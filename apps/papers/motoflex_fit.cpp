/// Whole-robot fit [MoToFlex 2011, eq. 2]: a walk is recorded, and the parameters of all legs' motors, gears, friction and
/// flexible links are searched until the simulated trunk pitches and rolls as the recorded one. The recording here is
/// gradus' own, with noise, so that the truth is known: what a search can and cannot find shows.
///
///   F = Σ_k ((roll − roll')² + (pitch − pitch')²)/T^m,  over the time T that the candidate walks without falling, m = 2
///
/// Candidates are worlds in lanes, each with constants of its own [batch/own_constants.h]; the recording is World's, in
/// double, so what is left at the truth is the noise and the rounding of float.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <thread>

#include "base/rng.h"
#include "batch/lanes/lanes.h"
#include "common/files.h"
#include "common/plot.h"
#include "io/progress.h"
#include "model/model.h"
#include "optimise/optimiser.h"
#include "papers/motoflex.h"
#include "papers/walk_sweep.h"
#include "world/world.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kNoise = 0.2 * kDegree, kDigit = 0.05 * kDegree;  // of the recording's inclinometer
constexpr double kPower = 2;                                       // m

struct Parameter {
  const char *name, *unit;
  double low, high;  // searched between, by the logarithm
  double truth, authors;
  void (*set)(ObjectSpec&, bool roll, double);
};
/// authors: the fitted set of the original program. roll: of HipRoll and AnkleRoll, whose gear is another one.
const Parameter kParameters[] = {
    {"proportional gain", "V/rad", 100, 900, 270, 319.4724, [](ObjectSpec& o, bool, double x) { o.drive->controller.kp = x; }},
    {"torque constant", "N m/A", 0.01, 0.04, 0.018, 0.0195, [](ObjectSpec& o, bool, double x) { o.drive->motor.torque_constant = x; }},
    {"viscous friction", "N m s/rad", 0.01, 3, 0.5, 0.05, [](ObjectSpec& o, bool, double x) { o.drive->friction.viscous = x; }},
    {"dry friction, roll", "N m", 0.1, 5, 0.8, 1.661701, [](ObjectSpec& o, bool roll, double x) { if (roll) o.drive->friction.coulomb = x; }},
    {"dry friction, pitch", "N m", 0.05, 3, 0.35, 0.7915588, [](ObjectSpec& o, bool roll, double x) { if (!roll) o.drive->friction.coulomb = x; }},
    {"play of the gears", "rad", 1e-6, 0.05, 0.003, 1.05e-5, [](ObjectSpec& o, bool, double x) { o.drive->gear.play = x; }},
    {"damping of the gears", "N m s/rad", 0.05, 300, 20, 84.36548, [](ObjectSpec& o, bool, double x) { o.drive->gear.damping = x; }},
    {"stiffness of the legs", "N m/rad", 150, 10000, 1300, 2006.519, [](ObjectSpec& o, bool, double x) { if (o.flex) o.flex->stiffness = x; }},
};
constexpr std::size_t kCount = std::size(kParameters);

double value_of(const Parameter& p, double share) { return p.low * std::pow(p.high / p.low, share); }
double share_of(const Parameter& p, double value) { return std::log(value / p.low) / std::log(p.high / p.low); }

void set_parameters(const optimise::Point& shares, RobotSpec& robot) {
  for (ObjectSpec& o : robot.objects) {
    const bool roll = o.name.ends_with("HipRoll") || o.name.ends_with("AnkleRoll");
    if (!o.drive || o.drive->gear.model != GearModel::motoflex) continue;
    for (std::size_t i = 0; i < kCount; ++i) kParameters[i].set(o, roll, value_of(kParameters[i], shares[i]));
  }
}

/// What a robot did and was told, every 10 ms.
struct Walk {
  SceneSpec scene;                           // of the authors' parameters, at its start
  std::vector<std::vector<double>> targets;  // of all joints, held for the 10 ms before
  std::vector<double> roll, pitch;           // [rad]
};

/// What a walking Nao's joints are told, every 10 ms.
struct Told {
  std::vector<std::string> joints;
  std::vector<std::vector<double>> targets;
};
std::optional<Told> plan(NaoTrial t) {
  Told out;
  t.motion = "prescribed_joints";
  const auto run = run_trial(t, [&](World& w) {
    out.targets.emplace_back(w.targets(0).begin(), w.targets(0).end());
    if (!out.joints.empty()) return;
    out.joints.resize(out.targets[0].size());
    for (const ObjectInfo& o : w.model().robots[0].kind->objects)
      if (o.joint >= 0) out.joints[static_cast<std::size_t>(o.joint)] = o.name;
  });
  return run ? std::optional(std::move(out)) : std::nullopt;
}

/// Says it again, to a robot that has more joints where its legs bend.
class SayAgain : public Controller {
 public:
  SayAgain(const Told& told, const RobotKind& kind) : told_(told) {
    for (const std::string& joint : told.joints) joint_.push_back(kind.find_joint(joint));
  }
  void control(const RobotOutput& output, RobotCommand& command) override {
    const auto k = std::min(static_cast<std::size_t>(std::lround(output.time / kSampleTime)), told_.targets.size() - 1);
    for (std::size_t j = 0; j < joint_.size(); ++j) command.target[static_cast<std::size_t>(joint_[j])] = told_.targets[k][j];
  }

 private:
  Told told_;
  std::vector<int> joint_;
};

/// Walks with the parameters that `shares` stands for, and reads its inclinometer.
std::optional<Walk> record(const NaoTrial& walking, const optimise::Point& shares, std::uint64_t seed) {
  const auto told = plan(walking);
  if (!told) return std::nullopt;
  NaoTrial t;
  t.duration = walking.duration;
  t.controller = [&](const RobotKind& kind, double) { return std::make_unique<SayAgain>(*told, kind); };
  t.edit_robot = [&](RobotSpec& robot) {
    for (std::size_t j = 0; j < told->joints.size(); ++j)
      robot.objects[static_cast<std::size_t>(robot.find(told->joints[j]).value)].initial = told->targets[0][j];
  };
  if (!use_motoflex(t, {})) return std::nullopt;
  auto scene = trial_scene(t);
  if (!scene) return std::nullopt;
  Walk out{std::move(*scene), {}, {}, {}};
  const auto before = t.edit_robot;
  t.edit_robot = [before, shares](RobotSpec& robot) { before(robot), set_parameters(shares, robot); };
  const auto run = run_trial(t, [&](World& w) { out.targets.emplace_back(w.targets(0).begin(), w.targets(0).end()); });
  if (!run) return std::nullopt;
  if (run->fell) std::fprintf(stderr, "warning: the recorded robot falls at %.2f s\n", run->fall_time);
  const auto reading = [&](double x, std::uint32_t channel, std::size_t k) {
    double normal = -6;  // of twelve uniform numbers
    for (std::uint32_t i = 0; i < 12; ++i) normal += random_uniform({seed, 0, 11}, k, 12 * channel + i);
    return kDigit * std::round((x + kNoise * normal) / kDigit);
  };
  for (std::size_t k = 1; k < run->path.size(); ++k)
    out.roll.push_back(reading(run->path[k].roll, 0, k)), out.pitch.push_back(reading(run->path[k].pitch, 1, k));
  return out;
}

/// Candidates walk beside each other.
class Candidates {
 public:
  Candidates(const Walk& walk, int count, int threads) : walk_(walk), model_(*compile(walk.scene)) {
    const LaneKernel& kernel = widest_kernel(true);
    lanes_ = std::move(*Lanes::make(model_, 0, count, {kernel.type, {&kernel, 1}, threads, kPredictions}));
  }
  double steps() const { return steps_; }  // of robots, so far

  /// F of each; swing: if given, gets pitch and roll of candidate 0.
  std::vector<double> costs(std::span<const optimise::Point> points, Walk* swing = nullptr) {
    std::vector<double> out(points.size());
    const int lanes = lanes_->type().lanes;
    lanes_->each_tile([&](int tile, int part) {
      const int first = tile * lanes, n = std::min(lanes, static_cast<int>(points.size()) - first);
      if (n <= 0) return;
      for (int l = 0; l < n; ++l) {
        SceneSpec scene = walk_.scene;
        set_parameters(points[static_cast<std::size_t>(first + l)], scene.robots[0].robot);
        const auto model = compile(scene);
        if (model) lanes_->set_constants(first + l, *model, 0);
      }
      for (int l = 0; l < lanes && first + l < lanes_->worlds(); ++l) lanes_->reset(first + l);
      walk_tile(tile, part, n, out.data() + first, tile == 0 ? swing : nullptr);
    });
    steps_ += static_cast<double>(points.size() * walk_.targets.size()) * kSampleTime / model_.step;
    return out;
  }

 private:
  void walk_tile(int tile, int part, int count, double* costs, Walk* swing) {
    const int lanes = lanes_->type().lanes, steps = static_cast<int>(std::lround(kSampleTime / model_.step));
    std::vector<double> sum(static_cast<std::size_t>(count)), time(static_cast<std::size_t>(count));
    std::vector<bool> stands(static_cast<std::size_t>(count), true);
    const RowLayout& at = lanes_->at();
    for (std::size_t k = 0; k < walk_.roll.size(); ++k) {
      for (std::size_t j = 0; j < walk_.targets[k].size(); ++j)
        std::fill_n(lanes_->lanes_of<float>(tile, at.target + static_cast<int>(j)), lanes, static_cast<float>(walk_.targets[k][j]));
      lanes_->step_tile(tile, steps, part);
      bool any_stands = false;
      for (int l = 0; l < count; ++l) {
        const auto i = static_cast<std::size_t>(l);
        if (!stands[i]) continue;
        double q[7];
        for (int c = 0; c < 7; ++c) q[c] = static_cast<double>(lanes_->lanes_of<float>(tile, at.q + c)[l]);
        const Vec3 rpy = to_roll_pitch_yaw({q[3], q[4], q[5], q[6]});
        stands[i] = cos(rpy.x) * cos(rpy.y) > kFallenTilt && q[2] > kFallenHeight;  // false for NaN
        if (!stands[i]) continue;
        any_stands = true;
        const double roll = rpy.x - walk_.roll[k], pitch = rpy.y - walk_.pitch[k];
        sum[i] += roll * roll + pitch * pitch, time[i] += kSampleTime;
        if (swing && l == 0) swing->roll.push_back(rpy.x), swing->pitch.push_back(rpy.y);
      }
      if (!any_stands) break;
    }
    for (int l = 0; l < count; ++l) {
      const auto i = static_cast<std::size_t>(l);
      const double T = std::max(time[i], kSampleTime), missing = static_cast<double>(walk_.roll.size()) * kSampleTime - T;
      costs[l] = (sum[i] + (missing > kSampleTime ? 1.0 : 0.0)) / std::pow(T, kPower);  // a fall counts as a radian
    }
  }

  const Walk& walk_;
  Model model_;
  std::unique_ptr<Lanes> lanes_;
  double steps_ = 0;
};

/// Root mean square error of pitch and roll together.   [deg]
double error_of(const Walk& walk, double cost) {
  const double T = static_cast<double>(walk.roll.size()) * kSampleTime;
  return std::sqrt(cost * std::pow(T, kPower) / (2 * static_cast<double>(walk.roll.size()))) / kDegree;
}

struct Found {
  optimise::Point best;
  double cost = 0;
  Series curve;  // error over evaluations
};

Found search(const Walk& walk, const char* method, std::int64_t seed, std::int64_t budget, int threads, double& steps) {
  optimise::Setup setup;
  setup.size = kCount, setup.seed = seed;
  const bool paper = std::string_view(method) == "es";
  setup.population = std::min<std::int64_t>(paper ? 800 : 128, budget), setup.parents = 10, setup.life = 3;  // (10 + 800), three generations
  const auto s = optimise::make_optimiser(method, setup);
  Candidates candidates(walk, static_cast<int>(setup.population), threads);
  Found out;
  out.curve.name = std::string(method) + ", seed " + std::to_string(seed);
  while (s->evaluations() < budget) {
    const auto points = s->ask();
    std::vector<double> values;
    for (std::size_t i = 0; i < points.size(); i += static_cast<std::size_t>(setup.population)) {  // restarts ask for more
      const auto part = candidates.costs(points.subspan(i, std::min<std::size_t>(static_cast<std::size_t>(setup.population), points.size() - i)));
      values.insert(values.end(), part.begin(), part.end());
    }
    s->tell(values);
    out.curve.x.push_back(static_cast<double>(s->evaluations())), out.curve.y.push_back(error_of(walk, s->best_value()));
  }
  out.best = s->best(), out.cost = s->best_value();
  steps += candidates.steps();
  return out;
}

}  // namespace

std::optional<Json> motoflex_fit(const PaperOptions& options) {
  optimise::Point truth, authors;
  for (const Parameter& p : kParameters) truth.push_back(share_of(p, p.truth)), authors.push_back(share_of(p, p.authors));
  NaoTrial walking, turning;
  walking.duration = turning.duration = options.quick ? 1.5 : 5.5;  // with these gears it falls a second later
  walking.program = {{0.0952, 0, 0, 0}};
  turning.program = {{0.05, 0, 20 * kDegree, 0}};
  const auto recorded = record(walking, truth, 1), held_out = record(turning, truth, 2);
  if (!recorded || !held_out) return std::nullopt;
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const std::int64_t budget = options.quick ? 256 : 4000;
  const int seeds = options.quick ? 1 : 5;

  const auto error = [&](const Walk& walk, const optimise::Point& p) {
    Candidates one(walk, 1, 1);
    return error_of(walk, one.costs({&p, 1})[0]);
  };
  Json fit{{"the truth", error(*recorded, truth)}, {"the authors' parameters", error(*recorded, authors)}};
  Json other{{"the truth", error(*held_out, truth)}, {"the authors' parameters", error(*held_out, authors)}};
  Json found = Json::object();
  std::vector<Series> curves;
  Found best;
  best.cost = std::numeric_limits<double>::infinity();
  double steps = 0;
  const auto start = std::chrono::steady_clock::now();
  ProgressSetup bar;
  bar.style = progress_style(stderr), bar.total = 2.0 * seeds, bar.labels = {" searches", " searches/s"};
  bar.now = [start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  Progress progress(std::move(bar));
  double done = 0;
  Json by_method = Json::object();
  for (const char* method : {"cma", "es"}) {
    std::vector<double> errors;
    for (int seed = 1; seed <= seeds; ++seed) {
      Found f = search(*recorded, method, seed, budget, threads, steps);
      errors.push_back(error_of(*recorded, f.cost));
      curves.push_back(f.curve);
      if (f.cost < best.cost) best = std::move(f);
      progress.update(done += 1);
    }
    std::sort(errors.begin(), errors.end());
    by_method[method] = {{"least", errors.front()}, {"median", errors[errors.size() / 2]}, {"most", errors.back()}};
  }
  progress.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fit["found"] = error_of(*recorded, best.cost), other["found"] = error(*held_out, best.best);
  for (std::size_t i = 0; i < kCount; ++i) {
    const Parameter& p = kParameters[i];
    found[p.name] = {{"unit", p.unit}, {"truth", p.truth}, {"found", value_of(p, best.best[i])}};
  }
  if (!options.out.empty()) {
    if (!write_plot({"Error of pitch and roll", "evaluations", "root mean square [deg]", curves}, options.out, "motoflex_fit_search")) return std::nullopt;
    Plot plot{"Pitch of a walk that was not fitted to", "time [s]", "pitch [deg]", {}};
    const std::pair<const char*, const optimise::Point*> lines[] = {{"found", &best.best}, {"authors", &authors}};
    const auto line = [](const char* name, const std::vector<double>& pitch) {
      Series s{name, {}, {}};
      for (std::size_t k = 0; k < pitch.size(); ++k) s.x.push_back(kSampleTime * static_cast<double>(k + 1)), s.y.push_back(pitch[k] / kDegree);
      return s;
    };
    plot.series.push_back(line("recorded", held_out->pitch));
    for (const auto& [name, point] : lines) {
      Walk swing;
      Candidates one(*held_out, 1, 1);
      one.costs({point, 1}, &swing);
      plot.series.push_back(line(name, swing.pitch));
    }
    if (!write_plot(plot, options.out, "motoflex_fit_held_out")) return std::nullopt;
  }
  Json rows = Json::array();
  rows.push_back(row("error of pitch and roll on the walk that was fitted, noise 0.2 included", "deg", nullptr, nullptr, fit));
  rows.push_back(row("the same on a walk that was not", "deg", nullptr, nullptr, other));
  rows.push_back(row("parameters", "", nullptr, nullptr, found));
  rows.push_back(row("error after " + std::to_string(budget) + " evaluations, " + std::to_string(seeds) + " seeds", "deg", nullptr, nullptr, by_method));
  rows.push_back(row("steps of robots a second, searches included, " + std::to_string(threads) + " threads", "1/s", nullptr, nullptr, steps / seconds));
  rows.push_back(row("time for the paper's 4e9 steps at that speed", "min", 24 * 60, nullptr, 4e9 / (steps / seconds) / 60));
  char verdict[160];
  std::snprintf(verdict, sizeof verdict, "%.0f million robot steps in %.0f s; on a walk not fitted to, the found robot errs by %.2f deg, the authors' by %.2f",
                steps * 1e-6, seconds, other["found"].get<double>(), other["the authors' parameters"].get<double>());
  return Json{{"name", "motoflex-fit"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli

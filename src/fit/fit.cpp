#include "fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "fit/numbers.h"
#include "optimise/optimiser.h"
#include "optimise/space.h"

namespace gradus::fit {
namespace {

using optimise::Axis;
using optimise::Point;

constexpr double kBad = 1e3;          // error of a servo that cannot be simulated
constexpr double kWidestOffset = 0.3;  // [rad]
constexpr double kFixed = 0.25;       // largest spread, as a share, of a number that is fixed
constexpr double kDescribes = 0.9;
constexpr double kDeviations = 2.6;   // of the stated spread: 99 % where (1) holds, since it is linear and the servo is not

/// A part that a chain may have.
struct Stage {
  const char* name;
  std::vector<const char*> numbers;
  const char* needs = "";          // another stage
  const char* excludes = "";
  bool position_only = false;
};

const std::vector<Stage>& all_stages() {
  static const std::vector<Stage> all = {
      {"delay", {"delay"}},
      {"damping", {"controller.kd"}, "", "", true},
      {"load", {"friction.load"}},
      {"stribeck", {"friction.stribeck", "friction.stribeck_speed"}},
      {"load_stribeck", {"friction.load_stribeck", "friction.stribeck_speed"}, "load"},
      {"lag", {"motor.inductance"}},
      {"elastic", {"gear.stiffness", "gear.damping"}, "", "elastic_behind_encoder"},
      {"elastic_behind_encoder", {"gear.stiffness", "gear.damping"}, "", "elastic", true},
      {"play", {"gear.play"}, "elastic"},
      {"offset", {}, "", "", true},
  };
  return all;
}

/// A chain with some free numbers.
struct Model {
  DriveSpec plain;  // with what is known
  Bench bench;
  std::vector<const Number*> free;
  std::function<Axis(const Number&)> axis_of;  // between which bounds a number is looked for
  bool free_offset = false;
  bool voltage = false;  // the motor's back EMF is that of its torque constant
  std::vector<std::string> stages;

  std::vector<Axis> axes() const {
    std::vector<Axis> out;
    for (const Number* n : free) out.push_back(axis_of(*n));
    if (free_offset) out.push_back({"encoder offset", "rad", -kWidestOffset, kWidestOffset, false});
    return out;
  }
  std::size_t size() const { return free.size() + free_offset; }
  DriveSpec drive(const Point& u) const {
    DriveSpec d = plain;
    for (std::size_t i = 0; i < free.size(); ++i)
      free[i]->at(d) = optimise::value_of(axis_of(*free[i]), u[i]);
    if (voltage) d.motor.back_emf = d.motor.torque_constant;
    return d;
  }
  Bench bench_of(const Point& u) const {
    Bench b = bench;
    if (free_offset) b.offset = optimise::value_of({"", "", -kWidestOffset, kWidestOffset, false}, u.back());
    return b;
  }
  void add_free(const char* name) {
    const Number& n = number(name);
    if (std::find(free.begin(), free.end(), &n) == free.end()) free.push_back(&n);
  }
  void add(const Stage& s) {
    stages.emplace_back(s.name);
    for (const char* n : s.numbers) add_free(n);
    if (std::string(s.name) == "offset") free_offset = true;
    // A torque that comes late: a motor of 1 ohm and 1 N m/A without back EMF, so that volts are newton metres.
    if (std::string(s.name) == "lag" && !voltage) plain.motor.resistance = plain.motor.torque_constant = 1;
    if (std::string(s.name).starts_with("elastic")) {
      plain.gear.model = GearModel::elastic;
      plain.controller.motor_side = std::string(s.name) == "elastic_behind_encoder";
    }
  }
  bool has(const std::string& stage) const { return std::find(stages.begin(), stages.end(), stage) != stages.end(); }
};

/// How strong and how heavy it is, roughly: bounds and starts are shares of these.
struct Scale {
  double torque = 0;   // largest that gravity, or the drive, exerted       [N m]
  double inertia = 0;  // least that was moved                              [kg m²]
};

class Fitter {
 public:
  Fitter(const std::vector<Recording>& recordings, const Options& options) : all_(recordings), o_(options) {}

  std::optional<Result> run() {
    choose_groups();
    find_scale();
    for (const Recording& r : judged_) coarse_.emplace_back(r, coarse_step());
    for (const Recording& r : all_) fine_.emplace_back(r, kStep);
    Model model = base();
    if (o_.known.model)
      take_given(model);
    else
      choose(model);
    if (stopped()) return std::nullopt;
    return finish(model);
  }

 private:
  bool stopped() const { return o_.stop && *o_.stop; }
  void tell(const std::string& text) const {
    if (o_.tell) o_.tell(text);
  }

  /// Three parts, every trajectory and every setting (gain, mass, length) in each as far as there are enough: in an index
  /// the trajectories of a setting follow each other. A single recording is cut in three.
  void choose_groups() {
    if (all_.size() == 1) {
      for (int i = 0; i < 3; ++i) judged_.push_back(part_of(all_[0], i / 3.0, (i + 1) / 3.0));
      group_ = {0, 1, 2}, groups_ = 3;
      return;
    }
    judged_ = all_;
    groups_ = static_cast<int>(std::min<std::size_t>(all_.size(), 3));
    std::map<std::tuple<double, double, double, double, double, double>, int> settings, in_setting;
    for (const Recording& r : all_) {
      const auto key = std::tuple(r.kp, r.kd, r.mass + r.arm, r.length, r.inertia, r.volts);
      const int setting = settings.try_emplace(key, static_cast<int>(settings.size())).first->second;
      group_.push_back((setting + in_setting[key]++) % groups_);
    }
  }

  void find_scale() {
    for (const Recording& r : all_) {
      const double J = r.inertia > 0 ? r.inertia : (r.mass + r.arm / 3) * r.length * r.length;
      if (J > 0) scale_.inertia = scale_.inertia > 0 ? std::min(scale_.inertia, J) : J;
      for (std::size_t i = 0; i < r.t.size(); ++i)
        scale_.torque = std::max(scale_.torque, r.measures_torque() ? std::fabs(r.torque[i]) : r.inertia > 0 ? 0 : (r.mass + r.arm / 2) * r.length * 9.81);
      if (r.inertia > 0) scale_.torque = std::max(scale_.torque, 1000 * r.inertia);  // a servo that reaches 50 rad/s in 50 ms
    }
    if (scale_.inertia == 0) scale_.inertia = scale_.torque / 500;
  }

  /// By powers between two bounds; begins in their middle unless begin is given.
  struct Bounds {
    double low, high, begin;
  };
  Bounds bounds_of(const Number& n) const {
    const double T = scale_.torque, J = scale_.inertia, V = o_.known.volts;
    const std::string name = name_of(n);
    const double kp = !o_.known.voltage && !all_[0].measures_torque() ? all_[0].kp : 0, kd = kp > 0 ? all_[0].kd : 0;
    if (name == "delay") return {5e-4, 0.03, 0.004};
    if (name == "controller.kp") {
      if (kp > 0) return {kp / 3, 3 * kp, kp};
      if (o_.known.voltage) return V > 0 ? Bounds{0.03 * V, 10 * V, 0.4 * V} : Bounds{1, 300, 20};
      return {0.3 * T, 100 * T, 5 * T};
    }
    if (name == "controller.kd") {
      if (kd > 0) return {kd / 10, 10 * kd, kd};
      return o_.known.voltage ? Bounds{1e-3, 5, 0.1} : Bounds{3e-3 * T, 3 * T, 0.05 * T};
    }
    if (name == "controller.limit") return {0.1, 30, 3};
    if (name == "motor.resistance") return {1, 20, 5};
    if (name == "motor.inductance") return o_.known.volts > 0 ? Bounds{1e-3, 0.3, 0.02} : Bounds{3e-4, 0.1, 4e-3};
    if (name == "motor.torque_constant") return V > 0 ? Bounds{1 * T / V, 60 * T / V, 6 * T / V} : Bounds{0.01, 1, 0.1};
    if (name == "motor.inertia") return {0.02 * J, 50 * J, 0.5 * J};
    if (name == "friction.coulomb" || name == "friction.stribeck") return {1e-3 * T, 0.5 * T, 0.02 * T};
    if (name == "friction.viscous") return {3e-4 * T, 0.3 * T, 0.01 * T};
    if (name == "friction.stribeck_speed") return {0.05, 5, 0.8};
    if (name == "friction.load" || name == "friction.load_stribeck") return {0.01, 0.9, 0.15};
    if (name == "gear.play") return {5e-4, 0.1, 4e-3};
    if (name == "gear.stiffness") return {5 * T, 3000 * T, 100 * T};
    if (name == "gear.damping") return {0.01 * T, 10 * T, 0.2 * T};
    return {n.low, n.high, std::sqrt(n.low * n.high)};
  }
  std::function<Axis(const Number&)> axes_by_scale() const {
    return [this](const Number& n) {
      const Bounds b = bounds_of(n);
      return Axis{name_of(n), "", b.low, b.high, true};
    };
  }

  Model base() const {
    Model m;
    m.axis_of = axes_by_scale();
    m.voltage = o_.known.voltage;
    const Recording& r = all_[0];
    for (const Recording& one : all_)
      if (one.kp > 0) m.bench.reference_kp = m.bench.reference_kp > 0 ? std::min(m.bench.reference_kp, one.kp) : one.kp;
    m.bench.reference_volts = o_.known.volts;
    for (const char* n : {"controller.kp", "motor.inertia", "friction.coulomb", "friction.viscous"}) m.add_free(n);
    if (o_.known.voltage) {
      m.add_free("motor.torque_constant");
      if (o_.known.volts > 0) {
        m.plain.controller.limit = o_.known.volts;
        m.plain.motor.resistance = 1;
        m.add_free("motor.resistance");
      } else {
        m.plain.motor.resistance = 1;
        m.add_free("controller.limit");
      }
    } else {
      if (o_.known.limit > 0) m.plain.controller.limit = o_.known.limit;
      m.add_free("controller.kd");
      // With one torque gain in the recordings, the command says what arrives: kp is searched near it.
      if (!r.measures_torque() && m.bench.reference_kp > 0) m.bench.reference_kp = 0;
    }
    if (r.measures_torque()) m.plain.controller.error_rate = false;
    m.stages = {"base"};
    return m;
  }

  /// Every number of the given chain that is not zero is free.
  void take_given(Model& m) const {
    m.plain = *o_.known.model;
    m.voltage = m.plain.electrical() && m.plain.motor.back_emf == m.plain.motor.torque_constant;
    m.free.clear();
    m.axis_of = [given = m.plain](const Number& n) {  // two decades either way
      DriveSpec d = given;
      const double x = n.at(d), top = name_of(n).starts_with("friction.load") ? 0.9 : 100 * x;
      return Axis{name_of(n), "", x / 100, std::max(std::min(top, 100 * x), x), true};
    };
    m.stages = {m.plain.name.empty() ? "as given" : m.plain.name};
    for (const Number& n : numbers()) {
      const std::string name = name_of(n);
      const bool known = name == "motor.resistance" || name == "controller.limit" || name == "motor.back_emf" || name == "gear.ratio" ||
                         name == "gear.efficiency" || (name == "friction.stribeck_speed" && m.plain.friction.stribeck == 0 && m.plain.friction.load_stribeck == 0);
      if (!known && n.at(m.plain) > 0 && std::isfinite(n.at(m.plain))) m.free.push_back(&n);
    }
  }

  Point start_of(const Model& m) const {
    Point u;
    for (const Number* n : m.free) {
      DriveSpec d = m.plain;
      u.push_back(optimise::coordinate_of(m.axis_of(*n), o_.known.model ? n->at(d) : bounds_of(*n).begin));
    }
    if (m.free_offset) u.push_back(0.5);
    return u;
  }

  // ---- errors

  double error(const Model& m, const Point& u, const std::vector<const Steps*>& parts) const {
    const DriveSpec d = m.drive(u);
    const Bench b = m.bench_of(u);
    double sum = 0;
    std::vector<double> simulated;
    for (const Steps* r : parts) {
      evaluations_ += 1;
      r->simulate(d, b, simulated);
      sum += judge(r->recording(), simulated, o_.rms);
    }
    return sum / static_cast<double>(parts.size());
  }

 public:
  static double judge(const Recording& r, const std::vector<double>& simulated, bool rms) {
    const std::vector<double>& y = r.measured();
    const std::size_t first = r.first_judged();
    const double n = static_cast<double>(y.size() - first);
    double mean = 0, sum = 0;
    if (r.inertia > 0)
      for (std::size_t i = 0; i < y.size(); ++i) mean += (simulated[i] - y[i]) / n;
    for (std::size_t i = first; i < y.size(); ++i) {
      const double e = simulated[i] - y[i] - mean;
      sum += rms ? e * e : std::fabs(e);
    }
    const double out = rms ? std::sqrt(sum / n) : sum / n;
    return std::isfinite(out) ? std::min(out, kBad) : kBad;
  }

 private:
  struct Found {
    Point u;
    double error = kBad;
  };

  /// CMA-ES over the free numbers.
  Found search(const Model& m, const std::vector<const Steps*>& parts, const Point& start, double spread, int evaluations,
               std::int64_t seed) const {
    optimise::Setup setup;
    setup.size = m.size(), setup.seed = seed, setup.start = start, setup.spread = spread;
    setup.population = (spread > 0.15 ? 16 : 8) + 2 * static_cast<std::int64_t>(m.size() / 2);
    const auto cma = optimise::make_optimiser("cma", setup);
    double last = kBad;
    std::int64_t checked = 0;
    while (cma->evaluations() < evaluations && !stopped()) {
      const auto points = cma->ask();
      std::vector<double> values(points.size());
      std::atomic<std::size_t> next{0};
      const auto work = [&] {
        for (std::size_t i = next++; i < points.size(); i = next++) values[i] = error(m, points[i], parts);
      };
      std::vector<std::thread> team;
      for (int t = 1; t < o_.threads; ++t) team.emplace_back(work);
      work();
      for (auto& t : team) t.join();
      cma->tell(values);
      if (cma->evaluations() - checked > 40 * static_cast<std::int64_t>(m.size())) {  // no longer worth it
        if (last - cma->best_value() < 2e-4 * cma->best_value()) break;
        last = cma->best_value(), checked = cma->evaluations();
      }
    }
    return {cma->best(), cma->best_value()};
  }

  // ---- which model

  /// Fitted without each group in turn, judged on it: error by recording.
  std::vector<double> cross_validate(const Model& m, const Point& start, double spread, int evaluations) const {
    std::vector<double> by(judged_.size(), NAN);
    for (int g = 0; g < groups_ && !stopped(); ++g) {
      std::vector<const Steps*> seen;
      for (std::size_t i = 0; i < judged_.size(); ++i)
        if (group_[i] != g) seen.push_back(&coarse_[i]);
      const Found f = search(m, seen, start, spread, evaluations, o_.seed + 100 + g);
      for (std::size_t i = 0; i < judged_.size(); ++i)
        if (group_[i] == g) by[i] = error(m, f.u, {&coarse_[i]});
    }
    return by;
  }

  static std::vector<const Steps*> pointers(const std::vector<Steps>& steps) {
    std::vector<const Steps*> out;
    for (const Steps& s : steps) out.push_back(&s);
    return out;
  }

  /// The start of a larger model: the smaller one's numbers, the new ones as is usual.
  Point extended(const Model& small, const Point& u, const Model& large) const {
    Point out;
    for (const Number* n : large.free) {
      const auto it = std::find(small.free.begin(), small.free.end(), n);
      out.push_back(it != small.free.end() ? u[static_cast<std::size_t>(it - small.free.begin())]
                                           : optimise::coordinate_of(large.axis_of(*n), bounds_of(*n).begin));
    }
    if (large.free_offset) out.push_back(small.free_offset ? u.back() : 0.5);
    return out;
  }

  /// A ladder of models, each with one thing more than the one before; on top of it the two elastic gears. The simplest
  /// that is within one standard error of the best.
  void choose(Model& model) {
    const auto parts = pointers(coarse_);
    struct Rung {
      Model model;
      Found found;
      std::vector<double> by;  // errors on what it had not seen, as logarithms
    };
    std::vector<Rung> rungs;
    const auto climb = [&](Model m, const Rung* below) {
      Rung r{std::move(m), {}, {}};
      const int n = static_cast<int>(r.model.size());
      r.found = search(r.model, parts, start_of(r.model), 0.25, 200 * n, o_.seed);
      if (below) {
        const Found f = search(r.model, parts, extended(below->model, below->found.u, r.model), 0.1, 200 * n, o_.seed + 1);
        if (f.error < r.found.error) r.found = f;
      }
      if (stopped()) return;
      r.by = cross_validate(r.model, r.found.u, 0.06, 120 * n);
      trials_.push_back({r.model.stages, mean(r.by), 0, false});
      tell(fmt::format("{}: {:.4g}, on what it had not seen {:.4g}", fmt::join(r.model.stages, " "), r.found.error, mean(r.by)));
      for (double& e : r.by) e = std::log(std::max(e, 1e-12));  // one recording that is hard to follow must not decide alone
      rungs.push_back(std::move(r));
    };
    const auto add = [&](Model m, std::initializer_list<const char*> names) {
      for (const char* name : names)
        for (const Stage& s : all_stages())
          if (s.name == std::string(name) && may_have(m, s)) m.add(s);
      return m;
    };
    climb(model, nullptr);
    for (const auto& more : {std::initializer_list<const char*>{"damping", "lag"}, {"delay"}, {"load"}, {"stribeck", "load_stribeck"}, {"offset"}}) {
      if (stopped()) return;
      const Model next = add(rungs.back().model, more);
      if (next.size() > rungs.back().model.size()) climb(next, &rungs.back());
    }
    const std::size_t below = rungs.size() - 1;
    for (const auto& gear : {std::initializer_list<const char*>{"elastic_behind_encoder"}, {"elastic", "play"}}) {
      if (stopped()) return;
      const Model next = add(rungs[below].model, gear);
      const Rung copy = rungs[below];
      if (next.size() > copy.model.size()) climb(next, &copy);
    }
    if (stopped()) return;
    std::size_t best = 0, taken = 0;
    for (std::size_t i = 1; i < rungs.size(); ++i)
      if (mean(rungs[i].by) < mean(rungs[best].by)) best = i;
    while (mean(rungs[taken].by) - mean(rungs[best].by) > standard_error(rungs[taken].by, rungs[best].by)) ++taken;
    for (std::size_t i = 0; i < trials_.size(); ++i) trials_[i].error = standard_error(rungs[i].by, rungs[best].by);
    trials_[taken].taken = true;
    tell(fmt::format("taken: {}", fmt::join(rungs[taken].model.stages, " ")));
    model = rungs[taken].model;
    chosen_ = rungs[taken].found.u;
  }

  /// While choosing: no longer than a sample, no more than 2 ms.
  double coarse_step() const {
    double h = 0.002;
    for (const Recording& r : all_) h = std::min(h, (r.t.back() - r.t.front()) / static_cast<double>(r.t.size()) * 0.9);
    return std::max(h, kStep);
  }

  bool may_have(const Model& m, const Stage& s) const {
    const bool torque = all_[0].measures_torque();
    const bool has_what_it_needs = !*s.needs || m.has(s.needs) || (std::string(s.needs) == "elastic" && m.has("elastic_behind_encoder"));
    if (m.has(s.name) || !has_what_it_needs || (*s.excludes && m.has(s.excludes))) return false;
    if (std::string(s.name) == "lag" && !o_.known.voltage && !torque) return false;  // cannot be told from a delay by positions
    if (s.position_only && torque) return false;
    // With the supply known the back EMF is the damping; a second one beside it follows noise.
    if (std::string(s.name) == "damping" && o_.known.voltage && o_.known.volts > 0) return false;
    if (std::string(s.name) == "offset") return all_[0].inertia == 0;
    for (const char* n : s.numbers)
      if (std::find(m.free.begin(), m.free.end(), &number(n)) == m.free.end()) return true;
    return false;
  }

  static double mean(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size()); }
  /// Of the mean difference of two models over the recordings.
  static double standard_error(const std::vector<double>& a, const std::vector<double>& b) {
    const double n = static_cast<double>(a.size()), d = mean(a) - mean(b);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(a[i] - b[i] - d, 2);
    return n > 1 ? std::sqrt(sum / (n - 1) / n) : 0;
  }

  // ---- numbers, and how sure they are

  std::optional<Result> finish(const Model& m) {
    const int evaluations = o_.evaluations > 0 ? o_.evaluations : 200 * static_cast<int>(m.size());
    const auto parts = pointers(fine_);
    std::vector<Found> ends;
    for (int i = 0; i < std::max(1, o_.restarts) && !stopped(); ++i) {
      tell(fmt::format("numbers, search {} of {}", i + 1, std::max(1, o_.restarts)));
      const bool near = i == 0 && (!chosen_.empty() || o_.known.model);
      ends.push_back(search(m, parts, near && !chosen_.empty() ? chosen_ : start_of(m), near ? 0.04 : i == 1 ? 0.2 : 0.3, evaluations, o_.seed + 10 + i));
      if (!o_.rms) continue;
      polish(m, ends.back());
      if (i > 0) {
        ends.back().error = error(m, ends.back().u, parts);
        continue;
      }
      // Friction and play make the valley's floor rough: once more around from where it was stuck.
      Found around = search(m, parts, ends.back().u, 0.01, 80 * static_cast<int>(m.size()), o_.seed + 20);
      polish(m, around);
      around.error = error(m, around.u, parts), ends.back().error = error(m, ends.back().u, parts);
      if (around.error < ends.back().error) ends.back() = around;
    }
    if (stopped()) return std::nullopt;
    const Found best = *std::min_element(ends.begin(), ends.end(), [](const Found& a, const Found& b) { return a.error < b.error; });
    Result out;
    out.stages = m.stages, out.trials = trials_;
    out.drive = m.drive(best.u), out.bench = m.bench_of(best.u);
    out.train = best.error;
    double explained = 0, whole = 0;
    std::vector<double> simulated;
    for (const Steps& steps : fine_) {
      const Recording& r = steps.recording();
      steps.simulate(out.drive, out.bench, simulated);
      out.train_by.push_back(judge(r, simulated, o_.rms));
      add_range(r, out.range);
      const auto& y = r.measured();
      const double mid = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
      double shift = 0;
      if (r.inertia > 0)
        for (std::size_t i = 0; i < y.size(); ++i) shift += (simulated[i] - y[i]) / static_cast<double>(y.size());
      for (std::size_t i = r.first_judged(); i < y.size(); ++i)
        explained += std::pow(simulated[i] - y[i] - shift, 2), whole += std::pow(y[i] - mid, 2);
    }
    out.share_explained = std::isfinite(explained) ? 1 - explained / whole : -INFINITY;
    out.describes = out.share_explained >= kDescribes;
    tell("error on what was left out");
    out.held_out_by = cross_validate(m, best.u, 0.05, std::min(evaluations, 150 * static_cast<int>(m.size())));
    out.held_out = mean(out.held_out_by);
    out.restart_spread = std::max_element(ends.begin(), ends.end(), [](const Found& a, const Found& b) { return a.error < b.error; })->error - best.error;
    tell("spread of the numbers");
    add_estimates(m, best, ends, out);
    out.evaluations = evaluations_;
    return out;
  }

  void add_range(const Recording& r, Range& range) const {
    const bool first = range.highest == 0 && range.lowest == 0 && range.speed == 0;
    const auto [low, high] = std::minmax_element(r.pos.begin(), r.pos.end());
    range.lowest = first ? *low : std::min(range.lowest, *low), range.highest = first ? *high : std::max(range.highest, *high);
    // speeds over a twentieth of a second: encoders count in steps
    std::size_t j = 0;
    for (std::size_t i = 0; i < r.t.size(); ++i) {
      while (r.t[i] - r.t[j] > 0.05) ++j;
      if (r.t[i] - r.t[j] > 0.03) range.speed = std::max(range.speed, std::fabs(r.pos[i] - r.pos[j]) / (r.t[i] - r.t[j]));
      if (r.measures_torque()) range.torque = std::max(range.torque, std::fabs(r.torque[i]));
      else if (r.inertia == 0)
        range.torque = std::max(range.torque, std::fabs((r.mass + r.arm / 2) * r.length * 9.81 * std::sin(r.pos[i])));
    }
    if (r.volts > 0) {
      range.low_volts = range.low_volts > 0 ? std::min(range.low_volts, r.volts) : r.volts;
      range.high_volts = std::max(range.high_volts, r.volts);
    }
  }

  /// Jᵀ J, Jᵀ r and Σ r² of all recordings, and how many residuals count after their autocorrelation.
  struct Normal {
    std::vector<double> A, g;
    double squares = 0, effective = 0, count = 0;
  };
  Normal normal_equations(const Model& m, const Point& at) const {
    const std::size_t p = m.size();
    const double step = 2e-3;
    Normal out{std::vector<double>(p * p, 0.0), std::vector<double>(p, 0.0)};
    for (const Steps& steps : fine_) {
      const Recording& r = steps.recording();
      const auto& y = r.measured();
      std::vector<double> simulated;
      const auto centred = [&](std::vector<double> x) {  // a flywheel's encoder has no zero
        double middle = 0;
        if (r.inertia > 0)
          for (const double v : x) middle += v / static_cast<double>(x.size());
        for (double& v : x) v -= middle;
        return x;
      };
      const std::size_t first = r.first_judged();
      const auto run = [&](const Point& u) {
        steps.simulate(m.drive(u), m.bench_of(u), simulated);
        return std::vector<double>(simulated.begin() + static_cast<std::ptrdiff_t>(first), simulated.end());
      };
      std::vector<double> e = run(at);
      for (std::size_t i = 0; i < e.size(); ++i) e[i] -= y[first + i];
      e = centred(std::move(e));
      double zero = 0;
      for (const double x : e) zero += x * x;
      double nu = 1;  // ν
      for (std::size_t lag = 1; lag < e.size() / 4 && zero > 0; ++lag) {
        double rho = 0;
        for (std::size_t i = lag; i < e.size(); ++i) rho += e[i] * e[i - lag];
        if (rho <= 0) break;
        nu += 2 * rho / zero;
      }
      out.squares += zero, out.count += static_cast<double>(e.size()), out.effective += static_cast<double>(e.size()) / nu;
      std::vector<std::vector<double>> J;
      for (std::size_t k = 0; k < p; ++k) {
        Point up = at, down = at;
        up[k] = std::min(1.0, up[k] + step), down[k] = std::max(0.0, down[k] - step);
        std::vector<double> a = run(up);
        const std::vector<double> b = run(down);
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = (a[i] - b[i]) / (up[k] - down[k]);
        J.push_back(centred(std::move(a)));
      }
      for (std::size_t a = 0; a < p; ++a) {
        for (std::size_t i = 0; i < e.size(); ++i) out.g[a] += J[a][i] * e[i];
        for (std::size_t b = 0; b < p; ++b)
          for (std::size_t i = 0; i < e.size(); ++i) out.A[a * p + b] += J[a][i] * J[b][i];
      }
    }
    return out;
  }

  double squares_at(const Model& m, const Point& u) const {
    double sum = 0;
    std::vector<double> simulated;
    for (const Steps& steps : fine_) {
      steps.simulate(m.drive(u), m.bench_of(u), simulated);
      const double e = judge(steps.recording(), simulated, true);
      sum += e * e * static_cast<double>(simulated.size() - steps.recording().first_judged());
    }
    return sum;
  }

  /// To the bottom of the valley that the search found [Levenberg, Marquardt]; for least squares only.
  void polish(const Model& m, Found& f) const {
    const std::size_t p = m.size();
    double damping = 1e-3, now = squares_at(m, f.u);
    for (int round = 0; round < 15 && !stopped(); ++round) {
      const Normal n = normal_equations(m, f.u);
      bool better = false;
      for (int attempt = 0; attempt < 8 && !better; ++attempt) {
        std::vector<double> A = n.A;
        for (std::size_t k = 0; k < p; ++k) A[k * p + k] += damping * n.A[k * p + k] + 1e-12;
        const std::vector<double> inverse = inverse_of(A, p);
        Point u = f.u;
        for (std::size_t a = 0; a < p && !inverse.empty(); ++a) {
          for (std::size_t b = 0; b < p; ++b) u[a] -= inverse[a * p + b] * n.g[b];
          u[a] = std::clamp(u[a], 0.0, 1.0);
        }
        const double then = squares_at(m, u);
        better = then < now;
        damping = better ? std::max(damping / 5, 1e-9) : damping * 4;
        if (!better) continue;
        const bool enough = now - then < 1e-7 * now;
        f.u = std::move(u), now = then;
        if (enough) return;
      }
      if (!better) return;
    }
  }

  /// How far the numbers can be trusted (1).
  void add_estimates(const Model& m, const Found& best, const std::vector<Found>& ends, Result& out) const {
    const std::size_t p = m.size();
    Normal n = normal_equations(m, best.u);
    std::vector<double>& A = n.A;
    const double squares = n.squares, effective = n.effective, count = n.count;
    const double nu = count / effective, s2 = squares / std::max(1.0, effective - static_cast<double>(p)) / nu;
    // spread = diagonal of (A/ν)⁻¹ scaled; a direction that nothing depends on is bounded by the cube
    for (std::size_t k = 0; k < p; ++k) A[k * p + k] += 1e-9 * A[k * p + k] + s2 * nu / 4;
    const std::vector<double> inverse = inverse_of(A, p);
    const std::vector<Axis> axes = m.axes();
    for (std::size_t k = 0; k < p; ++k) {
      double half = inverse.empty() ? 1 : kDeviations * std::sqrt(std::max(0.0, inverse[k * p + k] * s2 * nu));
      if (!std::isfinite(half)) half = 1;
      double low = std::max(0.0, best.u[k] - half), high = std::min(1.0, best.u[k] + half);
      for (const Found& f : ends)
        if (f.error < 1.01 * best.error) low = std::min(low, f.u[k]), high = std::max(high, f.u[k]);
      Estimate e;
      e.name = axes[k].name;
      e.unit = k < m.free.size() ? unit_of(*m.free[k], out.drive) : "rad";
      e.value = optimise::value_of(axes[k], best.u[k]);
      e.low = optimise::value_of(axes[k], low), e.high = optimise::value_of(axes[k], high);
      const double widest = std::max(e.value - e.low, e.high - e.value);
      e.fixed = axes[k].decades ? widest <= kFixed * e.value : widest <= 0.01;
      e.at_border = best.u[k] < 0.005 || best.u[k] > 0.995;
      out.estimates.push_back(std::move(e));
    }
  }

  /// Gauss and Jordan; empty where there is no inverse.
  static std::vector<double> inverse_of(std::vector<double> A, std::size_t n) {
    std::vector<double> B(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) B[i * n + i] = 1;
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c; r < n; ++r)
        if (std::fabs(A[r * n + c]) > std::fabs(A[pivot * n + c])) pivot = r;
      for (std::size_t k = 0; k < n; ++k) std::swap(A[c * n + k], A[pivot * n + k]), std::swap(B[c * n + k], B[pivot * n + k]);
      const double d = A[c * n + c];
      if (d == 0 || !std::isfinite(d)) return {};
      for (std::size_t k = 0; k < n; ++k) A[c * n + k] /= d, B[c * n + k] /= d;
      for (std::size_t r = 0; r < n; ++r) {
        if (r == c) continue;
        const double f = A[r * n + c];
        for (std::size_t k = 0; k < n; ++k) A[r * n + k] -= f * A[c * n + k], B[r * n + k] -= f * B[c * n + k];
      }
    }
    return B;
  }

  const std::vector<Recording>& all_;
  const Options& o_;
  Scale scale_;
  std::vector<Recording> judged_;  // all, or parts of the only one
  std::vector<Steps> coarse_, fine_;  // of judged_, of all_
  std::vector<int> group_;         // of each of judged_
  int groups_ = 0;
  std::vector<Trial> trials_;
  Point chosen_;
  mutable std::atomic<std::int64_t> evaluations_{0};
};

}  // namespace

std::optional<Result> fit(const std::vector<Recording>& recordings, const Options& options) {
  return Fitter(recordings, options).run();
}

double error_on(const Recording& r, const DriveSpec& drive, const Bench& bench, bool rms) {
  std::vector<double> simulated;
  Steps(r, kStep).simulate(drive, bench, simulated);
  return Fitter::judge(r, simulated, rms);
}

std::string passport(const Result& result, const std::vector<Recording>& recordings, bool rms) {
  const char* unit = recordings[0].measures_torque() ? "N m" : "rad";
  std::string out = "[passport]\n";
  std::string names;
  for (const Recording& r : recordings) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", r.file);
  out += fmt::format("recordings = [{}]\n", names);
  out += fmt::format("error = \"{}\"\n", rms ? "rms" : "mean");
  out += fmt::format("train = \"{:.4g} {}\"\n", result.train, unit);
  if (std::isfinite(result.held_out)) out += fmt::format("held_out = \"{:.4g} {}\"\n", result.held_out, unit);
  std::string stages, fixed, loose;
  for (const std::string& s : result.stages) stages += fmt::format("{}\"{}\"", stages.empty() ? "" : ", ", s);
  for (const Estimate& e : result.estimates) {
    std::string& list = e.fixed ? fixed : loose;
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", e.name);
  }
  out += fmt::format("stages = [{}]\nfixed = [{}]\nnot_fixed = [{}]\n", stages, fixed, loose);
  if (result.bench.reference_kp > 0) out += fmt::format("gain = {:.6g}\n", result.bench.reference_kp);
  const Range& x = result.range;
  if (!recordings[0].measures_torque()) out += fmt::format("angle = [\"{:.4g} rad\", \"{:.4g} rad\"]\n", x.lowest, x.highest);
  out += fmt::format("speed = \"{:.4g} rad/s\"\n", x.speed);
  if (x.torque > 0) out += fmt::format("torque = \"{:.4g} N m\"\n", x.torque);
  if (x.high_volts > 0) out += fmt::format("volts = [\"{:.4g} V\", \"{:.4g} V\"]\n", x.low_volts, x.high_volts);
  out += "\n[passport.spread]\n";
  for (const Estimate& e : result.estimates) out += fmt::format("\"{}\" = [{:.4g}, {:.4g}]\n", e.name, e.low, e.high);
  return out;
}

}  // namespace gradus::fit

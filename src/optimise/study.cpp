#include "optimise/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "load/scene_json.h"
#include "load/set.h"
#include "load/source_text.h"
#include "load/toml_file.h"
#include "session/scene_file.h"

namespace gradus::optimise {
namespace {

using namespace dimension;

constexpr double kInfeasible = 1e200, kFailed = 1e250;  // ranks; objectives are smaller
constexpr std::size_t kMostParameters = 500, kMostRuns = 10'000;

}  // namespace

class Study::Reader {
 public:
  Reader(Study& study, Diagnostics& log) : study_(study), log_(log) {}

  void read(const toml::table& file) {
    TableReader top(file, log_);
    if (const toml::table* t = top.table("study"))
      read_study(*t);
    else if (!top.has("study"))
      top.fault({study_.file_, 1, 1}, "there is no table [study]", "it says what to minimise or maximise");
    each(top, "parameter", [&](const toml::table& t) { read_parameter(t); });
    each(top, "scene", [&](const toml::table& t) { read_scene(t); });
    each(top, "constraint", [&](const toml::table& t) { read_constraint(t); });
    top.finish("a study");
    if (study_.axes_.empty() && !top.has("parameter"))
      top.fault({study_.file_, 1, 1}, "there is no [[parameter]]", "at least one number must be free");
    if (study_.runs_.empty() && !top.has("scene"))
      top.fault({study_.file_, 1, 1}, "there is no [[scene]]", "give one with file = \"…\"");
    Point start;
    bool any = false;
    for (std::size_t i = 0; i < study_.axes_.size(); ++i) {
      any = any || std::isfinite(starts_[i]);
      start.push_back(std::isfinite(starts_[i]) ? coordinate_of(study_.axes_[i], starts_[i]) : 0.5);
    }
    study_.setup.size = study_.axes_.size();
    if (any) study_.setup.start = start;
  }

 private:
  template <class Read>
  void each(TableReader& top, const char* key, const Read& read) {
    const toml::node* node = top.get(key);
    if (node == nullptr) return;
    const toml::array* all = node->as_array();
    if (all == nullptr) return top.fault(place_of(*node), std::string(key) + ": tables are due here", std::string("write [[") + key + "]]");
    for (const toml::node& one : *all) {
      if (const toml::table* t = one.as_table())
        read(*t);
      else
        top.fault(place_of(one), std::string(key) + ": a table is due here", std::string("write [[") + key + "]]");
    }
  }

  std::optional<Expression> formula(TableReader& t, const char* key) {
    std::string text;
    if (!t.text(key, text)) return std::nullopt;
    auto parsed = Expression::parse(text, t.place(key));
    append(log_, parsed.notes());
    if (!parsed) return std::nullopt;
    return std::move(*parsed);
  }

  void read_study(const toml::table& table) {
    TableReader t(table, log_);
    t.text("about", study_.about_);
    study_.maximises_ = t.has("maximise");
    if (t.has("minimise") == t.has("maximise"))
      t.fault(t.place(), "what is the aim?", "give minimise = \"formula\" or maximise = \"formula\", one of them");
    for (const char* key : {"minimise", "maximise"})
      if (auto e = formula(t, key)) study_.objective_ = std::make_shared<const Expression>(std::move(*e));
    if (auto e = formula(t, "until")) study_.until_ = std::make_shared<const Expression>(std::move(*e));
    word(t, "over", study_.over_, {"mean", "worst"});
    std::vector<std::string> names;
    for (const Method& m : methods()) names.emplace_back(m.name);
    word(t, "method", study_.method_, names);
    constexpr std::int64_t kMany = 1'000'000'000;
    t.integer("evaluations", 1, kMany, study_.budget.evaluations);
    if (t.has("time") && !t.has("evaluations")) study_.budget.evaluations = kMany;
    t.quantity("time", kTime, study_.budget.time);
    t.integer("seed", 0, std::int64_t{1} << 52, study_.setup.seed);
    t.integer("population", 2, 1'000'000, study_.setup.population);
    t.integer("parents", 1, 1'000'000, study_.setup.parents);
    t.integer("life", 0, kMany, study_.setup.life);
    t.integer("mates", 1, 1000, study_.setup.mates);
    if (t.number("spread", study_.setup.spread) && !(study_.setup.spread > 0 && study_.setup.spread <= 1))
      t.fault(t.place("spread"), "spread must be more than 0 and at most 1", "it is a share of the range between the bounds");
    t.finish("[study]");
  }

  void word(TableReader& t, const char* key, std::string& out, const std::vector<std::string>& known) {
    std::string text;
    if (!t.text(key, text)) return;
    if (std::find(known.begin(), known.end(), text) == known.end())
      return t.fault(t.place(key), std::string(key) + ": " + in_quotes(text) + " is not known", did_you_mean(text, known));
    out = text;
  }

  void read_parameter(const toml::table& table) {
    TableReader t(table, log_);
    Axis a;
    double start = NAN;
    if (!t.text("path", a.name) && !t.has("path")) t.fault(t.place(), "a parameter needs its path", "write path = \"robot.joint.kp\"");
    Quantity low, high, first;
    const bool bounds[] = {bound(t, "low", low), bound(t, "high", high)};
    const bool good = bounds[0] && bounds[1];
    if (good && !(low.dimension == high.dimension))
      t.fault(t.place("high"), "low is " + name_of(low.dimension) + ", high is " + name_of(high.dimension), "give both the same unit");
    else if (good && !(low.value < high.value))
      t.fault(t.place("high"), "high must be above low", low.value > high.value ? "they are the wrong way round" : "");
    std::string scale = "linear";
    word(t, "scale", scale, {"linear", "log"});
    if (scale == "log" && good && !(low.value > 0))
      t.fault(t.place("low"), "on a log scale low must be above 0", "");
    if (t.has("start") && bound(t, "start", first)) {
      if (!(first.dimension == low.dimension))
        t.fault(t.place("start"), "start has another unit than low", "");
      else if (good && !(first.value >= low.value && first.value <= high.value))
        t.fault(t.place("start"), "start must be between low and high", "");
      start = first.value;
    }
    t.finish("[[parameter]]");
    a.low = low.value, a.high = high.value, a.decades = scale == "log";
    a.unit = unit_of(low.dimension);
    for (const Axis& other : study_.axes_)
      if (other.name == a.name) t.fault(t.place("path"), "parameter " + in_quotes(a.name) + " is given twice", "");
    if (study_.axes_.size() == kMostParameters) return t.fault(t.place(), "more than 500 parameters", "");
    study_.axes_.push_back(std::move(a));
    starts_.push_back(start);
    places_.push_back(t.place("path"));
  }

  /// "3 ms", or a plain number.
  bool bound(TableReader& t, const char* key, Quantity& out) {
    const toml::node* node = t.get(key);
    if (node == nullptr) return t.fault(t.place(), std::string("a parameter needs ") + key, ""), false;
    if (const auto number = node->value<double>(); number && !node->is_string()) {
      out = {*number, kNumber};
      if (!std::isfinite(*number)) t.fault(place_of(*node), std::string(key) + " is not finite", "");
      return std::isfinite(*number);
    }
    const auto text = node->value<std::string>();
    if (!text) return t.fault(place_of(*node), std::string(key) + ": a number is due here", ""), false;
    if (const auto wrong = parse_quantity(*text, out))
      return t.fault(place_of(*node), std::string(key) + ": " + wrong->text, wrong->suggestion), false;
    return true;
  }

  void read_scene(const toml::table& table) {
    TableReader t(table, log_);
    std::string name;
    if (!t.text("file", name)) {
      if (!t.has("file")) t.fault(t.place(), "a scene needs its file", "write file = \"levels\", or the path of a scene");
    }
    Run run;
    run.place = t.place();
    double duration = 0;
    if (t.quantity("for", kTime, duration) && !(duration > 0)) t.fault(t.place("for"), "a run must last longer than 0 s", "");
    if (t.number("weight", run.weight) && !(run.weight > 0)) t.fault(t.place("weight"), "weight must be above 0", "");
    std::vector<std::string> sets;
    std::vector<Place> set_places;
    t.texts("set", sets, set_places);
    std::vector<std::uint64_t> seeds;
    if (const toml::node* node = t.get("seeds")) {
      const toml::array* all = node->as_array();
      for (std::size_t i = 0; all && i < all->size(); ++i) {
        const auto n = (*all)[i].value<std::int64_t>();
        if (n && *n >= 0) seeds.push_back(static_cast<std::uint64_t>(*n));
      }
      if (!all || seeds.size() != all->size() || seeds.empty())
        t.fault(place_of(*node), "seeds: whole numbers of 0 or more are due here", "write seeds = [1, 2, 3]");
    }
    t.finish("[[scene]]");
    if (name.empty()) return;
    auto scene = load_scene_or_robot(beside(name));
    append(log_, scene.notes());
    if (!scene) return;
    Diagnostics faults;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      Diagnostics one;
      apply_set(*scene, sets[i], one);
      for (Diagnostic& d : one) d.place = set_places[i], faults.push_back(std::move(d));
    }
    append(log_, faults);
    run.duration = duration > 0 ? duration : scene->duration;
    if (!(run.duration > 0) || !std::isfinite(run.duration))
      t.fault(t.place(), "how long is the run?", "write for = \"5 s\"; the scene has no duration of its own");
    if (seeds.empty()) seeds.push_back(scene->seed);
    for (const std::uint64_t seed : seeds) {
      if (study_.runs_.size() == kMostRuns) return t.fault(t.place(), "more than 10,000 runs a candidate", "");
      Run one = run;
      one.scene = *scene;
      one.scene.seed = seed;
      one.name = fmt::format("{} seed {}", scene->name, seed);
      study_.runs_.push_back(std::move(one));
    }
  }

  /// A file beside the study, or as it is named, or one that comes with gradus.
  std::string beside(const std::string& name) const {
    const std::size_t slash = study_.file_.rfind('/');
    const std::string near = slash == std::string::npos ? name : study_.file_.substr(0, slash + 1) + name;
    if (std::FILE* f = std::fopen(near.c_str(), "rb")) return std::fclose(f), near;
    return name;
  }

  void read_constraint(const toml::table& table) {
    TableReader t(table, log_);
    auto e = formula(t, "formula");
    if (!e && !t.has("formula")) t.fault(t.place(), "a constraint needs its formula", "");
    double at_most = 0;
    if (!t.number("at_most", at_most) && !t.has("at_most")) t.fault(t.place(), "a constraint needs at_most", "");
    t.finish("[[constraint]]");
    if (e) study_.constraints_.push_back({std::move(*e), at_most});
  }

  Study& study_;
  Diagnostics& log_;
  std::vector<double> starts_;
  std::vector<Place> places_;
};

Result<Study> Study::load(const std::string& path) {
  Diagnostics log;
  const auto table = read_toml(path, log);
  if (!table) return tidy(std::move(log), path);
  Study study;
  study.file_ = path;
  Reader(study, log).read(*table);
  if (!has_errors(log)) {
    std::string all = fmt::format("{} {} {} {}\n", study.objective_->text(), study.maximises_, study.over_, study.method_);
    if (study.until_) all += study.until_->text() + "\n";
    for (const Constraint& c : study.constraints_) all += fmt::format("{} {:a}\n", c.formula.text(), c.at_most);
    for (const Axis& a : study.axes_) all += fmt::format("{} {} {:a} {:a} {}\n", a.name, a.unit, a.low, a.high, a.decades);
    for (const double u : study.setup.start) all += fmt::format("{:a} ", u);
    all += fmt::format("{:a} {} {} {}\n", study.setup.spread, study.setup.parents, study.setup.life, study.setup.mates);
    for (const Run& r : study.runs_) all += fmt::format("{} {:a} {:a} ", r.scene.seed, r.duration, r.weight) + to_json(r.scene);
    study.fingerprint_ = hash_bytes(all.data(), all.size());
    append(log, study.try_out());
  }
  Diagnostics notes = tidy(std::move(log), path);
  if (has_errors(notes)) return notes;
  return {std::move(study), std::move(notes)};
}

/// Are there such parameters and properties? Every scene with all parameters low, and with all high.
Diagnostics Study::try_out() const {
  Diagnostics out;
  for (const Run& r : runs_) {
    if (&r != &runs_.front() && r.place.line == (&r - 1)->place.line) continue;  // the same with another seed
    for (const double u : {0.0, 1.0}) {
      auto session = start(r, Point(axes_.size(), u));
      for (Diagnostic d : session.notes())
        if (d.severity == Severity::error) d.text = fmt::format("{}, parameters {}: {}", r.scene.name, u == 0 ? "low" : "high", d.text), out.push_back(std::move(d));
      if (!session) return out;
      auto bind = [&](const Expression& e) {
        const auto watch = e.bind(**session);
        append(out, watch.notes());
      };
      if (u != 0) continue;
      bind(*objective_);
      if (until_) bind(*until_);
      for (const Constraint& c : constraints_) bind(c.formula);
    }
  }
  return out;
}

std::vector<double> Study::values(const Point& u) const {
  std::vector<double> out;
  for (std::size_t i = 0; i < axes_.size(); ++i) out.push_back(value_of(axes_[i], u[i]));
  return out;
}

std::vector<std::string> Study::assignments(const Point& u) const {
  std::vector<std::string> out;
  const std::vector<double> x = values(u);
  for (std::size_t i = 0; i < axes_.size(); ++i)
    out.push_back(fmt::format("{}={}{}{}", axes_[i].name, x[i], axes_[i].unit.empty() ? "" : " ", axes_[i].unit));
  return out;
}

std::string Study::settings_file(const Point& u, const std::string& remark) const {
  std::string out = "# " + remark + "\n[settings]\n";
  const std::vector<double> x = values(u);
  for (std::size_t i = 0; i < axes_.size(); ++i)
    out += axes_[i].unit.empty() ? fmt::format("\"{}\" = {}\n", axes_[i].name, x[i])
                                 : fmt::format("\"{}\" = \"{} {}\"\n", axes_[i].name, x[i], axes_[i].unit);
  return out;
}

Result<std::unique_ptr<Session>> Study::start(const Run& run, const Point& u) const {
  SceneSpec scene = run.scene;
  Diagnostics faults;
  for (const std::string& a : assignments(u)) apply_set(scene, a, faults);
  if (has_errors(faults)) return faults;
  SessionOptions options;
  options.duration = run.duration;
  return Session::make(std::move(scene), options);
}

RunOutcome Study::run(int number, const Point& u) const {
  const Run& run = runs_[static_cast<std::size_t>(number)];
  RunOutcome out;
  auto failed = [&](std::string why) {
    out.failed = true, out.why = run.name + ": " + std::move(why);
    return out;
  };
  auto session = start(run, u);
  if (!session) return failed(session.notes().empty() ? "the scene cannot be made" : session.notes()[0].text);
  Session& s = **session;
  std::vector<Expression::Watch> watches;
  for (const Expression* e : {objective_.get(), until_.get()})
    if (e) {
      auto w = e->bind(s);
      if (!w) return failed(w.notes()[0].text);
      watches.push_back(std::move(*w));
    }
  for (const Constraint& c : constraints_) {
    auto w = c.formula.bind(s);
    if (!w) return failed(w.notes()[0].text);
    watches.push_back(std::move(*w));
  }
  for (auto& w : watches) w.look(s);
  const auto steps = static_cast<std::int64_t>(std::ceil(run.duration / s.world().model().step - 1e-9));
  for (std::int64_t k = 0; k < steps; ++k) {
    s.step();
    if (!s.stopped().empty()) return failed(s.stopped());
    for (auto& w : watches) w.look(s);
    if (until_ && watches[1].value(s) > 0) break;
  }
  out.objective = watches[0].value(s);
  const std::size_t first = until_ ? 2 : 1;
  for (std::size_t i = 0; i < constraints_.size(); ++i)
    out.violation += std::max(0.0, watches[first + i].value(s) - constraints_[i].at_most);
  if (!std::isfinite(out.objective) || !std::isfinite(out.violation)) return failed("the formula has no finite value");
  return out;
}

Outcome Study::judge(std::span<const RunOutcome> runs) const {
  Outcome out;
  double weight = 0, worst = -INFINITY;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunOutcome& r = runs[i];
    if (r.failed && out.failed++ == 0) out.why = r.why;
    if (r.failed) continue;
    const double w = runs_[i].weight, down = maximises_ ? -r.objective : r.objective;
    out.objective += w * r.objective, weight += w;
    worst = std::max(worst, down);
    out.violation += r.violation;
  }
  if (weight > 0) out.objective /= weight;
  if (over_ == "worst") out.objective = maximises_ ? -worst : worst;
  const double down = std::clamp(maximises_ ? -out.objective : out.objective, -1e150, 1e150);
  out.rank = out.failed > 0 ? kFailed * out.failed : out.violation > 0 ? kInfeasible * (1 + std::min(out.violation, 1e40)) : down;
  return out;
}

Outcome Study::evaluate(const Point& u) const {
  std::vector<RunOutcome> runs;
  for (int i = 0; i < run_count(); ++i) runs.push_back(run(i, u));
  return judge(runs);
}

}  // namespace gradus::optimise

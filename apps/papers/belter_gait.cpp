#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "common/files.h"
#include "common/plot.h"
#include "load/set.h"
#include "optimise/search.h"
#include "papers/paper.h"
#include "session/session.h"

namespace gradus::cli {
namespace {

struct Walked {
  double way = 0, aside = 0;  // [m]
  double slip = 0;            // of loaded feet, for each metre of way           [m/m]
  double energy = 0;          // Σ |τ v| h for each metre of way and newton of weight: cost of transport
  double seconds = 0;         // of computing
  bool fell = false;
};

/// The point of a shin that is farthest from its knee.
Vec3 foot_on(const RobotKind& kind, int link) {
  Vec3 out{0, 0, 0};
  for (const ContactPoint& c : kind.points)
    if (c.link == link && norm(c.p_BC) > norm(out)) out = c.p_BC;
  return out;
}

std::optional<Walked> walk(const std::vector<std::string>& sets, double step, double time, int terrain) {
  auto scene = load_scene_or_robot(find_shipped("messor_walks", "studies"));
  if (terrain >= 0 && scene) {
    auto rough = load_scene_or_robot("messor_rough");
    if (!rough) return print(rough.notes()), std::nullopt;
    // the rough scene's ground, another piece of it for each seed: the robot starts elsewhere
    rough->robots[0].controller = scene->robots[0].controller;
    rough->robots[0].p_WB.x = -2 + 0.1 * terrain, rough->robots[0].p_WB.y = 0.15 * (terrain - 5);
    scene = std::move(rough);
  }
  if (!scene) return print(scene.notes()), std::nullopt;
  Diagnostics faults;
  for (const std::string& s : sets) apply_set(*scene, s, faults);
  if (has_errors(faults)) return print(faults), std::nullopt;
  scene->step = step;
  auto made = Session::make(std::move(*scene), {});
  if (!made) return print(made.notes()), std::nullopt;
  Session& s = **made;
  const World& w = s.world();
  const RobotKind& kind = *w.model().robots[0].kind;
  const Vec3 from = base_position(w.q(0).data());
  Walked out;
  const double start = now();
  const auto steps = std::lround(time / step);
  for (long k = 0; k < steps && s.stopped().empty(); ++k) {
    s.step();
    for (std::size_t j = 0; j < kind.joints.size(); ++j) out.energy += std::fabs(w.tau(0)[j] * w.v(0)[6 + j]) * step;
    for (const int foot : kind.feet) {
      if (w.contact_force(0, foot) < 0.5) continue;
      const Vec3 v = w.velocity(0, foot, foot_on(kind, foot));
      out.slip += std::sqrt(v.x * v.x + v.y * v.y) * step;
    }
  }
  out.seconds = now() - start;
  const Vec3 way = base_position(w.q(0).data()) - from;
  out.way = way.x, out.aside = way.y, out.fell = w.fallen(0);
  const double metres = std::max(out.way, 0.01);
  out.slip /= metres * static_cast<double>(kind.feet.size());
  out.energy /= metres * kind.mass * 9.81;
  return out;
}

struct Found {
  double value = 0, seconds = 0;
  std::vector<std::string> sets;
  std::vector<optimise::HistoryEntry> history;
};

std::optional<Found> evolve(const std::string& method, std::int64_t seed, std::int64_t evaluations) {
  auto study = optimise::Study::load(find_shipped("messor_gait", "studies"));
  if (!study) return print(study.notes()), std::nullopt;
  study->setup.seed = seed;
  study->budget.evaluations = evaluations;
  study->setup.parents = method == "es" ? 4 : 0;
  const auto search = optimise::make_optimiser(method, study->setup);
  Found out;
  const double start = now();
  const std::atomic<bool> never{false};
  double best = 1e300;
  optimise::Point u;
  while (search->evaluations() < evaluations) {
    std::atomic<std::int64_t> done{0};
    const auto outcomes = optimise::evaluate_all(*study, search->ask(), static_cast<int>(std::thread::hardware_concurrency()), never, done);
    std::vector<double> ranks;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      ranks.push_back(outcomes[i].rank);
      if (outcomes[i].rank < best) best = outcomes[i].rank, u = search->ask()[i], out.value = outcomes[i].objective;
    }
    search->tell(ranks);
    out.history.push_back({search->evaluations(), out.value, true, out.value});
  }
  out.seconds = now() - start;
  out.sets = study->assignments(u);
  return out;
}

Json row_of(const char* quantity, const char* unit, Json values) {
  return PaperRow{.quantity = quantity, .unit = unit, .gradus = std::move(values)};
}

}  // namespace

/// Belter 2014, section 3.1: the gait of the hexapod Messor, evolved in simulation. What step the integration needs; how
/// long a search takes; what the evolved gait is worth against the one made by hand, on flat ground, where it was
/// found, and on rough ground, where it was not.
std::optional<Json> belter_gait(const PaperOptions& options) {
  const double time = options.quick ? 3 : 8;
  Json rows = Json::array(), way, off, speed;
  double reference = 0;
  for (const double step : {1e-4, 1e-3, 2e-3, 5e-3}) {
    const auto w = walk({}, step, time, -1);
    if (!w) return std::nullopt;
    const std::string name = fmt::format("{} ms", step * 1e3);
    if (reference == 0) reference = w->way;
    way[name] = w->way, off[name] = 100 * std::fabs(w->way - reference) / reference, speed[name] = time / w->seconds;
  }
  rows.push_back(row_of("way of the gait made by hand, by step of integration", "m", way));
  rows.push_back(row_of("its difference to that at 0.1 ms", "%", off));
  rows.push_back(row_of("times real time, one core", "", speed));

  Plot plot{"Messor's gait: search", "evaluations", "aim of studies/messor_gait.toml", {}};
  Json best, seconds;
  std::optional<Found> evolved;
  const std::int64_t evaluations = options.quick ? 32 : 480;
  for (const char* method : {"cma", "es", "swarm", "random"}) {
    double sum = 0, spent = 0;
    const int seeds = options.quick ? 1 : 3;
    for (int seed = 1; seed <= seeds; ++seed) {
      const auto f = evolve(method, seed, evaluations);
      if (!f) return std::nullopt;
      sum += f->value, spent += f->seconds;
      if (!evolved || f->value > evolved->value) evolved = f;
      if (seed > 1) continue;
      Series line{method, {}, {}};
      for (const auto& h : f->history) line.x.push_back(static_cast<double>(h.evaluations)), line.y.push_back(h.best);
      plot.series.push_back(std::move(line));
    }
    best[method] = sum / seeds, seconds[method] = spent / seeds;
  }
  rows.push_back(row_of(fmt::format("aim reached after {} evaluations, mean of seeds", evaluations).c_str(), "", best));
  PaperRow took{.quantity = "seconds for a search, all cores", .unit = "s", .paper = "weeks", .gradus = seconds};
  rows.push_back(took);

  const int seeds = options.quick ? 2 : 10;
  double ways[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    const std::vector<std::string> sets = i == 0 ? std::vector<std::string>{} : evolved->sets;
    const char* who = i == 0 ? "made by hand" : "evolved";
    Json flat, rough;
    for (const int ground : {-1, 0}) {
      Walked sum;
      int falls = 0;
      const int runs = ground < 0 ? 1 : seeds;
      for (int seed = 0; seed < runs; ++seed) {
        const auto w = walk(sets, 1e-3, time, ground < 0 ? -1 : seed);
        if (!w) return std::nullopt;
        sum.way += w->way / runs, sum.slip += w->slip / runs, sum.energy += w->energy / runs, falls += w->fell;
      }
      Json& out = ground < 0 ? flat : rough;
      out = {{"way [m]", sum.way}, {"slip [m/m]", sum.slip}, {"cost of transport", sum.energy}, {"falls", falls}};
      if (ground < 0) ways[i] = sum.way;
    }
    rows.push_back(row_of(fmt::format("gait {}, flat ground, {} s", who, time).c_str(), "", flat));
    rows.push_back(row_of(fmt::format("gait {}, {} starts on rough ground", who, seeds).c_str(), "", rough));
  }
  if (!options.out.empty() && !write_plot(plot, options.out, "belter-gait")) return std::nullopt;
  return Json{{"name", "belter-gait"},
              {"rows", rows},
              {"verdict", fmt::format("the evolved gait goes {:.2f} m where the one made by hand goes {:.2f} m; a search takes {:.1f} s; steps of 5 ms change the way by {:.1f} %",
                                      ways[1], ways[0], seconds["cma"].get<double>(), off["5 ms"].get<double>())}};
}

}  // namespace gradus::cli

#include <fmt/format.h>

#include <algorithm>

#include "common/files.h"
#include "load/map.h"
#include "papers/belter_way.h"
#include "papers/paper.h"

namespace gradus::cli {
namespace {

struct Ground {
  std::string name;
  WayTrial trial;
  bool seeded;  // the terrain changes with the seed, not the search, start and goal alone
};

WayTrial generated(TerrainKind kind, double difficulty, Vec3 goal) {
  WayTrial t;
  t.terrain.kind = kind, t.terrain.difficulty = difficulty, t.terrain.size[1] = 4;
  t.settings.goal = goal;
  return t;
}

/// A staircase that a robot mapped: 122 × 71 cells of 4 cm, steps of 18 to 19 cm.
std::optional<Ground> real_stairs(const std::string& data) {
  const std::string file = data + "/maps/real_stairs.asc";
  auto map = load_map(file, {});
  if (!map) return print(map.notes()), std::nullopt;
  Ground g{"staircase mapped by a robot", {}, false};
  g.trial.map = std::move(*map);
  g.trial.start = {2.0, -0.2, 0}, g.trial.start_yaw = 3.14159265358979;
  g.trial.settings.goal = {-1.4, -0.2, 0};
  g.trial.time = 240;
  return g;
}

double middle(std::vector<double> x) {
  if (x.empty()) return 0;
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

}  // namespace

/// Belter 2014 plans ways of the hexapod over elevation maps in its simulator; here over three generated terrains and, with --data, a staircase that a
/// robot mapped: how often a way is found and walked to its end, how long a plan takes, how often a foot slips and a new way is planned.
std::optional<Json> belter_plan(const PaperOptions& options) {
  std::vector<Ground> grounds{
      {"generated stairs, difficulty 0.6 (12 cm)", generated(TerrainKind::stairs, 0.6, {2.2, 0.2, 0}), true},
      {"generated boxes, difficulty 0.5 (10 cm)", generated(TerrainKind::discrete, 0.5, {2.2, 0.4, 0}), true},
      {"generated rough ground, difficulty 0.8 (4 cm rms)", generated(TerrainKind::rough, 0.8, {2.0, -0.5, 0}), true}};
  if (!options.data.empty()) {
    auto stairs = real_stairs(options.data);
    if (!stairs) return std::nullopt;
    grounds.insert(grounds.begin(), std::move(*stairs));
  }
  const int seeds = options.quick ? 1 : 10;
  Json rows = Json::array();
  double longest = 0;
  int worst = seeds;
  for (const Ground& g : grounds) {
    int found = 0, arrived = 0, falls = 0;
    double slips = 0, again = 0, most = 0;
    std::vector<double> planning, walking, off;
    for (int seed = 1; seed <= seeds; ++seed) {
      WayTrial t = g.trial;
      t.settings.plan.seed = static_cast<std::uint64_t>(seed);
      t.start.y += 0.03 * (seed - 5), t.settings.goal.y -= 0.03 * (seed - 5);
      if (g.seeded) t.terrain.seed = static_cast<std::uint64_t>(seed);
      const auto r = walk_way(t);
      if (!r) return std::nullopt;
      found += r->found, arrived += r->arrived && r->off < 0.06, falls += r->fell;
      slips += static_cast<double>(r->report.slips) / seeds, again += static_cast<double>(r->report.plans - 1) / seeds;
      planning.push_back(r->planning), off.push_back(r->off), most = std::max(most, r->planning);
      if (r->arrived) walking.push_back(r->time);
      if (seed == 1 && !options.out.empty() &&
          !write_text(way_svg(*r, g.name), options.out, fmt::format("belter-plan-{}.svg", &g - grounds.data()))) return std::nullopt;
    }
    longest = std::max(longest, most), worst = std::min(worst, arrived);
    rows.push_back(PaperRow{.quantity = g.name + ": way found, goal reached, falls, of " + std::to_string(seeds), .unit = "",
                            .gradus = {{"found", found}, {"reached", arrived}, {"falls", falls}}});
    rows.push_back(PaperRow{.quantity = "  seconds of planning (of one plan), of walking; metres from the goal", .unit = "s, s, m",
                            .gradus = {{"plan, median", middle(planning)}, {"plan, longest", most}, {"walk, median", middle(walking)}, {"off, median", middle(off)}}});
    rows.push_back(PaperRow{.quantity = "  slips of 2 cm and plans made anew, a run", .unit = "", .gradus = {{"slips", slips}, {"plans anew", again}}});
  }
  return Json{{"name", "belter-plan"},
              {"rows", rows},
              {"verdict", fmt::format("on every ground at least {} of {} ways were walked to their end; the longest plan took {:.2f} s", worst, seeds, longest)}};
}

}  // namespace gradus::cli

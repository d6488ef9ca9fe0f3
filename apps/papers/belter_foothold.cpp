#include <fmt/format.h>

#include <cmath>

#include "common/files.h"
#include "common/plot.h"
#include "papers/belter_way.h"
#include "papers/paper.h"

namespace gradus::cli {
namespace {

struct Tally {
  double slips = 0, footholds = 0, slid = 0, again = 0;
  int reached = 0, falls = 0, runs = 0;
  Json json() const {
    return {{"slips a run", slips / runs}, {"slips of 100 footholds", 100 * slips / footholds}, {"slid, cm a foothold", 100 * slid / footholds},
            {"plans anew a run", again / runs}, {"reached", reached}, {"falls", falls}};
  }
};

/// Maps that were not learned from: other seeds of the same kinds, and kinds that were never seen.
WayTrial held_out(int n) {
  WayTrial t;
  if (n % 4 == 3)
    t.terrain.kind = TerrainKind::rough, t.terrain.difficulty = 0.4, t.terrain.size[1] = 4, t.terrain.seed = 1000 + static_cast<std::uint64_t>(n);
  else
    t.map = slippery_map(1000, n);
  t.friction = LearnSettings{}.friction, t.settings.walker.search = LearnSettings{}.search;
  t.settings.goal = {2.0, 0.2 * (n % 5 - 2), 0};
  t.settings.plan.seed = static_cast<std::uint64_t>(n + 1);
  return t;
}

}  // namespace

/// Belter 2014, section 3.2: where feet slip is learned in simulation, on ground with little friction. Slips on maps that were not learned from: feet on the
/// nearest places, on places chosen by costs made by hand, and by those learned.
std::optional<Json> belter_foothold(const PaperOptions& options) {
  LearnSettings settings;
  if (options.quick) settings.maps = 4, settings.centres = 16;
  const double start = now();
  const auto learned = learn_footholds(settings, [](int) { return true; });
  if (!learned) return std::nullopt;
  const double seconds = now() - start;
  const std::pair<const char*, plan::FootholdCost> costs[] = {
      {"nearest", plan::FootholdCost::none()}, {"by hand", plan::FootholdCost::by_hand()}, {"learned", learned->cost}};
  const int maps = options.quick ? 2 : 20;
  Tally tally[3];
  Plot plot{"slips on maps that were not learned from", "map", "feet that slid more than 2 cm", {}};
  for (int c = 0; c < 3; ++c) {
    Series series{costs[c].first, {}, {}, true};
    for (int n = 0; n < maps; ++n) {
      WayTrial t = held_out(n);
      t.settings.cost = costs[c].second;
      const auto r = walk_way(t);
      if (!r) return std::nullopt;
      Tally& sum = tally[c];
      sum.slips += static_cast<double>(r->report.slips), sum.footholds += static_cast<double>(r->report.footholds), sum.slid += r->report.slid;
      sum.again += static_cast<double>(r->report.plans - 1), sum.reached += r->arrived, sum.falls += r->fell, ++sum.runs;
      series.x.push_back(n), series.y.push_back(static_cast<double>(r->report.slips));
      const std::string picture = fmt::format("belter-foothold-{}.svg", costs[c].first);
      if (n == 0 && c != 1 && !options.out.empty() && !write_text(way_svg(*r, costs[c].first), options.out, picture)) return std::nullopt;
    }
    plot.series.push_back(std::move(series));
  }
  if (!options.out.empty() && !(write_plot(plot, options.out, "belter-foothold") && write_text(learned->cost.text(), options.out, "footholds.json")))
    return std::nullopt;
  Json rows = Json::array();
  rows.push_back(PaperRow{.quantity = "footholds learned from, of these slipped, seconds of computing", .unit = "",
                          .gradus = {{"footholds", learned->samples}, {"slipped", learned->slipped}, {"seconds", seconds}}});
  rows.push_back(PaperRow{.quantity = "slips left out of learning: spread, error of the model", .unit = "cm",
                          .gradus = {{"spread", 100 * learned->spread}, {"error", 100 * learned->error}}});
  for (int c = 0; c < 3; ++c)
    rows.push_back(PaperRow{.quantity = fmt::format("{} maps not learned from, footholds {}", maps, costs[c].first), .unit = "", .gradus = tally[c].json()});
  const double share = tally[0].slips > 0 ? tally[2].slips / tally[0].slips : 1;
  return Json{{"name", "belter-foothold"},
              {"rows", rows},
              {"verdict", fmt::format("learned footholds slip {:.2f} times as often as the nearest ones on maps that were not learned from", share)}};
}

}  // namespace gradus::cli

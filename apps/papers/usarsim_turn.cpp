#include <numbers>

#include "papers/walk_sweep.h"

namespace gradus::cli {

/// USARSim 2012, section 4.2.2: five seconds of turning on the spot at full speed.
std::optional<Json> usarsim_turn(const PaperOptions& options) {
  constexpr double kDegree = std::numbers::pi / 180;
  NaoTrial t;
  t.program = {{0, 0, 42 * kDegree, 12}};  // 12 steps of 17.6°: 5.04 s
  t.duration = 8;
  const auto s = sweep_walk(
      t, [](const NaoRun& r) { return r.yaw / kDegree; }, options.quick);
  if (!s) return std::nullopt;
  Json rows = Json::array();
  rows.push_back(row("turned in 5 s at 42 deg/s, mean", "deg", 105, 210, means(*s)));
  rows.push_back(row("turned, least and most of the floors", "deg", nullptr, nullptr, ranges(*s)));
  rows.push_back(row("falls in " + std::to_string(s->spreads[0].runs) + " runs each", "", nullptr, 0, falls(*s)));
  if (!options.out.empty()) {
    Plot plot{"Turning on the spot", "time [s]", "heading [deg]", {}};
    for (std::size_t i = 0; i < s->names.size(); ++i) {
      plot.series.push_back({s->names[i], {}, {}});
      for (const NaoSample& p : s->examples[i].path)
        plot.series.back().x.push_back(p.t), plot.series.back().y.push_back(p.yaw / kDegree);
    }
    if (!write_plot(plot, options.out, "usarsim-turn")) return std::nullopt;
  }
  bool within = true;
  for (const Spread& x : s->spreads) within &= x.least >= 195 && x.most <= 225;
  Json out{{"name", "usarsim-turn"}, {"rows", rows}};
  out["verdict"] = std::string(within ? "all levels turn the real robot's 210 deg within 15 deg on every floor"
                                      : "not every run is within 15 deg of the real robot's 210 deg") +
                   (all_falls(*s) ? ", some fall" : ", none falls") +
                   "; the paper's simulator reached half of it; stabiliser off";
  return out;
}

}  // namespace gradus::cli

#include <fmt/format.h>

#include <cmath>

#include "papers/paper.h"
#include "common/files.h"
#include "common/plot.h"
#include "session/session.h"

namespace gradus::cli {
namespace {

/// Walks the scene for 20 s.  start: where each robot begins
Plot walk(Session& run, const std::vector<double>& start) {
  World& w = run.world();
  Plot plot{"The same motion at four levels of detail", "time [s]", "distance walked [m]", {}};
  for (int r = 0; r < w.robot_count(); ++r) plot.series.push_back({std::string(w.motion(r).name), {}, {}});
  while (w.time() < 20) {
    run.step();
    if (w.k() % 20 != 0) continue;
    for (int r = 0; r < w.robot_count(); ++r) {
      Series& s = plot.series[static_cast<std::size_t>(r)];
      s.x.push_back(w.time());
      s.y.push_back(w.q(r)[0] - start[static_cast<std::size_t>(r)]);
    }
  }
  return plot;
}

}  // namespace

/// MuRoSimF 2009, sections 4 and 7.5: the levels walk by the same motion; how many robots run in real time at 1000 Hz?
/// The paper's machine was a 1.86 GHz Pentium M: 6 kinematic robots (each with a camera at 20 Hz), 10 single-body
/// robots and a car.
std::optional<Json> murosimf_levels(const PaperOptions& options) {
  auto scene = load_scene_with("levels", {}, {});
  if (!scene) return std::nullopt;
  SessionOptions o;
  o.clock = thread_time;
  auto run = Session::make(std::move(*scene), o);
  if (!run) return print(run.notes()), std::nullopt;
  World& w = (*run)->world();
  std::vector<double> start;
  for (int r = 0; r < w.robot_count(); ++r) start.push_back(w.q(r)[0]);
  const Plot plot = walk(**run, start);
  if (!options.out.empty() && !write_plot(plot, options.out, "murosimf_levels")) return std::nullopt;
  PaperRow distance{"distance walked in 20 s", "m"};
  PaperRow count{"robots in real time at 1000 Hz, one core", "", {{"kinematic_walk", 6}, {"single_body", 10}}};
  bool upright = true;
  double least = 1e9, most = 0;
  for (int r = 0; r < w.robot_count(); ++r) {
    const std::string level(w.motion(r).name);
    const double walked = w.q(r)[0] - start[static_cast<std::size_t>(r)];
    distance.gradus[level] = walked;
    count.gradus[level] = std::floor(1000 * w.model().step * 1000 / w.microseconds(r));
    least = std::min(least, walked);
    most = std::max(most, walked);
    upright &= !w.fallen(r);
  }
  return Json{{"name", "murosimf-levels"},
              {"rows", Json::array({distance, count})},
              {"verdict",
               fmt::format("{}; the levels' distances differ by {:.1f} %; the paper gives none",
                           upright ? "all levels walk" : "not all levels stay upright", 100 * (most - least) / most)}};
}

}  // namespace gradus::cli

#include <cmath>
#include <cstdio>

#include "cli/commands.h"
#include "cli/papers/nao_trial.h"
#include "cli/papers/walk_sweep.h"
#include "step/world.h"

namespace gradus::cli {
namespace {

/// Falls from 40 m for 2 s; distance fallen of the centre of mass at each of the paper's kind of times.
struct Drop {
  std::vector<double> t, fallen;  // [s], [m]
};

std::optional<Drop> drop(const std::string& level, double step) {
  auto scene = load_scene_with("nao", {}, {});
  if (!scene) return std::nullopt;
  scene->robots.resize(1);
  scene->step = step;
  RobotInstanceSpec& r = scene->robots[0];
  if (level == "free_body") {
    RobotBuilder block("block");
    block.base("block").solid_box(1, {0.2, 0.2, 0.2}, {0, 0, 0});
    r.robot = block.spec();
  }
  r.motion = level;
  r.on_ground = false;
  r.p_WB = {0, 0, 40};
  auto model = compile(*scene);
  if (!model) return print(model.notes()), std::nullopt;
  auto world = World::make(std::move(*model));
  if (!world) return print(world.notes()), std::nullopt;
  World& w = **world;
  const double z0 = w.centre_of_mass(0).z;
  Drop d;
  const auto steps = static_cast<std::int64_t>(std::lround(2 / step)),
             every = static_cast<std::int64_t>(std::lround(0.1 / step));
  for (std::int64_t k = 1; k <= steps; ++k) {
    w.step();
    if (k % every != 0) continue;
    d.t.push_back(w.time());
    d.fallen.push_back(z0 - w.centre_of_mass(0).z);
  }
  return d;
}

}  // namespace

/// Paper 001, section 4.1.1: how far does a body fall, compared with g t²/2? The figure is what the distance must be
/// multiplied by.
std::optional<Json> usarsim_gravity(const PaperOptions& options) {
  Json at[2], worst;
  Plot plot{"Free fall", "time [s]", "fallen [m]", {}};
  double most = 0;
  for (const char* level : {"free_body", "single_body", "prescribed_joints", "articulated"}) {
    for (int i : {0, 1}) {
      const auto d = drop(level, i == 0 ? 0.001 : 0.005);
      if (!d) return std::nullopt;
      double worst_error = 0;
      for (std::size_t k = 0; k < d->t.size(); ++k)
        worst_error = std::max(worst_error, std::fabs(d->fallen[k] - 0.5 * 9.81 * d->t[k] * d->t[k]));
      at[i][level] = 0.5 * 9.81 * d->t.back() * d->t.back() / d->fallen.back();
      if (i == 0) worst[level] = worst_error;
      most = std::max(most, std::fabs(at[i][level].get<double>() - 1));
      if (i == 0) plot.series.push_back({level, d->t, d->fallen});
    }
  }
  if (!options.out.empty() && !write_plot(plot, options.out, "usarsim-gravity")) return std::nullopt;
  const Json paper = {{"free_body", "2.5 as delivered, 1 corrected"}};
  Json rows = Json::array();
  rows.push_back(row("expected over actual fall after 2 s, step 1 ms", "", paper, 1, at[0]));
  rows.push_back(row("the same, step 5 ms", "", nullptr, 1, at[1]));
  rows.push_back(row("largest error in 2 s (19.6 m), step 1 ms", "m", nullptr, nullptr, worst));
  Json out{{"name", "usarsim-gravity"}, {"rows", rows}};
  char verdict[160];
  std::snprintf(verdict, sizeof verdict,
                "a block and the Nao fall as they should at every level that has dynamics: the factor differs from 1 "
                "by at most %.1e",
                most);
  out["verdict"] = verdict;
  return out;
}

}  // namespace gradus::cli

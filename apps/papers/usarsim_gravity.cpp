#include <cmath>
#include <cstdio>

#include "common/files.h"
#include "papers/nao_trial.h"
#include "papers/paper_world.h"
#include "papers/walk_sweep.h"

namespace gradus::cli {
namespace {

constexpr double kGravity = 9.81;               // [m/s²]
constexpr double kSteps[] = {0.001, 0.005};     // [s]
constexpr double kTime = 2, kSampleTime = 0.1;  // of the fall      [s]

/// Distance fallen of the centre of mass at each of the paper's kind of times.
struct Drop {
  std::vector<double> t, fallen;  // [s], [m]
};

std::optional<SceneSpec> high_up(const std::string& level, double step) {
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
  return *scene;
}

std::optional<Drop> drop(const std::string& level, double step) {
  const auto scene = high_up(level, step);
  const std::unique_ptr<World> w = scene ? make_world(*scene) : nullptr;
  if (!w) return std::nullopt;
  const double z0 = w->centre_of_mass(0).z;
  Drop d;
  const auto steps = std::lround(kTime / step), every = std::lround(kSampleTime / step);
  for (long k = 1; k <= steps; ++k) {
    w->step();
    if (k % every != 0) continue;
    d.t.push_back(w->time());
    d.fallen.push_back(z0 - w->centre_of_mass(0).z);
  }
  return d;
}

double due(double t) { return 0.5 * kGravity * t * t; }

double largest_error(const Drop& d) {
  double out = 0;
  for (std::size_t k = 0; k < d.t.size(); ++k) out = std::max(out, std::fabs(d.fallen[k] - due(d.t[k])));
  return out;
}

}  // namespace

/// USARSim 2012, section 4.1.1: how far does a body fall, compared with g t²/2? The figure is what the distance must be
/// multiplied by.
std::optional<Json> usarsim_gravity(const PaperOptions& options) {
  Json factor[2], error;
  Plot plot{"Free fall", "time [s]", "fallen [m]", {}};
  double most = 0;
  for (const char* level : {"free_body", "single_body", "prescribed_joints", "articulated"})
    for (int i : {0, 1}) {
      const auto d = drop(level, kSteps[i]);
      if (!d) return std::nullopt;
      const double f = due(d->t.back()) / d->fallen.back();
      factor[i][level] = f;
      most = std::max(most, std::fabs(f - 1));
      if (i != 0) continue;
      error[level] = largest_error(*d);
      plot.series.push_back({level, d->t, d->fallen});
    }
  if (!options.out.empty() && !write_plot(plot, options.out, "usarsim-gravity")) return std::nullopt;
  const Json paper = {{"free_body", "2.5 as delivered, 1 corrected"}};
  const Json rows = {row("expected over actual fall after 2 s, step 1 ms", "", paper, 1, factor[0]),
                     row("the same, step 5 ms", "", nullptr, 1, factor[1]),
                     row("largest error in 2 s (19.6 m), step 1 ms", "m", nullptr, nullptr, error)};
  char verdict[160];
  std::snprintf(verdict, sizeof verdict,
                "a block and the Nao fall as they should at every level that has dynamics: the factor differs from 1 "
                "by at most %.1e",
                most);
  return Json{{"name", "usarsim-gravity"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli

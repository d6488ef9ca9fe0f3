#include <cmath>
#include <cstdio>
#include <numbers>

#include "papers/walk_sweep.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kPeriod = 0.01;  // of samples     [s]

/// Full speed of the maker's walk: 4 cm in 0.42 s; 12 steps are 5.04 s.
NaoTrial forward() {
  NaoTrial t;
  t.program = {{0.0952, 0, 0, 12}};
  t.duration = 8;
  return t;
}

/// The left knee over time.
struct Knee {
  std::vector<double> t, angle;  // [s], [rad]
};
Knee knee_of(const NaoRun& run) {
  Knee k;
  constexpr std::size_t kLeftKnee = 3;  // the left leg comes first in the file: yaw pitch, roll, pitch, knee
  for (std::size_t i = 0; i < run.joints.size(); ++i) {
    k.t.push_back(kPeriod * static_cast<double>(i + 1));
    k.angle.push_back(run.joints[i][kLeftKnee] / kDegree);
  }
  return k;
}

/// One full step of the left leg: how far is the knee from the planned angle, which prescribed_joints follows exactly?
std::optional<Json> single_step(const PaperOptions& options, Json& rows) {
  NaoTrial t = forward();
  t.program[0].steps = 1;
  t.duration = 3;
  t.motion = "prescribed_joints";
  const auto plan = run_trial(t);
  if (!plan) return std::nullopt;
  const Knee planned = knee_of(*plan);
  Plot plot{"Left knee in one full step", "time [s]", "LKneePitch [deg]", {{"plan", planned.t, planned.angle}}};
  Json rms;
  t.motion = "articulated";
  for (const NaoDrive drive : walking_drives()) {
    t.drive = drive;
    const auto run = run_trial(t);
    if (!run) return std::nullopt;
    const Knee knee = knee_of(*run);
    double sum = 0;
    for (std::size_t i = 0; i < knee.angle.size(); ++i) sum += std::pow(knee.angle[i] - planned.angle[i], 2);
    rms[std::string("articulated, ") + name_of(drive)] = std::sqrt(sum / static_cast<double>(knee.angle.size()));
    plot.series.push_back({name_of(drive), knee.t, knee.angle});
  }
  rows.push_back(row("left knee in one step, rms from the plan", "deg", nullptr, nullptr, rms));
  if (!options.out.empty() && !write_plot(plot, options.out, "usarsim-walk-knee")) return std::nullopt;
  return rms;
}

}  // namespace

/// USARSim 2012, section 4.2.2: five seconds straight ahead at full speed, and one full step.
std::optional<Json> usarsim_walk(const PaperOptions& options) {
  const Figure distance = [](const NaoRun& r) { return r.x; };
  const auto s = sweep_walk(forward(), distance, options.quick);
  if (!s || !plot_paths(*s, "Five seconds straight ahead", options, "usarsim-walk")) return std::nullopt;
  Json rows = Json::array();
  rows.push_back(row("distance in 5 s at 9.52 cm/s, mean", "m", 0.37, 0.48, means(*s)));
  rows.push_back(row("distance, least and most of the floors", "m", nullptr, nullptr, ranges(*s)));
  rows.push_back(row("falls in " + std::to_string(s->spreads[0].runs) + " runs each", "", nullptr, 0, falls(*s)));
  int fallen = all_falls(*s);
  bool within = true;
  for (const Spread& x : s->spreads) within &= x.least >= 0.44 && x.most <= 0.52;
  Json spread, wrong;
  for (const NaoDrive drive : walking_drives()) {
    const auto c = sweep_calibration(forward(), drive, distance, options.quick ? 2 : 10);
    if (!c) return std::nullopt;
    char text[48];
    std::snprintf(text, sizeof text, "%.4g … %.4g", c->least, c->most);
    spread[std::string("articulated, ") + name_of(drive)] = text;
    wrong[std::string("articulated, ") + name_of(drive)] = c->falls;
    fallen += c->falls;
  }
  rows.push_back(row("distance with joints wrong by up to 0.5 deg", "m", nullptr, nullptr, spread));
  rows.push_back(row("falls of ten such robots", "", nullptr, nullptr, wrong));
  if (!single_step(options, rows)) return std::nullopt;
  Json out{{"name", "usarsim-walk"}, {"rows", rows}};
  out["verdict"] = std::string(within ? "all levels walk the real robot's 0.48 m within 0.04 m on every floor"
                                      : "not every run is within 0.04 m of the real robot's 0.48 m") +
                   (fallen ? "; " + std::to_string(fallen) + " runs fall" : ", none falls") +
                   "; the paper's simulator reached 0.37 m; stabiliser off";
  return out;
}

}  // namespace gradus::cli

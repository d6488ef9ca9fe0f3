#include <cmath>
#include <cstdio>
#include <numbers>

#include "cli/papers/motoflex.h"
#include "cli/papers/walk_sweep.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kCycle = 1.0;  // two steps      [s]
const char* const kDetailed = "the original's drives and flexible legs";
constexpr double kOriginal = 0.27;  // processor time of the original program per simulated second      [s]

struct Row {
  Json speed, two_hertz, one_hertz, falls, cost, faster;
  void add(const std::string& name, const NaoTrial& t, const NaoRun& r) {
    falls[name] = r.fell ? "falls at " + std::to_string(r.fall_time).substr(0, 4) + " s" : "walks";
    const double seconds = r.us_per_step * 1e-6 / t.step;
    cost[name] = seconds;
    faster[name] = kOriginal / seconds;
    if (r.fell) return;
    const double from = t.measure_from + 2 * kCycle, to = t.duration;
    speed[name] = 1000 * chord_speed(r, from, to);
    two_hertz[name] = pitch_line(r, from, to, kCycle, 2) / kDegree;
    one_hertz[name] = pitch_line(r, from, to, kCycle, 1) / kDegree;
  }
};

}  // namespace

/// Paper 002, experiment 1: 200 mm/s, one second for two steps.
std::optional<Json> motoflex_200(const PaperOptions& options) {
  const auto targets = read_targets(options, "UncompensatedTarget200.csv");
  if (!targets) return std::nullopt;
  Row row_of;
  Plot plot{"Pitch of the trunk at 200 mm/s", "time [s]", "pitch [deg]", {}};
  NaoTrial t = replay(*targets);
  if (options.quick) t.duration = 8;
  t.friction = 0.4;
  for (const double k : {2e4, 2e5})
    for (const NaoDrive drive : {NaoDrive::stiff, NaoDrive::nao, NaoDrive::play}) {
      t.drive = drive;
      t.stiffness = k;
      const auto r = run_trial(t);
      if (!r) return std::nullopt;
      row_of.add(std::string(name_of(drive)) + (k < 1e5 ? ", soft floor" : ", hard floor"), t, *r);
      if (k < 1e5) continue;
      Series line{name_of(drive), {}, {}};
      for (const NaoSample& s : r->path)
        if (s.t > 8 && s.t < 12) line.x.push_back(s.t), line.y.push_back(s.pitch / kDegree);
      plot.series.push_back(std::move(line));
    }
  NaoTrial original = t;
  original.drive = NaoDrive::nao;
  if (!use_motoflex(original, {})) return std::nullopt;
  const auto detailed = run_trial(original);
  if (!detailed) return std::nullopt;
  row_of.add(kDetailed, original, *detailed);
  t.motion = "prescribed_joints";
  const auto exact = run_trial(t);
  if (!exact) return std::nullopt;
  row_of.add("prescribed_joints", t, *exact);
  t.motion = "articulated";
  Json with_errors;
  for (const NaoDrive drive : {NaoDrive::nao, NaoDrive::play}) {
    t.drive = drive;
    t.calibration = kDegree;
    double one = 0, two = 0;
    int walked = 0;
    for (int n = 1; n <= (options.quick ? 2 : 10); ++n) {
      t.seed = static_cast<std::uint64_t>(n);
      const auto r = run_trial(t);
      if (!r) return std::nullopt;
      if (r->fell) continue;
      ++walked;
      one += pitch_line(*r, t.measure_from + 2 * kCycle, t.duration, kCycle, 1) / kDegree;
      two += pitch_line(*r, t.measure_from + 2 * kCycle, t.duration, kCycle, 2) / kDegree;
    }
    const std::string name = name_of(drive);
    with_errors[name + ", 1 Hz line"] = walked ? one / walked : 0;
    with_errors[name + ", 2 Hz line"] = walked ? two / walked : 0;
    with_errors[name + ", robots that fell"] = (options.quick ? 2 : 10) - walked;
  }
  if (!options.out.empty() && !write_plot(plot, options.out, "motoflex-200")) return std::nullopt;
  const Json paper{{"prescribed_joints", 200}, {"nao, hard floor", 209}};
  Json rows = Json::array();
  Json speed = row("speed, friction 0.4", "mm/s", paper, 250, row_of.speed);
  speed["peers"] = {{"original rerun", {{"prescribed_joints", 199.6}, {"nao, hard floor", 150}}}};
  rows.push_back(speed);
  rows.push_back(row("pitch line at 2 Hz (each step)", "deg", nullptr, nullptr, row_of.two_hertz));
  rows.push_back(row("pitch line at 1 Hz (every second step)", "deg", nullptr, nullptr, row_of.one_hertz));
  rows.push_back(row("pitch lines of robots whose joints are wrong by up to 1 deg, mean", "deg", "1 and 2 Hz",
                     "1 and 2 Hz", with_errors));
  rows.push_back(row("outcome", "", nullptr, "walks", row_of.falls));
  Json cost = row("computing time per simulated second", "s", nullptr, nullptr, row_of.cost);
  cost["peers"] = {{"original rerun", kOriginal}};
  rows.push_back(cost);
  rows.push_back(row("times faster than the original program, one core", "", nullptr, nullptr, row_of.faster));
  const double compliant = row_of.two_hertz.value("nao, hard floor", 0.0),
               stiff = row_of.two_hertz.value("stiff, hard floor", 0.0);
  char verdict[260];
  std::snprintf(
      verdict, sizeof verdict,
      "compliant drives walk at %.0f mm/s (paper's simulation 209, real 250) and pitch by %.1f deg at 2 Hz, "
      "stiff ones by %.1f; a 1 Hz line comes with calibration errors; with its drives and flexible legs %.0f times "
      "faster than the original",
      row_of.speed.value("nao, hard floor", 0.0), compliant, stiff, row_of.faster.value(kDetailed, 0.0));
  return Json{{"name", "motoflex-200"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli

#include <cmath>
#include <cstdio>
#include <numbers>

#include "papers/motoflex.h"
#include "papers/walk_sweep.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kCycle = 1.0;  // two steps      [s]
const char* const kDetailed = "the original's drives and flexible legs";
constexpr double kOriginal = 0.27;  // processor time of the original program per simulated second      [s]

/// Lines and speed are taken from the third cycle on.
double settled_from(const NaoTrial& t) { return t.measure_from + 2 * kCycle; }

double line_at(const NaoTrial& t, const NaoRun& r, double hz) {
  return pitch_line(r, settled_from(t), t.duration, kCycle, hz) / kDegree;
}

struct Figures {
  Json speed, two_hertz, one_hertz, falls, cost, faster;
  Plot plot{"Pitch of the trunk at 200 mm/s", "time [s]", "pitch [deg]", {}};
  void add(const std::string& name, const NaoTrial& t, const NaoRun& r) {
    falls[name] = r.fell ? "falls at " + std::to_string(r.fall_time).substr(0, 4) + " s" : "walks";
    const double seconds = r.us_per_step * 1e-6 / t.step;
    cost[name] = seconds;
    faster[name] = kOriginal / seconds;
    if (r.fell) return;
    speed[name] = 1000 * chord_speed(r, settled_from(t), t.duration);
    two_hertz[name] = line_at(t, r, 2);
    one_hertz[name] = line_at(t, r, 1);
  }
};

Series pitch_of(const char* name, const NaoRun& r) {
  Series line{name, {}, {}};
  for (const NaoSample& s : r.path)
    if (s.t > 8 && s.t < 12) line.x.push_back(s.t), line.y.push_back(s.pitch / kDegree);
  return line;
}

/// Drives on a soft and a hard floor, those of the original, and joints that follow exactly.
bool run_drives(NaoTrial t, Figures& out) {
  for (const double k : {2e4, 2e5})
    for (const NaoDrive drive : {NaoDrive::stiff, NaoDrive::nao, NaoDrive::play}) {
      t.drive = drive;
      t.stiffness = k;
      const auto r = run_trial(t);
      if (!r) return false;
      out.add(std::string(name_of(drive)) + (k < 1e5 ? ", soft floor" : ", hard floor"), t, *r);
      if (k > 1e5) out.plot.series.push_back(pitch_of(name_of(drive), *r));
    }
  NaoTrial original = t;
  original.drive = NaoDrive::nao;
  const auto detailed = use_motoflex(original, {}) ? run_trial(original) : std::nullopt;
  if (!detailed) return false;
  out.add(kDetailed, original, *detailed);
  t.motion = "prescribed_joints";
  const auto exact = run_trial(t);
  if (exact) out.add("prescribed_joints", t, *exact);
  return exact.has_value();
}

/// Mean lines of robots whose joints are wrong by up to a degree.
bool run_miscalibrated(NaoTrial t, NaoDrive drive, int robots, Json& out) {
  t.drive = drive;
  t.calibration = kDegree;
  double one = 0, two = 0;
  int walked = 0;
  for (int n = 1; n <= robots; ++n) {
    t.seed = static_cast<std::uint64_t>(n);
    const auto r = run_trial(t);
    if (!r) return false;
    if (r->fell) continue;
    ++walked;
    one += line_at(t, *r, 1);
    two += line_at(t, *r, 2);
  }
  const std::string name = name_of(drive);
  out[name + ", 1 Hz line"] = walked ? one / walked : 0;
  out[name + ", 2 Hz line"] = walked ? two / walked : 0;
  out[name + ", robots that fell"] = robots - walked;
  return true;
}

Json rows_of(const Figures& f, const Json& miscalibrated) {
  Json speed = row("speed, friction 0.4", "mm/s", {{"prescribed_joints", 200}, {"nao, hard floor", 209}}, 250, f.speed);
  speed["peers"] = {{"original rerun", {{"prescribed_joints", 199.6}, {"nao, hard floor", 150}}}};
  Json cost = row("computing time per simulated second", "s", nullptr, nullptr, f.cost);
  cost["peers"] = {{"original rerun", kOriginal}};
  return {speed,
          row("pitch line at 2 Hz (each step)", "deg", nullptr, nullptr, f.two_hertz),
          row("pitch line at 1 Hz (every second step)", "deg", nullptr, nullptr, f.one_hertz),
          row("pitch lines of robots whose joints are wrong by up to 1 deg, mean", "deg", "1 and 2 Hz", "1 and 2 Hz",
              miscalibrated),
          row("outcome", "", nullptr, "walks", f.falls),
          cost,
          row("times faster than the original program, one core", "", nullptr, nullptr, f.faster)};
}

}  // namespace

/// MoToFlex 2011, experiment 1: 200 mm/s, one second for two steps.
std::optional<Json> motoflex_200(const PaperOptions& options) {
  const auto targets = read_targets(options, "UncompensatedTarget200.csv");
  if (!targets) return std::nullopt;
  NaoTrial t = replay(*targets);
  t.friction = 0.4;
  t.stiffness = 2e5;
  if (options.quick) t.duration = 8;
  Figures f;
  Json miscalibrated;
  if (!run_drives(t, f)) return std::nullopt;
  for (const NaoDrive drive : {NaoDrive::nao, NaoDrive::play})
    if (!run_miscalibrated(t, drive, options.quick ? 2 : 10, miscalibrated)) return std::nullopt;
  if (!options.out.empty() && !write_plot(f.plot, options.out, "motoflex-200")) return std::nullopt;
  char verdict[260];
  std::snprintf(verdict, sizeof verdict,
                "compliant drives walk at %.0f mm/s (paper's simulation 209, real 250) and pitch by %.1f deg at 2 Hz, "
                "stiff ones by %.1f; a 1 Hz line comes with calibration errors; with its drives and flexible legs %.0f "
                "times faster than the "
                "original",
                f.speed.value("nao, hard floor", 0.0), f.two_hertz.value("nao, hard floor", 0.0),
                f.two_hertz.value("stiff, hard floor", 0.0), f.faster.value(kDetailed, 0.0));
  return Json{{"name", "motoflex-200"}, {"rows", rows_of(f, miscalibrated)}, {"verdict", verdict}};
}

}  // namespace gradus::cli

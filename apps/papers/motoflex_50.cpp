#include <cmath>
#include <cstdio>
#include <numbers>

#include "papers/motoflex.h"
#include "papers/walk_sweep.h"

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kHard = 2e5, kSoft = 2e4;  // floors [N/m]

struct Figures {
  Json fall_time, fall_roll;
  int compliant = 0, compliant_falls = 0, stiff_falls = 0;
  double first = 1e9, last = 0;  // falls of compliant drives, in the target file    [s]
  Plot plot{"Roll of the trunk at 50 mm/s, friction 0.8, hard floor", "time [s]", "roll [deg]", {}};
};

Series roll_of(const NaoTrial& t, const NaoRun& r) {
  Series line{name_of(t.drive), {}, {}};
  for (const NaoSample& s : r.path) line.x.push_back(s.t), line.y.push_back(s.roll / kDegree);
  return line;
}

void add(const NaoTrial& t, const NaoRun& r, Figures& out) {
  char name[64];
  std::snprintf(name, sizeof name, "%s, friction %.1f, %s", name_of(t.drive), t.friction,
                t.stiffness < kHard ? "soft" : "hard");
  const double fall = r.fall_time - kFileShift;
  out.fall_time[name] = r.fell ? Json(fall) : Json("stands");
  if (r.fell) out.fall_roll[name] = r.path.back().roll / kDegree;
  if (t.friction == 0.8 && t.stiffness == kHard) out.plot.series.push_back(roll_of(t, r));
  if (t.drive == NaoDrive::stiff) {
    out.stiff_falls += r.fell;
    return;
  }
  ++out.compliant;
  out.compliant_falls += r.fell;
  if (r.fell) out.first = std::min(out.first, fall), out.last = std::max(out.last, fall);
}

bool run_all(NaoTrial t, bool quick, Figures& out) {
  t.stiff_kp = 600;
  for (const NaoDrive drive : {NaoDrive::stiff, NaoDrive::nao, NaoDrive::play})
    for (const double k : {kSoft, kHard})
      for (const double mu : {0.6, 0.8, 1.0}) {
        if (quick && mu != 0.8) continue;
        if (drive == NaoDrive::stiff && k == kSoft) continue;  // a soft floor is no stiff chain
        t.drive = drive;
        t.stiffness = k;
        t.friction = mu;
        const auto r = run_trial(t);
        if (!r) return false;
        add(t, *r, out);
      }
  return true;
}

}  // namespace

/// MoToFlex 2011, experiment 2: 50 mm/s, two seconds for two steps. The real robot falls sideways after the first step.
std::optional<Json> motoflex_50(const PaperOptions& options) {
  const auto targets = read_targets(options, "UncompensatedTarget.csv");
  Figures f;
  if (!targets || !run_all(replay(*targets), options.quick, f)) return std::nullopt;
  if (!options.out.empty() && !write_plot(f.plot, options.out, "motoflex-50")) return std::nullopt;
  Json time =
      row("time of the fall, in the target file", "s", "after the first step", "after the first step", f.fall_time);
  time["peers"] = {{"original rerun", Json{{"nao, friction 1.0, hard", 3.12}, {"nao, friction 1.0, soft", 3.12}}}};
  const Json rows = {time, row("roll at the fall (negative: to the left)", "deg", nullptr, nullptr, f.fall_roll)};
  char verdict[240];
  std::snprintf(verdict, sizeof verdict,
                "%d of %d compliant runs fall sideways, at %.2f to %.2f s (original program 3.12 s); of the stiff "
                "drives (600 N m/rad, hard floor) %d fall: compliance decides, as in the paper",
                f.compliant_falls, f.compliant, f.compliant_falls ? f.first : 0, f.last, f.stiff_falls);
  return Json{{"name", "motoflex-50"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli

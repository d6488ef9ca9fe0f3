#include <cmath>
#include <cstdio>
#include <numbers>

#include "cli/papers/motoflex.h"
#include "cli/papers/walk_sweep.h"

namespace gradus::cli {

/// Paper 002, experiment 2: 50 mm/s, two seconds for two steps. The real robot falls sideways after the first step.
std::optional<Json> motoflex_50(const PaperOptions& options) {
  constexpr double kDegree = std::numbers::pi / 180;
  const auto targets = read_targets(options, "UncompensatedTarget.csv");
  if (!targets) return std::nullopt;
  Json fall_time, fall_roll;
  Plot plot{"Roll of the trunk at 50 mm/s, friction 0.8, hard floor", "time [s]", "roll [deg]", {}};
  int compliant = 0, compliant_falls = 0, stiff_falls = 0;
  double first = 1e9, last = 0;
  NaoTrial t = replay(*targets);
  for (const NaoDrive drive : {NaoDrive::stiff, NaoDrive::nao, NaoDrive::play})
    for (const double k : {2e4, 2e5})
      for (const double mu : {0.6, 0.8, 1.0}) {
        if (options.quick && mu != 0.8) continue;
        const bool stiff = drive == NaoDrive::stiff;
        if (stiff && k < 1e5) continue;  // a soft floor is no stiff chain
        t.drive = drive;
        t.stiff_kp = 600;
        t.stiffness = k;
        t.friction = mu;
        const auto r = run_trial(t);
        if (!r) return std::nullopt;
        char name[64];
        std::snprintf(name, sizeof name, "%s, friction %.1f, %s", name_of(drive), mu, k < 1e5 ? "soft" : "hard");
        fall_time[name] = r->fell ? Json(r->fall_time - kFileShift) : Json("stands");
        if (r->fell) fall_roll[name] = r->path.back().roll / kDegree;
        if (stiff)
          stiff_falls += r->fell;
        else
          ++compliant, compliant_falls += r->fell;
        if (!stiff && r->fell)
          first = std::min(first, r->fall_time - kFileShift), last = std::max(last, r->fall_time - kFileShift);
        if (mu != 0.8 || k < 1e5) continue;
        Series line{name_of(drive), {}, {}};
        for (const NaoSample& s : r->path) line.x.push_back(s.t), line.y.push_back(s.roll / kDegree);
        plot.series.push_back(std::move(line));
      }
  if (!options.out.empty() && !write_plot(plot, options.out, "motoflex-50")) return std::nullopt;
  Json rows = Json::array();
  Json time =
      row("time of the fall, in the target file", "s", "after the first step", "after the first step", fall_time);
  time["peers"] = {{"original rerun", Json{{"nao, friction 1.0, hard", 3.12}, {"nao, friction 1.0, soft", 3.12}}}};
  rows.push_back(time);
  rows.push_back(row("roll at the fall (negative: to the left)", "deg", nullptr, nullptr, fall_roll));
  char verdict[240];
  std::snprintf(verdict, sizeof verdict,
                "%d of %d compliant runs fall sideways, at %.2f to %.2f s (original program 3.12 s); of the stiff "
                "drives (600 N m/rad, hard floor) %d fall: compliance decides, as in the paper",
                compliant_falls, compliant, compliant_falls ? first : 0, last, stiff_falls);
  return Json{{"name", "motoflex-50"}, {"rows", rows}, {"verdict", verdict}};
}

}  // namespace gradus::cli

#include "papers/walk_sweep.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace gradus::cli {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
const double kFrictions[] = {0.35, 0.5, 0.7, 1.0};
const double kStiffnesses[] = {2e4, 5e4, 2e5, 5e5};

/// One variant over all floors; the run on the middle one is kept as the example.
bool over_floors(NaoTrial t, const Figure& figure, bool quick, Spread& spread, NaoRun& example) {
  for (const double mu : kFrictions)
    for (const double k : kStiffnesses) {
      const bool middle = mu == 0.7 && k == 2e5;
      if (quick && !middle) continue;
      t.friction = mu;
      t.stiffness = k;
      auto run = run_trial(t);
      if (!run) return false;
      spread.add(*run, figure(*run));
      if (middle) example = std::move(*run);
    }
  return true;
}

}  // namespace

void Spread::add(const NaoRun& run, double figure) {
  ++runs;
  if (run.fell) {
    ++falls;
    return;
  }
  const int stood = runs - falls;
  least = stood == 1 ? figure : std::min(least, figure);
  most = stood == 1 ? figure : std::max(most, figure);
  mean += (figure - mean) / stood;
}

std::vector<NaoDrive> walking_drives() { return {NaoDrive::nao, NaoDrive::play}; }

std::optional<WalkSweep> sweep_walk(const NaoTrial& trial, const Figure& figure, bool quick) {
  WalkSweep out;
  const auto variant = [&](const std::string& name, const NaoTrial& t) {
    out.names.push_back(name);
    out.spreads.emplace_back();
    out.examples.emplace_back();
    return over_floors(t, figure, quick, out.spreads.back(), out.examples.back());
  };
  NaoTrial t = trial;
  for (const char* level : {"kinematic_walk", "single_body", "prescribed_joints"}) {
    t.motion = level;
    if (!variant(level, t)) return std::nullopt;
  }
  t.motion = "articulated";
  for (const NaoDrive drive : walking_drives()) {
    t.drive = drive;
    if (!variant(std::string("articulated, ") + name_of(drive), t)) return std::nullopt;
  }
  return out;
}

std::optional<Spread> sweep_calibration(NaoTrial t, NaoDrive drive, const Figure& figure, int robots) {
  Spread out;
  t.drive = drive;
  t.friction = 0.7;
  t.stiffness = 2e5;
  t.calibration = 0.5 * kDegree;
  for (int n = 1; n <= robots; ++n) {
    t.seed = static_cast<std::uint64_t>(n);
    const auto run = run_trial(t);
    if (!run) return std::nullopt;
    out.add(*run, figure(*run));
  }
  return out;
}

Json ranges(const WalkSweep& s) {
  Json out;
  for (std::size_t i = 0; i < s.names.size(); ++i) {
    char text[48];
    std::snprintf(text, sizeof text, "%.4g … %.4g", s.spreads[i].least, s.spreads[i].most);
    out[s.names[i]] = s.spreads[i].runs == s.spreads[i].falls ? "all fall" : text;
  }
  return out;
}

Json means(const WalkSweep& s) {
  Json out;
  for (std::size_t i = 0; i < s.names.size(); ++i) out[s.names[i]] = s.spreads[i].mean;
  return out;
}

Json falls(const WalkSweep& s) {
  Json out;
  for (std::size_t i = 0; i < s.names.size(); ++i) out[s.names[i]] = s.spreads[i].falls;
  return out;
}

int all_falls(const WalkSweep& s) {
  int n = 0;
  for (const Spread& x : s.spreads) n += x.falls;
  return n;
}

Json row(const std::string& quantity, const std::string& unit, Json paper, Json real, Json gradus) {
  return PaperRow{quantity, unit, std::move(paper), std::move(real), Json::object(), std::move(gradus)};
}

bool plot_paths(const WalkSweep& s, const std::string& title, const PaperOptions& options, const std::string& name) {
  if (options.out.empty()) return true;
  Plot plot{title, "x [m]", "y [m]", {}, true};
  for (std::size_t i = 0; i < s.names.size(); ++i) {
    Series line;
    line.name = s.names[i];
    for (const NaoSample& p : s.examples[i].path) line.x.push_back(p.x), line.y.push_back(p.y);
    plot.series.push_back(std::move(line));
  }
  return write_plot(plot, options.out, name);
}

}  // namespace gradus::cli

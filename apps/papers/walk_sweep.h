/// The walks of USARSim 2012 at every level, and at level articulated over floors, drives and calibration errors.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "papers/nao_trial.h"
#include "papers/paper.h"
#include "common/plot.h"

namespace gradus::cli {

/// Least, mean and greatest of a figure over runs, and how many fell.
struct Spread {
  int runs = 0, falls = 0;
  double least = 0, most = 0, mean = 0;  // of those that did not fall
  void add(const NaoRun& run, double figure);
};

using Figure = std::function<double(const NaoRun&)>;

struct WalkSweep {
  std::vector<std::string> names;  // "kinematic_walk", …, "articulated, nao", "articulated, play"
  std::vector<Spread> spreads;
  std::vector<NaoRun> examples;  // friction 0.7, 2e5 N/m
};

/// Floors: friction 0.35 … 1.0, 2e4 … 5e5 N/m at each corner of a sole; `quick`: one floor.
std::optional<WalkSweep> sweep_walk(const NaoTrial& trial, const Figure& figure, bool quick);
/// Ten robots, each leg joint wrong by up to 0.5°.
std::optional<Spread> sweep_calibration(NaoTrial trial, NaoDrive drive, const Figure& figure, int robots);

/// "least … most" of every variant.
Json ranges(const WalkSweep& sweep);
Json means(const WalkSweep& sweep);
Json falls(const WalkSweep& sweep);
Json row(const std::string& quantity, const std::string& unit, Json paper, Json real, Json gradus);
int all_falls(const WalkSweep& sweep);
/// Paths of the examples in the plane.
bool plot_paths(const WalkSweep& sweep, const std::string& title, const PaperOptions& options, const std::string& name);

/// Drives that level articulated is asked with.
std::vector<NaoDrive> walking_drives();

}  // namespace gradus::cli

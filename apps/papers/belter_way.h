/// One robot that walks a planned way over one terrain: what belter-plan, belter-foothold and `gradus learn footholds` run.
#pragma once
#include <optional>
#include <string>

#include "load/terrain.h"
#include "plan/way_controller.h"

namespace gradus::cli {

struct WayTrial {
  TerrainSpec terrain;                  // unless there is a map
  std::optional<HeightGrid> map;
  Vec3 start{0, 0, 0};                  // x, y; z is the ground's                               [m]
  double start_yaw = 0;                 // [rad]
  double friction = 0.8;
  double time = 120;                    // given up then                                         [s]
  plan::WaySettings settings;           // its gait is that of scenes/messor_plan.toml
  bool keep_samples = false;
};

struct WayResult {
  bool found = false, arrived = false, fell = false;
  double planning = 0;  // longest of all plans                                                  [s]
  double time = 0;      // simulated                                                             [s]
  double off = 0;       // from the goal at the end                                              [m]
  plan::WayReport report;
  plan::Plan plan;      // the first one
  std::vector<Vec3> path;  // of the base
  std::vector<plan::SlipSample> samples;
  HeightGrid map;
};

/// Nothing after errors, which are printed.
std::optional<WayResult> walk_way(const WayTrial& trial);

/// The ground from above in grey, the plan's footholds as dots, its base as a line, the way walked as another.
std::string way_svg(const WayResult& result, const std::string& title);
bool write_text(const std::string& text, const std::string& dir, const std::string& file);

}  // namespace gradus::cli

/// One robot that walks a planned way over one terrain: what belter-plan, belter-foothold and `gradus learn footholds` run.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "load/terrain.h"
#include "plan/way_controller.h"

namespace gradus::cli {

struct WayTrial {
  std::string scene = "messor_plan";    // its first robot walks a plan, its first field object is a map
  TerrainSpec terrain;                  // unless there is a map
  std::optional<HeightGrid> map;
  Vec3 start{0, 0, 0};                  // x, y; z is the ground's                               [m]
  double start_yaw = 0;                 // [rad]
  double friction = 0.8;
  double time = 120;                    // given up then                                         [s]
  plan::WaySettings settings;           // its gait is the scene's
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

/// How footholds are learned: the robot walks over generated ground with little friction, feet on the nearest places, and what each slid is measured.
struct LearnSettings {
  std::string scene = "messor_plan";
  int maps = 24;            // tilted tiles and bumps by turns
  int centres = 48;         // of the model [plan/foothold_cost.h]
  double friction = 0.4;
  double search = 0.09;     // of footholds [plan/walker.h]                                        [m]
  std::uint64_t seed = 1;   // of the first map
};
struct Learned {
  plan::FootholdCost cost;
  std::size_t samples = 0, slipped = 0;  // footholds; of these by more than 2 cm
  double error = 0, spread = 0;          // root mean square of what the model is off on every fourth sample, learned from the others; of the slips there  [m]
};
/// The maps that number n stands for; learning uses 0, 1, …, tests others.
HeightGrid slippery_map(std::uint64_t seed, int n);
/// progress: called after each map; false ends it early, with nothing.
std::optional<Learned> learn_footholds(const LearnSettings& settings, const std::function<bool(int)>& progress);

/// Nothing after errors, which are printed.
std::optional<WayResult> walk_way(const WayTrial& trial);

/// The ground from above in grey, the plan's footholds as dots, its base as a line, the way walked as another.
std::string way_svg(const WayResult& result, const std::string& title);
bool write_text(const std::string& text, const std::string& dir, const std::string& file);

}  // namespace gradus::cli

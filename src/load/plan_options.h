/// What a scene says about a planned way: controller = { plan = "gaits/plan_tripod.toml", goal = { x = "2 m", y = "0 m", yaw = "90 deg" }, footholds = "….json" }.
/// It travels in ControllerSpec::options as text, before settings of the gait: "goal.x=2,goal.y=0,goal.yaw=1.5,footholds=FILE,period=2".
#pragma once
#include <optional>
#include <string>

#include "base/result.h"

namespace gradus {

struct PlanOptions {
  double x = 0, y = 0;        // where the base goes                                               [m]
  std::optional<double> yaw;  // there                                                             [rad]
  double stride = 0.08;       // of the base, between two stances                                  [m]
  std::string footholds;      // file of learned costs; "none": the nearest; "": costs made by hand
  std::string gait;           // settings of the gait [gait_toml.h]
};

std::string to_text(const PlanOptions& options);
/// What to_text wrote, and settings after it.
Result<PlanOptions> read_plan_options(const std::string& text);

}  // namespace gradus

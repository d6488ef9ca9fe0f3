/// Any bytes as robot, scene and motion: something that passes the checks, or errors, and never too many.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "load/motion_toml.h"
#include "load/robot_toml.h"
#include "load/scene_toml.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

template <class T>
void demand_answer(const gradus::Result<T>& r) {
  demand(static_cast<bool>(r) != gradus::has_errors(r.notes()));
  demand(r.notes().size() <= 101);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto robot = gradus::parse_robot_toml(text, "fuzz/robot.toml");
  demand_answer(robot);
  if (robot) demand(gradus::check(*robot).empty());
  const auto scene = gradus::parse_scene(text, "fuzz/scene.toml");
  demand_answer(scene);
  if (scene) demand(gradus::check(*scene).empty());
  const auto motion = gradus::parse_motion(text, "fuzz/motion.toml");
  demand_answer(motion);
  if (motion) demand(!motion->frames.empty() && !motion->joints.empty());
  return 0;
}

#include "link/items.h"

#include <algorithm>

namespace gradus {
namespace {

bool has_joints(const RobotInstanceSpec& r) {
  return std::any_of(r.robot.objects.begin(), r.robot.objects.end(), [](const ObjectSpec& o) { return o.is_joint(); });
}

}  // namespace

bool has_controller(const SceneSpec& scene, std::string_view kind) {
  return std::any_of(scene.robots.begin(), scene.robots.end(),
                     [&](const RobotInstanceSpec& r) { return r.controller.kind == kind; });
}

std::vector<RobotInstanceSpec*> RobotChoice::of(SceneSpec& scene, const std::string& kind, const std::string& who,
                                                Diagnostics& faults) const {
  std::vector<RobotInstanceSpec*> out;
  const auto complain = [&](const std::string& text, const std::string& suggestion) {
    faults.push_back({{}, Severity::error, who + ": " + text, suggestion});
  };
  for (const std::string& name : names_) {
    const auto it =
        std::find_if(scene.robots.begin(), scene.robots.end(), [&](const auto& r) { return r.name == name; });
    std::vector<std::string> known;
    for (const RobotInstanceSpec& r : scene.robots) known.push_back(r.name);
    if (it == scene.robots.end()) {
      complain("there is no robot '" + name + "'", did_you_mean(name, known));
    } else if (!has_joints(*it) || !it->group.empty()) {
      complain("robot '" + name + "' has no joints that a program could move", "");
    } else {
      out.push_back(&*it);
    }
  }
  if (!names_.empty()) return out;
  for (RobotInstanceSpec& r : scene.robots)
    if (has_joints(r) && r.group.empty() && (r.controller.kind == "none" || r.controller.kind == kind))
      out.push_back(&r);
  if (out.empty()) complain("no robot of this scene waits for a program", "name one: robot=NAME");
  return out;
}

}  // namespace gradus

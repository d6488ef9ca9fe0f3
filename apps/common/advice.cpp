#include "common/advice.h"

#include <algorithm>
#include <set>

#include "model/model.h"

namespace gradus::cli {
namespace {

Diagnostic warning(const Place& place, std::string text, std::string suggestion) {
  return {place, Severity::warning, std::move(text), std::move(suggestion)};
}

bool can_fall(const RobotInstanceSpec& r) { return r.robot.root == RootKind::free && r.group.empty(); }

/// A free robot with joints of which none has a servo, as every URDF file gives it. (Robots that are bolted down and
/// swing are pendulums: those are meant.)
bool hangs_loose(const RobotInstanceSpec& r) {
  if (!can_fall(r) || r.motion != "articulated") return false;
  bool has_joints = false;
  for (const ObjectSpec& o : r.robot.objects) {
    if (o.is_joint() && (o.servo.kp > 0 || o.drive)) return false;
    has_joints = has_joints || o.is_joint();
  }
  return has_joints;
}

/// Bolted robots without shapes are pendulums; of a URDF file one expects shapes.
bool touches_nothing(const RobotInstanceSpec& r) {
  return (can_fall(r) || r.robot.file.ends_with(".urdf")) && r.group.empty() && !touches_anything(r.robot);
}

/// What only the compiled scene knows, where it can be at all: who starts inside the ground.
Diagnostics advice_on_start(const SceneSpec& scene) {
  const auto placed_by_hand = [](const RobotInstanceSpec& r) { return !r.on_ground && r.group.empty(); };
  if (std::none_of(scene.robots.begin(), scene.robots.end(), placed_by_hand)) return {};
  const Result<Model> model = compile(scene);
  return model ? model.notes() : Diagnostics{};
}

}  // namespace

Diagnostics advice(const SceneSpec& scene) {
  Diagnostics out = advice_on_start(scene);
  const Place whole{scene.file, 0, 0};
  if (scene.robots.empty())
    out.push_back(warning(whole, "the scene has no robots", "add [robot.NAME] with model = \"robots/kidsize.toml\""));
  const bool falls = norm(scene.gravity) > 0 && std::any_of(scene.robots.begin(), scene.robots.end(), can_fall);
  if (falls && scene.field.empty())
    out.push_back(
        warning(whole, "there is no ground: robots fall for ever", "add include = [\"fields/plane.toml\"] to [world]"));
  std::set<std::string> told;  // once for all robots of a file
  for (const RobotInstanceSpec& r : scene.robots)
    if (touches_nothing(r) && told.insert(r.robot.file).second)
      out.push_back(warning(r.robot.file.empty() ? whole : Place{r.robot.file, 0, 0},
                            "'" + r.robot.name + "' has no collision shapes: it touches nothing" +
                                (can_fall(r) ? " and falls through the ground" : ""),
                            "give its links shapes (URDF: <collision>)"));
  told.clear();
  for (const RobotInstanceSpec& r : scene.robots)
    if (hangs_loose(r) && told.insert(r.robot.file).second)
      out.push_back(
          warning(r.robot.file.empty() ? whole : Place{r.robot.file, 0, 0},
                  "no joint of '" + r.robot.name + "' has a servo, so all hang loose",
                  "in a scene: servo = { all = { kp = \"60 N m/rad\", kd = \"2 N m s/rad\" } }; here: --set " + r.name +
                      ".all.kp='60 N m/rad' --set " + r.name + ".all.kd='2 N m s/rad'"));
  return out;
}

}  // namespace gradus::cli

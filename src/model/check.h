/// The checks of spec.h with exact places. A loader that knows where each property was written hands over `place_of`;
/// one that has already reported a property answers nothing, and the check stays silent about it.
#pragma once
#include <functional>
#include <optional>

#include "model/spec.h"

namespace gradus {

/// Where `property` ("mass", "limits", …; "" is the object itself) of an object was written; without object, of the
/// robot
/// ("name", "feet").
using PlaceOf = std::function<std::optional<Place>(ObjectId object, const char* property)>;

Diagnostics check(const RobotSpec& robot, const PlaceOf& place_of);

/// The same for a scene; its robots' own descriptions are not checked again.
using ScenePlaceOf =
    std::function<std::optional<Place>(const std::string& path)>;  // "world.step", "robot.blue1.motion"
Diagnostics check_scene(const SceneSpec& scene, const ScenePlaceOf& place_of);

/// What is wrong with a chain's own numbers; empty if nothing is [check_drive.cpp].
struct DriveFault {
  const char* key;  // as servo files have it: "delay", "gear.ratio"; a table where something is missing in it
  std::string text, suggestion;
  bool missing;  // a number is due that nobody gave
};
std::vector<DriveFault> drive_faults(const DriveSpec& drive);
/// Of pitch and groups; part of check_scene. path as above; `otherwise` is the place if nobody knows a better one.
using SceneFault = std::function<void(const std::string& path, const Place& otherwise, const std::string& text,
                                      const std::string& suggestion)>;
void check_groups(const SceneSpec& scene, const SceneFault& fault);

/// Bounds within which step numbers are exact and times do not overflow.
inline constexpr double kShortestStep = 1e-9, kLongestRun = 1e8;  // [s]

/// What a scene may name.
const std::vector<std::string>& known_motions();
const std::vector<std::string>& known_group_motions();  // of groups, not of single robots
const std::vector<std::string>& known_controllers();
const std::vector<std::string>& known_contact_laws();

}  // namespace gradus

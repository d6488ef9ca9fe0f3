/// Changes that a person or the command line makes to a running simulation, as values: applied between two steps,
/// recorded in the log and applied again by replay.
#pragma once
#include <string>

#include "world/properties.h"

namespace gradus {

struct Command {
  enum class Kind { motion, set, impulse, push, place };
  Kind kind = Kind::motion;
  std::string robot;  // motion, impulse, push, place
  std::string name;   // motion: level; set: property path; impulse, push: object ("" ends a push); place: "away" or ""
  double value = 0;   // set
  Vec3 vector{0, 0, 0};  // impulse [N s] or force [N], world axes; place: velocity in x and y [m/s]
  Vec3 point{0, 0, 0};   // where, in the object's frame [m]; place: x, y [m] and heading [rad]
};

/// "" if done, else what was wrong; then nothing was changed.
std::string apply(World& world, const Command& command);
std::string to_json(const Command& command);
Result<Command> command_from_json(std::string_view text);

}  // namespace gradus

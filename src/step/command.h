/// Changes that a person or the command line makes to a running simulation, as values: applied between two steps, recorded in
/// the log and applied again by replay.
#pragma once
#include <string>

#include "step/properties.h"

namespace gradus {

struct Command {
  enum class Kind { motion, set, impulse, push };
  Kind kind = Kind::motion;
  std::string robot;       // motion, impulse, push
  std::string name;        // motion: level; set: property path; impulse, push: object ("" ends a push)
  double value = 0;        // set
  Vec3 vector{0, 0, 0};    // impulse [N s] or force [N], world axes
  Vec3 point{0, 0, 0};     // where, in the object's frame [m]
};

/// "" if done, else what was wrong; then nothing was changed.
std::string apply(World& world, const Command& command);
std::string to_json(const Command& command);
Result<Command> command_from_json(std::string_view text);

}  // namespace gradus

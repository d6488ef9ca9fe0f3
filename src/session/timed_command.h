/// "TIME: PATH=VALUE" (`gradus run --at`): a property set while the run goes on, by the same command as a viewer's.
#pragma once
#include <optional>
#include <string>

#include "world/command.h"

namespace gradus {

struct TimedCommand {
  std::int64_t k = 0;  // it is applied before the step from k
  Command command;
};

/// The value has the property's unit. None, and `faults` says why, if it cannot be.
std::optional<TimedCommand> read_timed_command(const std::string& text, const World& world, Diagnostics& faults);

}  // namespace gradus

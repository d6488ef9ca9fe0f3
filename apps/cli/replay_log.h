/// A log run again with a progress bar, and what is told about it.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "session/record.h"

namespace gradus::cli {

/// As gradus::replay, with a bar on standard error unless `silent`.
Result<Replay> replay_with_bar(const std::string& log, const ReplayOptions& options, bool silent,
                               const std::function<void(const World&)>& observe = {});
/// For those who look at a log: damage and differences are printed as warnings, `observe` sees the states before them.
/// False after errors, which were printed.
bool look_through(const std::string& log, const std::function<void(const World&)>& observe);

}  // namespace gradus::cli

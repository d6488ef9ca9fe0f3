/// What commands and experiments share: scenes by name, robots as scenes, messages, clocks.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/shipped.h"
#include "model/spec.h"
#include "session/scene_file.h"

namespace gradus::cli {

/// Prints all, one a line, to standard error.
void print(const Diagnostics& notes);
/// Loads a scene or robot and applies --settings (files), --set and --motion, in this order; nothing on errors, which are printed.
std::optional<SceneSpec> load_scene_with(const std::string& name, const std::vector<std::string>& sets,
                                         const std::vector<std::string>& motions,
                                         const std::vector<std::string>& settings = {});
double now();          // wall clock from any start [s]
double thread_time();  // processor time of the calling thread [s]
int spare_threads(int threads);  // of the processor's, besides so many; 0: none

}  // namespace gradus::cli

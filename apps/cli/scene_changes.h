/// What an edit changed: for people who want to know that the file they saved is the one that runs.
#pragma once
#include <string>
#include <vector>

#include "model/spec.h"

namespace gradus::cli {

/// One line for every value that differs, as in "level1.p_WB.1: 0.3 → 0.4"; robots, objects and field objects by name.
std::vector<std::string> scene_changes(const SceneSpec& before, const SceneSpec& after);

}  // namespace gradus::cli

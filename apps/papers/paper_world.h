/// The world of an experiment whose scene is built in code.
#pragma once
#include <memory>

#include "world/world.h"

namespace gradus::cli {

/// Null after errors, which were printed.
std::unique_ptr<World> make_world(const SceneSpec& scene);

}  // namespace gradus::cli

/// Gives every robot of a world the controller that its scene names.
#pragma once
#include <string>
#include <vector>

#include "link/library/library_controller.h"
#include "link/process/process_controller.h"
#include "world/world.h"

namespace gradus {

namespace plan {
class WayController;
}

/// The controllers that can fail; owned by the world.
struct Controllers {
  std::vector<const LibraryController*> libraries;
  std::vector<const ProcessController*> processes;
  std::vector<std::pair<std::string, plan::WayController*>> ways;  // with the names of their robots
  std::string failure() const;  // why one no longer works; empty: all do
};

Result<Controllers> attach_controllers(World& world);

}  // namespace gradus

/// Contact forces on a robot's links in the last step, wherever they came from: ground plane, field, other robots, itself.
#pragma once
#include <span>
#include <vector>

#include "contact/contacts.h"
#include "sense/sense.h"

namespace gradus {

/// Replaces the list; allocates nothing beyond its capacity. The state must have been looked at.
void find_link_forces(const RobotContext& robot, int number, std::span<const MovingContact> contacts, double h,
                      std::vector<sense::LinkForce>& out);
/// How long the list may become.
std::size_t most_link_forces(const RobotKind& kind, const RobotLayout& at, std::size_t contacts);

}  // namespace gradus

/// The voltage that a robot's chains are fed with, as a share of the one that their files name: 1 unless a battery feeds
/// them [sense/kinds/drives.h]. A share of u makes the pulses of every motor's voltage that much lower:
///
///   U = u S clamp(P, ±P_max)                                             [chain.h (2)]
#pragma once
#include <cstddef>
#include <vector>

#include "model/model.h"

namespace gradus {

/// Into the scratch of make_drive_scratch, before a step.
void set_supply(const RobotKind& kind, std::vector<std::byte>& drive_scratch, double share);

}  // namespace gradus

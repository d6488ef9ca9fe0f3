/// A robot as a MuJoCo model, so that another engine can judge our accelerations. Tests only.
#pragma once
#include <string>

#include "model/model.h"

namespace gradus::test {

/// Links, joints, inertias and rotors of a robot as MJCF; no geometry, no limits, no contacts. Bodies are declared
/// depth first, as links are numbered, so joint j of the kind is joint j of MuJoCo (after the free joint).
std::string to_mjcf(const RobotKind& kind, Vec3 gravity);

}  // namespace gradus::test

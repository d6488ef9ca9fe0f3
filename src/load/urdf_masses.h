/// Masses that a URDF file leaves out or gets wrong, made such that the robot can be simulated. Exporters write frames
/// without mass, point masses, inertias that no body can have, and often no <inertial> at all. Every change is reported
/// with the numbers before and after; what is right stays as it is.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "model/spec.h"

namespace gradus {

inline constexpr double kUrdfDensity = 1000;       // of links without mass [kg/m³]
inline constexpr double kUrdfLeastInertia = 1e-3;  // of a joint that moves nothing at all [kg m²] or [kg]
inline constexpr double kUrdfLinkMass = 1;         // of links of robots of which nothing at all is known [kg]
inline constexpr double kUrdfTooQuick = 1e-3;      // [s] no motor reaches its top speed sooner ...
inline constexpr double kUrdfMotorTime = 5e-3;     // [s] ... but in its mechanical time constant, usually 3 to 10 ms

/// About a property of an object of the robot.
using MassNote =
    std::function<void(std::size_t object, const char* property, std::string text, std::string suggestion)>;

/// The tree must be sound, the numbers finite.
///   inertia without mass              ignored
///   inertia that is not possible      the nearest possible one; refused by check() if that is far away
///   rigid body of point masses only   the inertia of its shapes, or of a ball of density 1000 kg/m³
///   joint that carries no mass        masses of the shapes that it moves, density 1000 kg/m³, else a rotor
///   effort reaches velocity in 1 ms   the motor's own inertia, effort · 5 ms / velocity
///   free base without mass            bolted to the world
void complete_masses(RobotSpec& robot, const MassNote& note);

}  // namespace gradus

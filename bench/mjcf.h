/// A compiled robot as MuJoCo sees it, so that peers and witnesses have exactly the same numbers.
#pragma once
#include <span>
#include <string>

#include "model/model.h"

namespace gradus::bench {

struct MjcfOptions {
  double step = 0.001;  // [s]
  std::string integrator = "Euler";
  std::string solver = "Newton";  // with the pyramidal friction cone, MuJoCo's default
  int noslip_iterations = 0;      // sweeps after it that take what is left of slipping
  bool ground = true;
  Vec3 gravity{0, 0, -9.81};
};

/// One world with one robot. Bodies, inertias, hinges and slides, limits, servos (position actuators whose force is
/// bounded, damping in the joint, as gradus has it), rotor inertia as armature; collision shapes touch the ground only.
/// Contact stiffness has no counterpart: MuJoCo's own soft constraint is used with its default time constant.
/// Not carried over: mimic joints, torque–speed curves, mesh shapes. MuJoCo refuses links that move but have no mass.
std::string to_mjcf(const RobotKind& kind, const ContactSpec& contact, const MjcfOptions& options = {});
/// Several of them, whose shapes touch each other and themselves too (not those of neighbouring links).
std::string to_mjcf(const RobotKind& kind, const ContactSpec& contact, std::span<const Pose> starts,
                    const MjcfOptions& options = {});

}  // namespace gradus::bench

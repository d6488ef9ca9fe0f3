/// What two surfaces that meet are to each other: the numbers of every contact law, for one pair.
///
/// For each number the first that is given counts:
///   1. the [[contact.pair]] of the two materials
///   2. what the surfaces say: one of them alone as it is; both together
///        friction, restitution   √(a b)                    geometric mean
///        stiffness, damping      a b/(a + b)               two springs in series
///        rolling, torsion        max(a, b)                 the rougher one decides
///   3. the scene's [world.contact]
#pragma once
#include "model/spec.h"

namespace gradus {

struct PairNumbers {
  double friction;              // Coulomb                                                    [-]
  double stiffness, damping;    // normal, of one contact                                     [N/m, N s/m]
  double tangential_stiffness;  // of the sticking spring, in the scene's ratio to the normal one
  double tangential_damping;
  double restitution;       //                                                            [-]
  double rolling, torsion;  // moment / normal force                                      [m]
};

PairNumbers pair_numbers(const ContactSpec& scene, const SurfaceSpec& a, const SurfaceSpec& b);

/// The same for a robot of this mass on the static world. Where neither surfaces nor scene give a stiffness, all four
/// constants grow with masses above 10 kg, so that heavy robots sink no deeper and bounce no longer than one of 10 kg (1.2
/// mm on four points, damping ratio 0.34). A `depth` of the scene is what it sinks by under its own weight on four points:
///   k = m g/(4 depth),   d with that damping ratio
PairNumbers scaled_numbers(const ContactSpec& scene, const SurfaceSpec& a, const SurfaceSpec& b, double mass);

/// Contacts of moving bodies, likewise: factor of stiffness and damping, above 1 for masses over 100 kg (of two bodies
/// the lighter one's), so that a ton sinks no deeper than 100 kg.
double moving_factor(double mass);

}  // namespace gradus

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

}  // namespace gradus

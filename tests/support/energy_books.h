/// Where the energy of articulated robots comes from, step by step. A step solves M(q) (v⁺ − v) = h (forces + bias) at
/// the frozen configuration q, so that with the mean velocity v̄ = (v + v⁺)/2 the change of kinetic energy there is
/// exactly the sum of the works
///
///   ½ v⁺ᵀM(q) v⁺ − ½ vᵀM(q) v = h v̄ᵀ(τ + gravity − bias(q, v)) + contacts                                        (1)
///
/// and what all contacts did follows without knowing them. The rest are errors of integration, which vanish with h:
///   gravity   h v̄·(m g) + ΔV: positions move with v⁺, not with v̄                                                 (2)
///   inertia   ½ v⁺ᵀ(M(q⁺) − M(q)) v⁺ − h v̄ᵀbias(q, v): the inertia of the new configuration                      (3)
/// Springs of contacts store energy and may give it back.
///
/// Does anything make energy? A step is implicit: springs, dampers and friction act with v⁺, and positions move with
/// v⁺. With the works of that way, h v⁺ᵀf instead of h v̄ᵀf, (1) reads
///
///   ΔT = h v⁺ᵀ(all forces) − ½ (v⁺ − v)ᵀM (v⁺ − v)                                                               (4)
///
/// where dampers and friction give ≤ 0, gravity gives −ΔV, and springs at their new length give ≤ −Δstored, since what
/// they store is convex. So Δbodies + Δstored ≤ drives, the torques' work over the way that the joints went, but for
/// the turning of the geometry in a step. Of works with v̄ only the sum means something: a spring that a blow on the
/// other side presses seems to give more than it held.
#pragma once
#include "support/robots.h"

namespace gradus::test {

/// Of one step or summed over steps, all robots together [J].
struct EnergyBooks {
  double joints = 0;                // work of drives, stops and passive forces
  double drives = 0;                // the same over the way they went, τ·Δq
  double contacts = 0;              // work of all contacts, with the static world and each other
  double stored = 0;                // change of what the springs of contacts hold
  double gravity = 0, inertia = 0;  // (2), (3)
  double bodies = 0;  // change of kinetic and potential energy: the sum of joints, contacts, gravity and inertia
  /// What came from nowhere: not positive, (4).
  double made() const { return bodies + stored - drives; }
  void add(const EnergyBooks& b);
};

/// Takes one step of a world of articulated robots.
EnergyBooks step_with_books(World& world);
/// In springs of contacts at the present state: ½ k φ² and, for sticking points on the ground, ½ k_t s².
double stored_in_contacts(const World& world);

}  // namespace gradus::test

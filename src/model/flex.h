/// Flexible links. Before a robot is compiled, every object with `flex` becomes a chain of rigid pieces joined by
/// spring–dampers across the link (two axes; a third along it if it twists) [MoToFlex 2011, eq. 1: T = −D α at every cut]:
///
///   O  →  O, (O_bend1_a, O_bend1_b [, O_twist1], O_piece1), …
///
/// All pieces keep the coordinates of O when nothing bends, and whatever followed O follows the last piece. Mass,
/// centre of mass and inertia of the straight link are exactly those of O: with Σ = ∫ρ x² along the link (1/(aᵀ S⁻¹ a)
/// of its second moments S, if it is not a principal axis), N pieces of mass m/N lie at
///
///   d_i = L ((i + ½)/N − ½),  L = √(12 Σ/m),  and each keeps  Σ/N³ along the link, 1/N of the moments across it (1)
///
/// which is what cutting a uniform bar gives. Springs are implicit passive joints, so any stiffness is stable at any
/// step.
#pragma once
#include "model/spec.h"

namespace gradus {

/// The robot with its flexible links cut. `robot` has passed check().
RobotSpec cut_flexible_links(const RobotSpec& robot);
bool has_flexible_links(const RobotSpec& robot);

}  // namespace gradus

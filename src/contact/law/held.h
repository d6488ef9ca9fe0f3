/// Depth that came from nowhere. Geometry is frozen in a step: a contact's gap φ, moving with u_n⁺, should be φ + h u_n⁺
/// after it. Where a limb slides over an edge, a corner is clipped into two points or a foot comes to the next triangle, the
/// next look finds it deeper, or finds two that are as deep as the one was: springs hold energy that nobody put in.
///
/// So the springs of a pair of shapes hold no more than the step left in them and what the pair took from the bodies in it:
///   held = max(0, ½ k φ² − h f⁺·u⁺ − change of ½ k_t s²) + unfelt h/T                                             (1)
///   Σ ½ k φ² > Σ held:  every gap of the pair is felt as φ √(Σ held/Σ ½ k φ²)                                     (2)
/// sums over the contacts of the pair, as the next look finds them on the left, as the step left them on the right. What is
/// not felt comes back slowly, T = 10 s, so that bodies which somebody put inside each other come out.
/// Between moving bodies only where they lie still and press. A contact that closes without a force, because it waits for its
/// impact, holds nothing. While (2) does nothing, which is nearly always, the law is as it was.
#pragma once
#include "math/scalar.h"

namespace gradus {

inline constexpr double kHeldReturn = 10;      // T                                                    [s]
inline constexpr double kHeldRounding = 1e-9;  // a sum exceeded by this share is rounding

inline double spring_holds(double k, double gap) {
  const double deep = minimum(gap, 0.0);
  return 0.5 * k * deep * deep;
}

/// (1). work: h f⁺·u⁺ on the bodies; sticking: change of ½ k_t s².
inline double held_after(double h, double k, double gap, double work, double sticking, double unfelt) {
  return maximum(0.0, spring_holds(k, gap) - work - sticking) + unfelt * (h / kHeldReturn);
}

/// (2): the factor of the gaps; 1 where all is felt.
inline double felt_share(double found, double held) {
  return found > held * (1 + kHeldRounding) ? square_root(held / found) : 1;
}

}  // namespace gradus

/// The root's part of a step, the same for every motion whose root moves by forces, for any scalar and on a CUDA
/// device.
#pragma once
#include "state/access.h"
#include "tree/dynamics.h"

namespace gradus {

/// Acceleration of the root minus gravity from M a = −bias; a fixed root cannot accelerate.
template <class T>
GRADUS_INLINE Vec6T<T> solve_root(RootKind root, Vec3T<T> g, const Mat6T<T>& M, const Vec6T<T>& bias,
                                  Factor6T<T>& factor) {
  if (root == RootKind::fixed) return {zero3<T>(), -g};
  factorize(M, factor);
  return solve(factor, Vec6T<T>{-bias.a, -bias.l});
}

inline bool touches(std::span<const StaticContact> contacts) {
  for (const StaticContact& c : contacts)
    if (c.active) return true;
  return false;
}

/// State[k+1] of a root without regard to its inertia: rotation by the exponential map of w⁺; position with the mean
/// velocity in flight, which is exact for gravity, and with v⁺ in contact, which is what friction was computed for.
/// q_next and v_next may be q and v themselves.
template <class T>
GRADUS_INLINE void commit_root(RootKind root, const T* q, const T* v, const Vec6T<T>& acc, Vec3T<T> g,
                               MaskOf<T> contact, std::type_identity_t<T> h, T* q_next, T* v_next) {
  const Vec3T<T> v0 = base_velocity(v);
  if (root == RootKind::fixed) {
    set_base_pose(q_next, base_position(q), base_orientation(q));
    set_base_twist(v_next, zero3<T>(), zero3<T>());
    return;
  }
  const Vec3T<T> w1 = base_angular_velocity(v) + acc.a * h, v1 = v0 + (acc.l + g) * h;
  const Vec3T<T> mean = select(contact, v1, (v0 + v1) * T(0.5));
  set_base_pose(q_next, base_position(q) + mean * h, normalized(exponential(w1 * h) * base_orientation(q)));
  set_base_twist(v_next, w1, v1);
}

/// (13) of docs/couple.md: impacts with moving bodies add half of the root's change of velocity to its mean velocity.
inline void add_kick(const Vec6& kick, double h, double* q_next) {
  q_next[0] += 0.5 * h * kick.l.x;
  q_next[1] += 0.5 * h * kick.l.y;
  q_next[2] += 0.5 * h * kick.l.z;
}

/// Results for sensors: joint forces are not known at these levels; the base's mean acceleration over the step.
inline void commit_results(const RobotKind& kind, const double* v, const double* v_next, double h, double* r) {
  for (int i = 0; i < kind.njoint(); ++i) r[i] = 0;
  for (int i = 0; i < 6; ++i) r[kind.njoint() + i] = (v_next[i] - v[i]) / h;
}

}  // namespace gradus

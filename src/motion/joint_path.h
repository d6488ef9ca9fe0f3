/// Joint motion of the levels that do not simulate servos: a target is reached when the next one is due [paper 000, 4.3],
/// no faster than the joint's speed and not beyond its limits.
///   v⁺ = (target − q)/((due − k) h),   a = (v⁺ − v)/h,   q⁺ = q + h v⁺                                     (1)
#pragma once
#include "state/state.h"

namespace gradus {

/// a (njoint) from q, v (joint parts) of step k and the targets with their due step behind them.
inline void follow_targets(const RobotKind& kind, std::int64_t k, const double* q, const double* v, const double* target,
                           double h, double* a) {
  const int n = kind.njoint();
  const double steps = maximum(target[n + kDue] - static_cast<double>(k), 1.0), rate = 1 / (steps * h), per_h = 1 / h;
  for (int i = 0; i < n; ++i) {
    const Joint& j = kind.joints[static_cast<std::size_t>(i)];
    const double goal = clamped(target[i], j.lower, j.upper);
    const double speed = clamped((goal - q[i]) * rate, -j.servo.speed, j.servo.speed);
    a[i] = (speed - v[i]) * per_h;
  }
  for (int i = 0; i < n; ++i) {
    const Joint& j = kind.joints[static_cast<std::size_t>(i)];
    if (j.mimic_of < 0) continue;
    const int o = j.mimic_of;
    const double goal = j.mimic_multiplier * (q[o] + h * (v[o] + h * a[o])) + j.mimic_offset;
    a[i] = ((goal - q[i]) * per_h - v[i]) * per_h;
  }
}

/// Joint parts of State[k+1] from the accelerations. q_next and v_next may be q and v themselves.
template <class T>
GRADUS_INLINE void commit_joints(int njoint, const T* q, const T* v, const T* a, std::type_identity_t<T> h, T* q_next,
                                 T* v_next) {
  for (int i = 0; i < njoint; ++i) {
    const T v1 = v[i] + h * a[i];
    v_next[i] = v1;
    q_next[i] = q[i] + h * v1;
  }
}

}  // namespace gradus

/// Joint motion of the levels that do not simulate servos: a target is reached when the next one is due [paper
/// 000, 4.3], no faster than the joint's speed and not beyond its limits.
///   v⁺ = (target − q)/(steps h),   a = (v⁺ − v)/h,   q⁺ = q + h v⁺                                         (1)
/// steps: until the targets are due. A robot that comes from another motion may be away from its targets, where its
/// servos left it; it then takes as many steps more as it needs to catch up at a walking pace, not one.
#pragma once
#include <cmath>

#include "state/state.h"

namespace gradus {

constexpr double kCatchUp = 1;  // [rad/s] or [m/s]

/// Steps that the joint farthest from its target needs at that speed; 0 if all are there.
inline double steps_behind(const RobotKind& kind, const double* q, const double* target, double h) {
  double most = 0;
  for (int i = 0; i < kind.njoint(); ++i) {
    const Joint& j = kind.joints[static_cast<std::size_t>(i)];
    most = maximum(most, std::fabs(clamped(target[i], j.lower, j.upper) - q[i]));
  }
  return std::ceil(most / (kCatchUp * h));
}

/// a (njoint) from q, v (joint parts) of step k and the targets with their due step behind them; behind: steps left to
/// catch up.
inline void follow_targets(const RobotKind& kind, std::int64_t k, const double* q, const double* v,
                           const double* target, double behind, double h, double* a) {
  const int n = kind.njoint();
  const double steps = maximum(maximum(target[n + kDue] - static_cast<double>(k), 1.0), behind), rate = 1 / (steps * h),
               per_h = 1 / h;
  for (int i = 0; i < n; ++i) {
    const Joint& j = kind.joints[static_cast<std::size_t>(i)];
    const double goal = clamped(target[i], j.lower, j.upper);
    const double speed = clamped((goal - q[i]) * rate, -j.servo.speed, j.servo.speed);
    a[i] = (speed - v[i]) * per_h;
  }
  for (int i = 0; i < n && kind.has_mimics; ++i) {
    const Joint& j = kind.joints[static_cast<std::size_t>(i)];
    if (j.mimic_of < 0) continue;
    const int o = j.mimic_of;
    const double goal = j.mimic_multiplier * (q[o] + h * (v[o] + h * a[o])) + j.mimic_offset;
    a[i] = ((goal - q[i]) * per_h - v[i]) * per_h;
  }
}

/// Joints that share their coordinate with another keep their ratio and offset to the last bit.  q, v: joint parts
inline void commit_shared(const RobotKind& kind, double* q, double* v) {
  for (int i = 0; i < kind.njoint(); ++i) {
    const Joint& j = kind.joints[static_cast<std::size_t>(i)];
    if (!j.shared) continue;
    q[i] = j.mimic_multiplier * q[j.mimic_of] + j.mimic_offset;
    v[i] = j.mimic_multiplier * v[j.mimic_of];
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

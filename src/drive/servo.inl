/// Body of servo.h for any scalar. What depends on constants alone is a branch (the same for all lanes); what depends
/// on the state is a selection.
#pragma once
#include <limits>

#include "drive/servo.h"

namespace gradus {
namespace servo {

constexpr double kFrictionSpeed = 0.01;  // [rad/s] or [m/s]: regularisation of (4)
constexpr double kOver = 1e-9;           // a bound exceeded by this share is rounding

template <class F>
GRADUS_INLINE bool finite_bound(F x) {
  return x < std::numeric_limits<F>::infinity();
}

/// (2)
template <class T, class S>
GRADUS_INLINE void bounds(const S& s, T v, DriveForceT<T>& out) {
  const T stall = T(s.torque);
  out.high = stall;
  out.low = -stall;
  if (!finite_bound(s.torque)) return;
  const T lost = T(s.torque / s.speed) * v;  // 0 without a speed limit
  out.high = minimum(stall, stall - lost);
  out.low = maximum(-stall, -stall - lost);
}

/// At a bound the force still falls with speed along the torque–speed curve.
template <class T, class S>
GRADUS_INLINE T slope_at_bound(const S& s, T v, T bound) {
  if (!finite_bound(s.speed)) return T(0.0);
  return select(bound * v > T(0.0), T(s.torque / s.speed), T(0.0));
}

/// (3) to (5)
template <class T, class F, class J>
GRADUS_INLINE void add_passive(const J& j, T q, T v, F h, DriveForceT<T>& out) {
  const T o = T(0.0);
  out.tau -= T(j.damping) * v;
  out.e += T(h * j.damping);
  if (j.friction > 0) {
    const T edge = T(kFrictionSpeed);
    const auto slow = mask_and(-edge < v, v < edge);
    out.tau -= T(j.friction) * select(slow, v / edge, select(v > o, T(1.0), T(-1.0)));
    out.e += select(slow, T(h * j.friction / F(kFrictionSpeed)), o);
  }
  if (j.spring > 0) {
    out.tau -= T(j.spring) * (q + T(h) * v);
    out.e += T(h * h * j.spring);
  }
  const T over = maximum(q - T(j.upper), o) + minimum(q - T(j.lower), o);
  const auto beyond = over != o;
  if (!any(beyond)) return;
  const F d = j.stop_d + h * j.stop_k;
  out.tau -= select(beyond, T(j.stop_k) * over + T(d) * v, o);
  out.e += select(beyond, T(h * d), o);
}

template <class T, class F, class J>
GRADUS_INLINE void evaluate(const J& j, T q, T v, T target, F h, DriveForceT<T>& out) {
  const auto& s = j.servo;
  bounds(s, v, out);
  const T wish = T(s.kp) * (target - q - T(h) * v);
  out.servo_tau = clamped(wish, out.low, out.high);
  const auto held = out.servo_tau != wish;
  out.servo_slope = T(h * h * s.kp);
  T e = out.servo_slope;
  if (any(held)) {
    out.servo_slope = select(held, T(0.0), out.servo_slope);
    e = select(held, T(h) * slope_at_bound(s, v, out.servo_tau), e);
  }
  out.tau = out.servo_tau - T(s.kd) * v;
  out.e = T(h * s.kd) + e;
  add_passive(j, q, v, h, out);
}

template <class T, class F, class J>
GRADUS_INLINE MaskOf<T> review(const J& j, T v, T a, F h, DriveForceT<T>& d) {
  const auto free = d.servo_slope != T(0.0);
  if (!any(free)) return free;
  const T tau = d.servo_tau - d.servo_slope * a;  // at the end of the step
  const T slack = T(kOver) * (d.high - d.low);
  const auto over = mask_and(free, mask_or(tau > d.high + slack, tau < d.low - slack));
  if (!any(over)) return over;
  const T bound = select(tau > d.high, d.high, d.low);
  d.tau += select(over, bound - d.servo_tau, T(0.0));
  d.e += select(over, T(h) * slope_at_bound(j.servo, v, bound) - d.servo_slope, T(0.0));
  d.servo_tau = select(over, bound, d.servo_tau);
  d.servo_slope = select(over, T(0.0), d.servo_slope);
  return over;
}

}  // namespace servo

template <class T, class F, class J>
GRADUS_INLINE void begin_servos(const J* joints, int njoint, const T* q, const T* v, const T* target, F h,
                                DriveForceT<T>* out) {
  for (int i = 0; i < njoint; ++i) {
    const J& j = joints[i];
    if (j.passive) {
      const T none = T(0.0);
      out[i] = {none, none, none, none, none, none};
      servo::add_passive(j, q[i], v[i], h, out[i]);
      continue;
    }
    const int o = j.mimic_of;
    const T goal = o < 0 ? target[i] : T(j.mimic_multiplier) * (q[o] + T(h) * v[o]) + T(j.mimic_offset);
    servo::evaluate(j, q[i], v[i], goal, h, out[i]);
  }
}

template <class T, class F, class J>
GRADUS_INLINE MaskOf<T> review_servos(const J* joints, int njoint, const T* v, const T* a, F h, DriveForceT<T>* out) {
  MaskOf<T> changed{};
  for (int i = 0; i < njoint; ++i) changed = mask_or(changed, servo::review(joints[i], v[i], a[i], h, out[i]));
  return changed;
}

}  // namespace gradus

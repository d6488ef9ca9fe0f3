/// Body of servo.h for any scalar. What depends on constants alone is a branch (the same for all lanes); what depends
/// on the state is a selection.
#pragma once
#include <limits>

#include "drive/servo.h"

// Of a lambda: a call left in a kernel for wide registers would be a symbol that other units share.
#if defined(__CUDACC__)
#define GRADUS_INLINE_CALL
#else
#define GRADUS_INLINE_CALL __attribute__((always_inline))
#endif

namespace gradus {
namespace servo {

constexpr double kFrictionSpeed = 0.01;  // [rad/s] or [m/s]: regularisation of (4)
constexpr double kOver = 1e-9;           // a bound exceeded by this share is rounding

template <class F>
GRADUS_INLINE bool finite_bound(F x) {
  return any(x < F(std::numeric_limits<double>::infinity()));
}

/// T/v₀ of (2), which some constants hold ready; 0 without a speed limit.
template <class S>
GRADUS_INLINE auto lost_per_speed(const S& s) {
  if constexpr (requires { s.per_speed; })
    return s.per_speed;
  else
    return s.torque / s.speed;
}

/// (2) at the speed v.
template <class T, class S>
GRADUS_INLINE void bounds(const S& s, T v, T& low, T& high) {
  const T stall = T(s.torque);
  high = stall;
  low = -stall;
  if (!finite_bound(s.torque)) return;
  const T lost = T(lost_per_speed(s)) * v;
  high = maximum(-stall, minimum(stall, stall - lost));
  low = minimum(stall, maximum(-stall, -stall - lost));
}

/// The servo at its upper or lower bound as a line in the speed, by the piece of (2) that the speed v1 at the end of the
/// step lies on: stall torque, or the falling piece, which also brakes beyond v₀. Beyond 2 v₀ the brake is T; its secant
/// to v₀ lets it stop the joint there and never turn it round:  e = h T/max(v₀, |v| − v₀)                        (6)
template <class T, class F, class S>
GRADUS_INLINE void hold(const S& s, MaskOf<T> upper, T v, T v1, F h, T& tau, T& share) {
  const T stall = T(s.torque);
  tau = select(upper, stall, -stall);
  share = T(0.0);
  if (!finite_bound(s.speed)) return;
  const T speed = T(s.speed), along = select(upper, v, -v), along1 = select(upper, v1, -v1);
  const auto falls = along1 > T(0.0);
  if (!any(falls)) return;
  const T size = maximum(-stall, stall - T(lost_per_speed(s)) * along);
  tau = select(falls, select(upper, size, -size), tau);
  share = select(falls, T(h) * stall / maximum(speed, along - speed), share);
}

/// (3): acts on a joint that is beyond its limit, or will be after this step; it never pulls.
template <class T, class F, class J>
GRADUS_INLINE void add_stop(const J& j, T q, T v, F h, DriveForceT<T>& out) {
  const T o = T(0.0), ahead = q + T(h) * v;
  out.stop_tau = out.stop_slope = o;
  auto high = maximum(q, ahead) > T(j.upper), low = minimum(q, ahead) < T(j.lower);
  if (!any(mask_or(high, low))) return;
  const T above = q - T(j.upper), below = q - T(j.lower);
  const T d = T(j.stop_d + h * j.stop_k), k = T(j.stop_k);
  const T up = k * above + d * v, down = k * below + d * v;
  high = mask_and(high, up > o);
  low = mask_and(low, down < o);
  out.stop_tau = select(high, -up, select(low, -down, o));
  out.stop_slope = select(mask_or(high, low), T(h) * d, o);
  out.tau += out.stop_tau;
  out.e += out.stop_slope;
}

/// A stop that would pull at the end of the step is off.
template <class T>
GRADUS_INLINE MaskOf<T> review_stop(T a, DriveForceT<T>& d) {
  const T o = T(0.0), tau = d.stop_tau - d.stop_slope * a;
  const auto pulls = mask_and(d.stop_slope != o, tau * d.stop_tau < o);
  if (!any(pulls)) return pulls;
  d.tau -= select(pulls, d.stop_tau, o);
  d.e -= select(pulls, d.stop_slope, o);
  d.stop_tau = select(pulls, o, d.stop_tau);
  d.stop_slope = select(pulls, o, d.stop_slope);
  return pulls;
}

/// (3) to (5)
template <class T, class F, class J>
GRADUS_INLINE void add_passive(const J& j, T q, T v, F h, DriveForceT<T>& out) {
  const T o = T(0.0);
  out.tau -= T(j.damping) * v;
  out.e += T(h * j.damping);
  if (any(j.friction > F(0.0))) {
    const T edge = T(kFrictionSpeed);
    const auto slow = mask_and(-edge < v, v < edge);
    out.rub_tau = T(-j.friction) * select(slow, v / edge, select(v > o, T(1.0), T(-1.0)));
    out.rub_slope = select(slow, T(h * j.friction / F(kFrictionSpeed)), o);
    out.tau += out.rub_tau;
    out.e += out.rub_slope;
  }
  if (any(j.spring > F(0.0))) {
    out.tau -= T(j.spring) * (q + T(h) * v);
    out.e += T(h * h * j.spring);
  }
  add_stop(j, q, v, h, out);
}

/// (1) with what the position term wishes for, its share h² kp, and the damping kd and h kd.
template <class T, class F, class J>
GRADUS_INLINE void evaluate(const J& j, T q, T v, T wish, T slope, T kd, T h_kd, F h, DriveForceT<T>& out) {
  const auto& s = j.servo;
  T low, high;
  bounds(s, v, low, high);
  out.servo_tau = clamped(wish, low, high);
  out.servo_slope = slope;
  out.held = T(0.0);
  const auto held = out.servo_tau != wish;
  if (any(held)) {
    T tau, share;
    hold<T>(s, wish > high, v, v, h, tau, share);
    out.servo_tau = select(held, tau, out.servo_tau);
    out.servo_slope = select(held, share, out.servo_slope);
    out.held = select(held, select(wish > high, T(1.0), T(-1.0)), T(0.0));
  }
  out.tau = out.servo_tau - kd * v;
  out.e = h_kd + out.servo_slope;
  add_passive(j, q, v, h, out);
}

/// A servo beyond a bound of (2) at the end of the step is held there; one that is held on the wrong piece goes to the
/// other one.
template <class T, class F, class J>
GRADUS_INLINE MaskOf<T> review(const J& j, T v, T a, F h, DriveForceT<T>& d) {
  const auto& s = j.servo;
  const T o = T(0.0), tau = d.servo_tau - d.servo_slope * a, v1 = v + T(h) * a;  // at the end of the step
  T low, high;
  bounds(s, v1, low, high);
  const T stall = T(s.torque), slack = T(kOver) * stall;
  const auto beyond = mask_or(tau > high + slack, tau < low - slack);
  if (!any(beyond)) return beyond;
  const auto line = mask_and(d.held != o, d.servo_slope != o);  // on the falling piece: left only beyond the stall torque
  const T most = select(line, stall, high) + slack, least = select(line, -stall, low) - slack;
  const auto upper = tau > most, over = mask_or(upper, tau < least);
  if (!any(over)) return over;
  T bound, share;
  hold<T>(s, upper, v, v1, h, bound, share);
  d.tau += select(over, bound - d.servo_tau, o);
  d.e += select(over, share - d.servo_slope, o);
  d.servo_tau = select(over, bound, d.servo_tau);
  d.servo_slope = select(over, share, d.servo_slope);
  d.held = select(over, select(upper, T(1.0), T(-1.0)), d.held);
  return over;
}

/// Friction that turned the joint round sticks; sticking that took more than the bound slides.
template <class T, class F, class J>
GRADUS_INLINE MaskOf<T> review_friction(const J& j, T v, T a, F h, DriveForceT<T>& d) {
  const T o = T(0.0), f = T(j.friction), edge = T(kFrictionSpeed), v1 = v + T(h) * a;
  const T tau = d.rub_tau - d.rub_slope * a, most = f * T(1 + kOver);
  const auto sticks = d.rub_slope != o;
  const auto slips = mask_and(sticks, mask_or(tau > most, tau < -most));
  const auto stops = mask_and(mask_not(sticks), v1 * d.rub_tau > o);
  const auto changed = mask_or(slips, stops);
  if (!any(changed)) return changed;
  const T rub = select(stops, -f * (v / edge), select(v1 > o, -f, f));
  const T slope = select(stops, T(h * j.friction / F(kFrictionSpeed)), o);
  d.tau += select(changed, rub - d.rub_tau, o);
  d.e += select(changed, slope - d.rub_slope, o);
  d.rub_tau = select(changed, rub, d.rub_tau);
  d.rub_slope = select(changed, slope, d.rub_slope);
  return changed;
}

}  // namespace servo

namespace servo {

/// Calls drive(i, goal) for every joint with a servo; the others are passive.
template <class T, class F, class J, class Drive>
GRADUS_INLINE void each_joint(const J* joints, int njoint, const T* q, const T* v, const T* target, F h,
                              DriveForceT<T>* out, const Drive& drive) {
  for (int i = 0; i < njoint; ++i) {
    const J& j = joints[i];
    if (j.passive) {
      const T none = T(0.0);
      out[i] = {none, none, none, none, none, none, none, none, none};
      add_passive(j, q[i], v[i], h, out[i]);
      continue;
    }
    const int o = j.mimic_of;
    drive(i, o < 0 ? target[i] : T(j.mimic_multiplier) * (q[o] + T(h) * v[o]) + T(j.mimic_offset));
  }
}

}  // namespace servo

template <class T, class F, class J>
GRADUS_INLINE void begin_servos(const J* joints, int njoint, const T* q, const T* v, const T* target, F h,
                                DriveForceT<T>* out) {
  servo::each_joint(joints, njoint, q, v, target, h, out, [&](int i, T goal) GRADUS_INLINE_CALL {
    const auto& s = joints[i].servo;
    servo::evaluate(joints[i], q[i], v[i], T(s.kp) * (goal - q[i] - T(h) * v[i]), T(h * h * s.kp), T(s.kd),
                    T(h * s.kd), h, out[i]);
  });
}

template <class T, class F, class J>
GRADUS_INLINE void begin_impedances(const J* joints, int njoint, const T* q, const T* v, const T* target,
                                    const T* command, F h, DriveForceT<T>* out) {
  const T *speed = command, *torque = speed + njoint, *kp = torque + njoint, *kd = kp + njoint;
  servo::each_joint(joints, njoint, q, v, target, h, out, [&](int i, T goal) GRADUS_INLINE_CALL {
    const T wish = kp[i] * (goal - q[i] - T(h) * v[i]) + kd[i] * speed[i] + torque[i];
    servo::evaluate(joints[i], q[i], v[i], wish, T(h * h) * kp[i], kd[i], T(h) * kd[i], h, out[i]);
  });
}

template <class T, class F, class J>
GRADUS_INLINE MaskOf<T> review_servos(const J* joints, int njoint, const T* v, const T* a, F h, DriveForceT<T>* out) {
  MaskOf<T> changed{};
  for (int i = 0; i < njoint; ++i) {
    if (!joints[i].passive) changed = mask_or(changed, servo::review(joints[i], v[i], a[i], h, out[i]));
    if (any(out[i].stop_slope != T(0.0))) changed = mask_or(changed, servo::review_stop(a[i], out[i]));
    if (any(joints[i].friction > F(0.0))) changed = mask_or(changed, servo::review_friction(joints[i], v[i], a[i], h, out[i]));
  }
  return changed;
}

}  // namespace gradus

#undef GRADUS_INLINE_CALL

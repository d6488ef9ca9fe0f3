#include "actuator/servo.h"

namespace gradus {
namespace {

constexpr double kFrictionSpeed = 0.01;  // [rad/s] or [m/s]: regularisation of (4)
constexpr double kOver = 1e-9;           // a bound exceeded by this share is rounding

/// (2)
void bounds(const ServoSpec& s, double v, DriveForce& out) {
  out.high = s.torque;
  out.low = -s.torque;
  if (!(s.torque < std::numeric_limits<double>::infinity())) return;
  const double lost = s.torque / s.speed * v;  // 0 without a speed limit
  out.high = minimum(s.torque, s.torque - lost);
  out.low = maximum(-s.torque, -s.torque - lost);
}

/// At a bound the force still falls with speed along the torque–speed curve.
double slope_at_bound(const ServoSpec& s, double v, double bound) {
  return bound * v > 0 && s.speed < std::numeric_limits<double>::infinity() ? s.torque / s.speed : 0;
}

/// (3) and (4)
void add_passive(const Joint& j, double q, double v, double h, DriveForce& out) {
  out.tau -= j.damping * v;
  out.e += h * j.damping;
  if (j.friction > 0) {
    const bool slow = -kFrictionSpeed < v && v < kFrictionSpeed;
    out.tau -= j.friction * (slow ? v / kFrictionSpeed : v > 0 ? 1 : -1);
    if (slow) out.e += h * j.friction / kFrictionSpeed;
  }
  const double over = maximum(q - j.upper, 0.0) + minimum(q - j.lower, 0.0);
  if (over == 0) return;
  const double d = j.stop_d + h * j.stop_k;
  out.tau -= j.stop_k * over + d * v;
  out.e += h * d;
}

void evaluate(const Joint& j, double q, double v, double target, double h, DriveForce& out) {
  const ServoSpec& s = j.servo;
  bounds(s, v, out);
  const double wish = s.kp * (target - q - h * v);
  out.servo_tau = clamped(wish, out.low, out.high);
  const bool held = out.servo_tau != wish;
  out.servo_slope = held ? 0 : h * h * s.kp;
  out.tau = out.servo_tau - s.kd * v;
  out.e = h * s.kd + (held ? h * slope_at_bound(s, v, out.servo_tau) : out.servo_slope);
  add_passive(j, q, v, h, out);
}

}  // namespace

void Servo::begin(View<access> view, double h) {
  const RobotKind& kind = view.kind();
  const double *q = view.q() + 7, *v = view.v() + 6, *target = view.target();
  DriveForce* out = view.drive_out();
  for (int i = 0; i < kind.njoint(); ++i) {
    const Joint& j = kind.joints[static_cast<std::size_t>(i)];
    const double t = j.mimic_of < 0 ? target[i] : j.mimic_multiplier * (q[j.mimic_of] + h * v[j.mimic_of]) + j.mimic_offset;
    evaluate(j, q[i], v[i], t, h, out[i]);
  }
}

bool Servo::review(View<access> view, double h) {
  bool changed = false;
  DriveForce* out = view.drive_out();
  const double *a = view.a(), *v = view.v() + 6;
  for (int i = 0; i < view.kind().njoint(); ++i) {
    DriveForce& d = out[i];
    if (d.servo_slope == 0) continue;
    const double tau = d.servo_tau - d.servo_slope * a[i];  // at the end of the step
    const double bound = tau > d.high ? d.high : d.low;
    if (tau <= d.high + kOver * (d.high - d.low) && tau >= d.low - kOver * (d.high - d.low)) continue;
    d.tau += bound - d.servo_tau;
    d.e += h * slope_at_bound(view.kind().joints[static_cast<std::size_t>(i)].servo, v[i], bound) - d.servo_slope;
    d.servo_tau = bound;
    d.servo_slope = 0;
    changed = true;
  }
  return changed;
}

}  // namespace gradus

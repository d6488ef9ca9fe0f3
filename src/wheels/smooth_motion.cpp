#include "wheels/smooth_motion.h"

#include <utility>

namespace gradus::wheels {
namespace {

constexpr double kStill = 1e-9;      // slower than this sideways or on the floor is at rest [m/s]
constexpr double kPastRoot = 1e-10;  // a piece ends this much behind a mode's end, so that the new mode is seen [s]

double wheel_speed(const RobotModel& r, const double q[3], int side) {
  return (q[0] + (side == 0 ? 1 : -1) * r.par.half_axle * q[2]) / r.par.wheel_radius;
}

struct TorqueLimits {
  double low, high;
};
TorqueLimits torque_limits(const Drive& d, int turning) {
  if (turning > 0) return {-d.limit_brake, d.limit_drive};
  if (turning < 0) return {-d.limit_drive, d.limit_brake};
  return {-d.limit_drive, d.limit_drive};
}

int sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/// Force sideways that sticking tyres must bring, eq. (6), over the mass.
double needed_grip(const RobotModel& r, const RobotModes& modes, const double q[3]) {
  const double w_dot =
      (-r.mass_offset * q[0] * q[2] + modes.force_w - modes.damp_vw * q[0] - modes.damp_ww * q[2]) / r.inertia_w;
  return q[0] * q[2] + r.mass_offset / r.mass * w_dot;
}

double command_of(const WheelCommand& c, int side) { return side == 0 ? c.right : c.left; }

/// Coefficient K of the product of two series. K is known when compiling: the sums are short, loops would cost more.
template <int K>
double cauchy(const Series& a, const Series& b) {
  double sum = a[0] * b[K];
  [&]<int... I>(std::integer_sequence<int, I...>) { ((sum += a[I + 1] * b[K - I - 1]), ...); }
  (std::make_integer_sequence<int, K>());
  return sum;
}
template <class Step>
void for_each_order(Step step) {
  [&]<int... K>(std::integer_sequence<int, K...>) { (step.template operator()<K>(), ...); }
  (std::make_integer_sequence<int, kOrder>());
}

/// Coefficients of the velocities by eq. (3), up to order kOrder − 1.
void velocity_series(const WheelsModel& m, const RobotModel& r, const RobotModes& modes, Piece& p) {
  const bool slips = modes.tyre != 0, offset = r.mass_offset != 0;
  const double det = r.mass * r.inertia_w - r.mass_offset * r.mass_offset;
  const double iuu = r.inertia_w / det, iuw = -r.mass_offset / det, iww = r.mass / det;
  const double per_mass = 1 / r.mass_v, per_inertia = 1 / r.inertia_w;
  const double drag = -modes.tyre * r.par.tyre_sliding * r.mass * m.par.gravity;
  for_each_order([&]<int k>() {
    if constexpr (k + 1 < kOrder) {
      constexpr double scale = 1.0 / (k + 1);
      const double vw = slips || offset ? cauchy<k>(p.v, p.w) : 0, ww = offset ? cauchy<k>(p.w, p.w) : 0;
      double fv = (k ? 0 : modes.force_v) - modes.damp_vv * p.v[k] - modes.damp_vw * p.w[k] + r.mass_offset * ww;
      const double fw = (k ? 0 : modes.force_w) - modes.damp_vw * p.v[k] - modes.damp_ww * p.w[k] - r.mass_offset * vw;
      if (slips) {
        fv += r.mass * cauchy<k>(p.u, p.w);
        const double fu = (k ? 0 : drag) - r.mass * vw;
        p.u[k + 1] = scale * (iuu * fu + iuw * fw);
        p.w[k + 1] = scale * (iuw * fu + iww * fw);
      } else {
        p.u[k + 1] = 0;
        p.w[k + 1] = scale * fw * per_inertia;
      }
      p.v[k + 1] = scale * fv * per_mass;
    }
  });
}

/// Coefficients of the pose by eq. (4): the series of cos θ and sin θ follow from θ̇ = w.
void pose_series(const Instant& now, bool slips, Piece& p) {
  Series c, s;
  c[0] = now.R.c, s[0] = now.R.s;
  p.x[0] = now.p.x, p.y[0] = now.p.y, p.theta[0] = now.theta;
  for_each_order([&]<int k>() {
    constexpr double scale = 1.0 / (k + 1);
    p.theta[k + 1] = scale * p.w[k];
    double x = cauchy<k>(p.v, c), y = cauchy<k>(p.v, s);
    if (slips) x -= cauchy<k>(p.u, s), y += cauchy<k>(p.u, c);
    p.x[k + 1] = scale * x, p.y[k + 1] = scale * y;
    c[k + 1] = -scale * cauchy<k>(p.w, s);
    s[k + 1] = scale * cauchy<k>(p.w, c);
  });
}

/// Longest time for which the last two terms of the series stay below the tolerance; at most h.
double series_range(const Piece& p, double h, double tolerance) {
  constexpr double lever = 0.05;  // a turn counts like the way of a point this far out [m]
  const double last = std::fabs(p.x[kOrder]) + std::fabs(p.y[kOrder]) + lever * std::fabs(p.theta[kOrder]);
  const double before =
      std::fabs(p.x[kOrder - 1]) + std::fabs(p.y[kOrder - 1]) + lever * std::fabs(p.theta[kOrder - 1]);
  for (int i = 0; i < 60; ++i) {
    const double h2 = h * h, h4 = h2 * h2, h9 = h4 * h4 * h;
    if (before * h9 <= tolerance && last * h9 * h <= tolerance) break;
    h *= 0.75;
  }
  return h;
}

/// Degree beyond which the pose's terms do not matter over h.
int useful_degree(const Piece& p, double h) {
  double power = 1;
  int degree = 1;
  for (int k = 1; k <= kOrder; ++k) {
    power *= h;
    if ((std::fabs(p.x[k]) + std::fabs(p.y[k]) + 0.05 * std::fabs(p.theta[k])) * power > 1e-16) degree = k;
  }
  return degree;
}

/// First time in [0, h] at which the polynomial turns negative, or h. It starts positive (or at zero and rising).
double first_root(const Series& c, double h) {
  double reach = 0, bound = 0, power = h;
  for (int k = 1; k < kOrder; ++k) {
    reach += std::fabs(c[k]) * power;
    if (k >= 2) bound += k * (k - 1) * std::fabs(c[k]) * power;
    power *= h;
  }
  if (c[0] > reach) return h;
  bound /= h * h;
  double t = 0;
  for (int i = 0; i < 80; ++i) {
    double f = c[kOrder - 1], slope = 0;
    for (int k = kOrder - 2; k >= 0; --k) slope = slope * t + f, f = f * t + c[k];
    const double step = safe_time(f, slope, bound);
    if (step < 1e-13) break;
    t += step;
    if (t >= h) return h;
  }
  return t;
}

/// The wheel's margin: how far the torque it wants is inside the mode it is in.
Series wheel_margin(const RobotModel& r, const RobotModes& modes, const WheelCommand& command, const Piece& p, int i,
                    bool upper) {
  const double k = 1 / r.par.wheel_radius, side = i == 0 ? r.par.half_axle : -r.par.half_axle;
  const TorqueLimits limits = torque_limits(r.par.drive, modes.turning[i]);
  const double sign = modes.wheel[i] ? modes.wheel[i] : upper ? -1 : 1;
  const double level = modes.wheel[i] ? modes.limit[i] : upper ? limits.high : limits.low;
  Series c{};
  for (int j = 0; j < kOrder; ++j) c[j] = -sign * r.slope * k * (p.v[j] + side * p.w[j]);
  c[0] += sign * (r.gain * command_of(command, i) - level);
  return c;
}

/// A turning wheel's speed in the sense in which it turns: torque limits change where it is 0.
Series turning_margin(const RobotModel& r, const RobotModes& modes, const Piece& p, int i) {
  Series c{};
  for (int j = 0; j < kOrder; ++j) c[j] = modes.turning[i] * (p.v[j] + (i == 0 ? 1 : -1) * r.par.half_axle * p.w[j]);
  return c;
}

/// The sideways acceleration that gripping tyres must give.
Series needed_grip(const RobotModel& r, const Piece& p) {
  Series need{};
  for_each_order([&]<int j>() {
    if constexpr (j + 1 < kOrder) need[j] = cauchy<j>(p.v, p.w) + r.mass_offset / r.mass * (j + 1) * p.w[j + 1];
  });
  return need;
}

/// Shortens h to the first end of a mode. Returns what ended it.
PieceEnd first_mode_end(const WheelsModel& m, const RobotModel& r, const RobotModes& modes, const WheelCommand& command,
                        const Piece& p, double& h) {
  PieceEnd end = PieceEnd::horizon;
  auto consider = [&](const Series& margin, PieceEnd what) {
    const double t = first_root(margin, h);
    if (t < h) h = t, end = what;
  };
  for (int i = 0; i < 2; ++i) {
    if (r.slope > 0) {
      consider(wheel_margin(r, modes, command, p, i, true), PieceEnd::mode);
      if (!modes.wheel[i]) consider(wheel_margin(r, modes, command, p, i, false), PieceEnd::mode);
    }
    if (modes.turning[i]) consider(turning_margin(r, modes, p, i), PieceEnd::mode);
  }
  if (m.par.tyres == Tyres::rolling) return end;
  if (modes.tyre != 0) {
    Series c{};
    for (int j = 0; j < kOrder; ++j) c[j] = modes.tyre * p.u[j];
    consider(c, PieceEnd::grip);
  } else {
    const Series need = needed_grip(r, p);
    for (const double sign : {1.0, -1.0}) {
      Series c{};
      for (int j = 0; j < kOrder; ++j) c[j] = -sign * need[j];
      c[0] += r.par.tyre_static * m.par.gravity;
      consider(c, PieceEnd::mode);
    }
  }
  return end;
}

void finish(Piece& p, double t, double h, double stop) {
  p.t0 = t;
  p.t1 = stop - (t + h) < 1e-9 ? stop : t + h;  // rounding must not leave a piece of one ulp
  p.degree = useful_degree(p, p.t1 - t);
  p.bounds();
}

}  // namespace

void set_forces(const RobotModel& r, const WheelCommand& command, RobotModes& modes) {
  double constant[2], slope[2];
  for (int i = 0; i < 2; ++i) {
    constant[i] = modes.wheel[i] ? modes.limit[i] : r.gain * command_of(command, i);
    slope[i] = (modes.wheel[i] ? 0 : r.slope) + r.par.wheel_damping;
  }
  const double k = 1 / r.par.wheel_radius, b = r.par.half_axle;
  modes.force_v = k * (constant[0] + constant[1]);
  modes.force_w = k * b * (constant[0] - constant[1]);
  modes.damp_vv = k * k * (slope[0] + slope[1]);
  modes.damp_vw = k * k * b * (slope[0] - slope[1]);
  modes.damp_ww = k * k * b * b * (slope[0] + slope[1]);
}

bool limit_motors(const RobotModel& r, const WheelCommand& command, const Instant& now, const double* q_end,
                  RobotModes& modes) {
  bool changed = false;
  for (int i = 0; i < 2; ++i) {
    if (modes.wheel[i]) continue;
    const double start = wheel_speed(r, now.q, i),
                 wanted = r.gain * command_of(command, i) - r.slope * wheel_speed(r, q_end, i);
    const int turning = sign_of(start) ? sign_of(start) : sign_of(wanted);
    const TorqueLimits limits =
        torque_limits(r.par.drive, r.par.drive.limit_drive != r.par.drive.limit_brake ? turning : 0);
    if (wanted > limits.high) modes.wheel[i] = 1, modes.limit[i] = limits.high, changed = true;
    if (wanted < limits.low) modes.wheel[i] = -1, modes.limit[i] = limits.low, changed = true;
  }
  return changed;
}

RobotModes robot_modes(const WheelsModel& m, const RobotModel& r, const Instant& now, const WheelCommand& command) {
  RobotModes modes;
  const Drive& drive = r.par.drive;
  for (int i = 0; i < 2; ++i) {
    const double speed = wheel_speed(r, now.q, i), wanted = r.gain * command_of(command, i) - r.slope * speed;
    if (drive.limit_drive != drive.limit_brake) modes.turning[i] = sign_of(speed) ? sign_of(speed) : sign_of(wanted);
    const TorqueLimits limits = torque_limits(drive, modes.turning[i]);
    if (wanted > limits.high) modes.wheel[i] = 1, modes.limit[i] = limits.high;
    if (wanted < limits.low) modes.wheel[i] = -1, modes.limit[i] = limits.low;
  }
  set_forces(r, command, modes);
  if (m.par.tyres == Tyres::rolling) return modes;
  if (now.q[1] != 0) {
    modes.tyre = sign_of(now.q[1]);
  } else {
    const double need = needed_grip(r, modes, now.q);
    if (std::fabs(need) > r.par.tyre_static * m.par.gravity) modes.tyre = need > 0 ? -1 : 1;
  }
  return modes;
}

SmoothResult robot_piece(const WheelsModel& m, const RobotModel& r, const Instant& now, const RobotModes& modes,
                         const WheelCommand& command, double t, double stop, Piece& p) {
  p.v[0] = now.q[0], p.u[0] = now.q[1], p.w[0] = now.q[2];
  velocity_series(m, r, modes, p);
  pose_series(now, modes.tyre != 0, p);
  const Numerics& n = m.par.numerics;
  double h = series_range(p, std::min(n.longest_piece, stop - t), n.series_tolerance);
  SmoothResult result{first_mode_end(m, r, modes, command, p, h)};
  if (result.end == PieceEnd::mode) h = std::min(h + kPastRoot, std::max(stop - t, kPastRoot));
  if (result.end == PieceEnd::grip) h = std::max(h, kPastRoot);  // u is put to 0 exactly there
  finish(p, t, h, stop);
  return result;
}

Instant robot_at(const RobotModel& r, const Instant& start, const Piece& piece, double t, PieceEnd end) {
  Instant now = start;
  const Kinematics k = evaluate(piece, t);
  const double s = t - piece.t0;
  now.p = k.p;
  now.theta = k.theta > M_PI ? k.theta - 2 * M_PI : k.theta <= -M_PI ? k.theta + 2 * M_PI : k.theta;
  now.R = rotation(now.theta);
  now.q[0] = series_value(piece.v, kOrder - 1, s);
  now.q[1] = series_value(piece.u, kOrder - 1, s);
  now.q[2] = series_value(piece.w, kOrder - 1, s);
  if ((t == piece.t1 && end == PieceEnd::grip) || std::fabs(now.q[1]) < kStill) now.q[1] = 0;
  double way = 0;  // ∫ v dt
  for (int j = kOrder - 1; j >= 0; --j) way = way * s + piece.v[j] / (j + 1);
  way *= s;
  const double turn = r.par.half_axle * (k.theta - start.theta);
  now.wheel[0] += (way + turn) / r.par.wheel_radius;
  now.wheel[1] += (way - turn) / r.par.wheel_radius;
  return now;
}

BallResult ball_piece(const WheelsModel& m, const Instant& now, double t, double stop, Piece& p) {
  const BallParameters& ball = m.par.ball;
  const Vec2 v{now.q[0], now.q[1]}, slip = v - now.roll;
  const double slipping = norm(slip), speed = norm(v), mu_g = ball.sliding_friction * m.par.gravity;
  double h = std::min(m.par.numerics.longest_piece, stop - t);
  p.x.fill(0), p.y.fill(0), p.theta.fill(0);
  p.x[0] = now.p.x, p.y[0] = now.p.y;
  BallResult result;
  if (slipping > kStill) {
    result.phase = BallPhase::slide;
    const Vec2 a = (-mu_g / slipping) * slip;
    const double end = mu_g > 0 ? slipping / (mu_g * (1 + 1 / ball.inertia_ratio)) : kNever;
    if (end < h) h = end, result.finished = true;
    p.x[1] = v.x, p.y[1] = v.y, p.x[2] = 0.5 * a.x, p.y[2] = 0.5 * a.y;
  } else if (speed > kStill) {
    result.phase = BallPhase::roll;
    Series along{}, way{};
    along[0] = speed;
    const double resist = ball.rolling_resistance * m.par.gravity;
    for (int k = 0; k < kOrder; ++k) {
      if (k + 1 < kOrder) along[k + 1] = ((k ? 0 : -resist) - ball.rolling_damping * along[k]) / (k + 1);
      way[k + 1] = along[k] / (k + 1);
    }
    const double end = first_root(along, h);
    if (end < h) h = end, result.finished = true;
    for (int k = 1; k <= kOrder; ++k) p.x[k] = way[k] * v.x / speed, p.y[k] = way[k] * v.y / speed;
  }
  finish(p, t, h, stop);
  return result;
}

Instant ball_at(const WheelsModel& m, const Instant& start, const Piece& piece, double t, BallResult how) {
  Instant now = start;
  const BallParameters& ball = m.par.ball;
  const Kinematics k = evaluate(piece, t);
  const double s = t - piece.t0;
  now.p = k.p;
  const double loss = ball.spin_resistance * s;
  now.q[2] = start.q[2] > loss ? start.q[2] - loss : start.q[2] < -loss ? start.q[2] + loss : 0;
  if (how.phase == BallPhase::rest) {
    now.q[0] = now.q[1] = 0;
    now.roll = {};
    return now;
  }
  now.q[0] = k.v.x, now.q[1] = k.v.y;
  if (how.phase == BallPhase::slide) {
    const Vec2 v{now.q[0], now.q[1]}, lost = v - Vec2{start.q[0], start.q[1]};
    now.roll = start.roll - (1 / ball.inertia_ratio) * lost;
    if (how.finished && t == piece.t1) now.roll = v;
  } else {
    if (how.finished && t == piece.t1) now.q[0] = now.q[1] = 0;
    now.roll = {now.q[0], now.q[1]};
  }
  return now;
}

void robot_acceleration(const WheelsModel& m, const RobotModel& r, const RobotModes& modes, const double q[3],
                        double out[3]) {
  const double fv = modes.force_v - modes.damp_vv * q[0] - modes.damp_vw * q[2];
  const double fw = modes.force_w - modes.damp_vw * q[0] - modes.damp_ww * q[2] - r.mass_offset * q[0] * q[2];
  out[0] = (r.mass * q[1] * q[2] + r.mass_offset * q[2] * q[2] + fv) / r.mass_v;
  if (modes.tyre == 0) {
    out[1] = 0;
    out[2] = fw / r.inertia_w;
    return;
  }
  const double fu = -r.mass * q[0] * q[2] - modes.tyre * r.par.tyre_sliding * r.mass * m.par.gravity;
  const double det = r.mass * r.inertia_w - r.mass_offset * r.mass_offset;
  out[1] = (r.inertia_w * fu - r.mass_offset * fw) / det;
  out[2] = (r.mass * fw - r.mass_offset * fu) / det;
}

}  // namespace gradus::wheels

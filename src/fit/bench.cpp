#include "fit/bench.h"

#include <algorithm>
#include <cmath>

#include "drive/chain.inl"

namespace gradus::fit {
namespace {

constexpr double kGravity = 9.81;

/// Number j of the last sample not later than t, from where it was before.
void advance(const std::vector<double>& times, double t, std::size_t& j) {
  while (j + 1 < times.size() && times[j + 1] <= t) ++j;
}
double between(const std::vector<double>& times, const std::vector<double>& x, std::size_t j, double t) {
  if (j + 1 >= times.size()) return x[j];
  return x[j] + (t - times[j]) / (times[j + 1] - times[j]) * (x[j + 1] - x[j]);
}

}  // namespace

DriveSpec for_recording(DriveSpec d, const Recording& r, const Bench& bench) {
  if (bench.reference_kp > 0 && r.kp > 0) d.controller.kp *= r.kp / bench.reference_kp;
  if (bench.reference_volts > 0 && r.volts > 0 && d.electrical()) d.controller.limit *= r.volts / bench.reference_volts;
  return d;
}

Steps::Steps(const Recording& r, double h) : r_(&r), h_(h) {
  const std::size_t n = r.t.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double at = (r.t[i] - r.t[0]) / h, step = std::ceil(at - 1e-9);
    step_.push_back(static_cast<int>(step)), back_.push_back(std::max(0.0, step - at));
  }
  std::size_t j = 0;
  for (int k = 0; k <= step_.back() + 1; ++k) {
    const double t = r.t[0] + k * h;
    advance(r.t, t, j);
    command_.push_back(r.inertia > 0 ? r.goal[j] : between(r.t, r.goal, j, t));
    on_.push_back(r.on[j]);
    if (!r.measures_torque()) continue;
    pos_.push_back(between(r.t, r.pos, j, t));
    speed_.push_back(between(r.t, r.speed, j, t));
  }
}

void Steps::simulate(const DriveSpec& servo, const Bench& bench, std::vector<double>& out) const {
  const Recording& r = *r_;
  const DriveSpec drive = for_recording(servo, r, bench);
  const Chain c = make_chain({0, drive}, h_, 0);
  const bool moved = r.measures_torque(), filter = c.gear == GearModel::motoflex;
  const double h = h_, offset = moved ? 0 : bench.offset;
  const double J = (r.inertia > 0 ? r.inertia : (r.mass + r.arm / 3) * r.length * r.length) + (drive.has_rotor() ? 0 : drive.rotor_inertia());
  const double weight = r.inertia > 0 ? 0 : (r.mass + r.arm / 2) * r.length * kGravity, M = J / h;
  double q = r.pos[0] - offset, v = moved ? r.speed[0] : 0;
  ChainState s{filter ? 0 : q, filter ? 0 : v, 0, 0, 0, 0, command_[0] - offset, 0, 0}, next{};
  ChainStep x{};
  const auto n = r.t.size();
  out.resize(n);
  std::size_t sample = 0;
  double shown = moved ? 0 : q + offset, before = shown;
  for (int k = 0;; ++k) {
    // (k is the step that begins here) samples up to now, between this state and the one before
    while (sample < n && step_[sample] <= k) out[sample] = shown + back_[sample] * (before - shown), ++sample;
    if (sample == n) return;
    if (!std::isfinite(shown)) return std::fill(out.begin() + static_cast<std::ptrdiff_t>(sample), out.end(), NAN);
    const auto past = [&](int steps) { return command_[static_cast<std::size_t>(std::max(0, k - steps))] - offset; };
    const double after = past(c.delay_steps), goal = c.ring == 0 ? after : after + c.delay_share * (past(c.delay_steps + 1) - after);
    if (moved) q = pos_[static_cast<std::size_t>(k)], v = speed_[static_cast<std::size_t>(k)];
    begin_chain(c, s, q, v, goal, on_[static_cast<std::size_t>(k)] ? drive.controller.stiffness : 0, x);
    double V = 0;
    if (moved) {
      V = speed_[static_cast<std::size_t>(k) + 1];
      x.piece = find_piece(c, s, x, V);
      x.line = find_line(c, s, x, x.piece);
    } else {
      double sine, cosine;
      sine_cosine(q + 0.5 * h * v, sine, cosine);
      const double b = M * v - weight * sine;  // (1)
      V = chain::meeting(M, b, x.line);
      if (off_piece(c, s, x, V)) solve_piece(c, s, M, b, V, x), V = chain::meeting(M, b, x.line);
    }
    end_chain(c, s, x, v, V, q + h * V, J, next);
    s = next;
    before = shown;
    if (moved) {
      shown = x.line.t0 + x.line.t1 * V;
      if (k == 0) before = shown;
    } else {
      q += h * V, v = V;
      shown = (c.motor_side ? s.theta : q) + offset;
    }
  }
}

}  // namespace gradus::fit

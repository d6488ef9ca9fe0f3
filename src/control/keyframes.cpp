#include "control/keyframes.h"

#include <algorithm>
#include <cmath>

namespace gradus {

Keyframes::Keyframes(const MotionFile& motion, const RobotKind& kind, bool loop, double start)
    : motion_(motion), loop_(loop), start_(start) {
  // A closing frame at the end of a loop repeats the first one.
  if (loop_ && motion_.frames.size() > 1 && motion_.frames.back().t >= motion_.frames.front().t + motion_.period)
    motion_.frames.pop_back();
  for (const std::string& name : motion_.joints) {
    joint_.push_back(kind.find_joint(name));
    initial_.push_back(joint_.back() < 0 ? 0 : kind.joints[static_cast<std::size_t>(joint_.back())].initial);
  }
}

const MotionFile::Frame& Keyframes::frame(std::ptrdiff_t i, double& t) const {
  const auto n = static_cast<std::ptrdiff_t>(motion_.frames.size());
  std::ptrdiff_t j = std::clamp<std::ptrdiff_t>(i, 0, n - 1);
  double shift = 0;
  if (loop_) {
    j = ((i % n) + n) % n;
    shift = motion_.period * static_cast<double>((i - j) / n);
  }
  const MotionFile::Frame& f = motion_.frames[static_cast<std::size_t>(j)];
  t = f.t + shift;
  return f;
}

double Keyframes::slope(std::size_t i, std::size_t column) const {
  double t0, t1;
  const auto at = static_cast<std::ptrdiff_t>(i);
  const double q0 = frame(at - 1, t0).q[column], q1 = frame(at + 1, t1).q[column];
  const bool end = !loop_ && (i == 0 || i + 1 == motion_.frames.size());
  return end || t1 <= t0 ? 0 : (q1 - q0) / (t1 - t0);
}

Keyframes::Place Keyframes::place_of(double t) const {
  const double first = motion_.frames.front().t;
  if (loop_) t = first + (t - motion_.period * std::floor(t / motion_.period));
  const auto after = std::upper_bound(motion_.frames.begin(), motion_.frames.end(), t,
                                      [](double x, const MotionFile::Frame& f) { return x < f.t; });
  const auto i = after == motion_.frames.begin() ? 0 : after - motion_.frames.begin() - 1;
  return {static_cast<std::size_t>(i), t};
}

double Keyframes::value(double t, std::size_t column) const {
  const Place p = place_of(t);
  double t0, t1;
  const double q0 = frame(static_cast<std::ptrdiff_t>(p.frame), t0).q[column];
  const double q1 = frame(static_cast<std::ptrdiff_t>(p.frame) + 1, t1).q[column];
  if (t1 <= t0 || p.t <= t0) return q0;
  const double h = t1 - t0, s = std::min(1.0, (p.t - t0) / h);
  if (motion_.interpolation == MotionFile::Interpolation::linear) return q0 + s * (q1 - q0);
  const std::size_t next = (p.frame + 1) % motion_.frames.size();
  const double m0 = slope(p.frame, column) * h, m1 = slope(next, column) * h;
  return q0 + s * (m0 + s * (3 * (q1 - q0) - 2 * m0 - m1 + s * (m0 + m1 - 2 * (q1 - q0))));
}

void Keyframes::control(const RobotOutput& output, RobotCommand& command) {
  const double t = output.time - start_, lead = std::clamp(t / kLeadIn, 0.0, 1.0);
  const double w = lead * lead * (3 - 2 * lead);  // smooth step
  for (std::size_t c = 0; c < joint_.size(); ++c) {
    if (joint_[c] < 0) continue;
    const double q = value(std::max(0.0, t - kLeadIn), c);
    command.target[static_cast<std::size_t>(joint_[c])] = initial_[c] + w * (q - initial_[c]);
  }
}

}  // namespace gradus

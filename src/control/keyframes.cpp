#include "control/keyframes.h"

#include <algorithm>
#include <cmath>

namespace gradus {

namespace {

constexpr double kSameTime = 1e-9;  // [s] sums of decimal times differ by rounding

std::ptrdiff_t frame_at_or_before(const std::vector<MotionFile::Frame>& frames, double t) {
  const auto after =
      std::upper_bound(frames.begin(), frames.end(), t, [](double x, const MotionFile::Frame& f) { return x < f.t; });
  return std::max<std::ptrdiff_t>(0, after - frames.begin() - 1);
}

}  // namespace

Keyframes::Keyframes(const MotionFile& motion, const RobotKind& kind, bool loop, double start)
    : motion_(motion), loop_(loop && motion.loop), start_(start) {
  std::vector<MotionFile::Frame>& frames = motion_.frames;
  from_ = std::max(motion_.loop_from, frames.front().t);
  // A closing frame at the end of a loop repeats the one at its beginning.
  if (loop_ && frames.size() > 1 && frames.back().t >= from_ + motion_.period - kSameTime) frames.pop_back();
  first_ = frame_at_or_before(frames, from_ + kSameTime);
  for (const std::string& name : motion_.joints) {
    joint_.push_back(kind.find_joint(name));
    initial_.push_back(joint_.back() < 0 ? 0 : kind.joints[static_cast<std::size_t>(joint_.back())].initial);
  }
}

const MotionFile::Frame& Keyframes::frame(std::ptrdiff_t i, double& t) const {
  const std::ptrdiff_t n = frame_count(), in_loop = n - first_;
  std::ptrdiff_t j = std::clamp<std::ptrdiff_t>(i, 0, n - 1);
  double shift = 0;
  if (loop_ && (i >= n || first_ == 0)) {  // before a start from rest the first frame is held
    j = first_ + (((i - first_) % in_loop) + in_loop) % in_loop;
    shift = motion_.period * static_cast<double>((i - j) / in_loop);
  }
  const MotionFile::Frame& f = motion_.frames[static_cast<std::size_t>(j)];
  t = f.t + shift;
  return f;
}

double Keyframes::slope(std::ptrdiff_t i, std::size_t column) const {
  double t0, t1;
  const double q0 = frame(i - 1, t0).q[column], q1 = frame(i + 1, t1).q[column];
  const bool starts = i == 0 && (!loop_ || first_ > 0), ends = !loop_ && i + 1 >= frame_count();
  return starts || ends || t1 <= t0 ? 0 : (q1 - q0) / (t1 - t0);
}

Keyframes::Place Keyframes::place_of(double t) const {
  if (loop_) t += motion_.frames.front().t;  // a loop does not wait for its first frame
  if (!loop_ || t < from_ + motion_.period) return {frame_at_or_before(motion_.frames, t), t};
  // All later passes are played like the second, whose neighbours on both sides belong to the loop.
  const double since = t - from_, within = since - motion_.period * std::floor(since / motion_.period);
  const std::ptrdiff_t i = frame_at_or_before(motion_.frames, from_ + within);
  return {i + frame_count() - first_, from_ + within + motion_.period};
}

double Keyframes::value(double t, std::size_t column) const {
  const Place p = place_of(t);
  double t0, t1;
  const double q0 = frame(p.frame, t0).q[column], q1 = frame(p.frame + 1, t1).q[column];
  if (t1 <= t0 || p.t <= t0) return q0;
  const double h = t1 - t0, s = std::min(1.0, (p.t - t0) / h);
  if (motion_.interpolation == MotionFile::Interpolation::linear) return q0 + s * (q1 - q0);
  const double m0 = slope(p.frame, column) * h, m1 = slope(p.frame + 1, column) * h;
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

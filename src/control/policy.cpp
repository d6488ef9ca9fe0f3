#include "control/policy.h"

#include <algorithm>
#include <cmath>

namespace gradus {

Policy::Policy(const PolicyFile& file, const RobotKind& kind, std::vector<WalkCommand> program, double start)
    : file_(file),
      program_(std::move(program)),
      start_(start),
      net_(file.sizes),
      trace_(net_.make_trace(1)),
      last_(file.start.size(), 0.0f) {
  net_.set_plain(file_.weights);
  for (const Joint& j : kind.joints) lower_.push_back(j.lower), upper_.push_back(j.upper);
}

float Policy::speed_at(double time) const {
  double end = 0;
  for (const WalkCommand& part : program_) {
    end += part.steps / (2 * file_.clock);
    if (time < end) return static_cast<float>(part.forward);
  }
  return 0;
}

void Policy::observe(const RobotOutput& o, float* x) const {
  const Mat3 R_WB = to_matrix(o.q_WB);
  for (const Vec3& v_W : {Vec3{0, 0, -1}, o.v_WB, o.w_WB}) {
    const Vec3 v_B = transpose_times(R_WB, v_W);
    for (const double c : {v_B.x, v_B.y, v_B.z}) *x++ = static_cast<float>(c);
  }
  const std::size_t n = file_.start.size();
  for (std::size_t i = 0; i < n; ++i) *x++ = static_cast<float>(o.q[i]) - static_cast<float>(file_.start[i]);
  for (std::size_t i = 0; i < n; ++i) *x++ = static_cast<float>(o.v[i]) * 0.1f;
  x = std::copy(last_.begin(), last_.end(), x);
  const double time = o.time - start_, turns = time * file_.clock;
  double s, c;
  sine_cosine(6.283185307179586 * (turns - std::floor(turns)), s, c);
  *x++ = speed_at(time), *x++ = static_cast<float>(s), *x++ = static_cast<float>(c);
}

void Policy::control(const RobotOutput& output, RobotCommand& command) {
  constexpr float kMostObservation = 6, kMostAction = 3;  // as in learning
  float* x = trace_.at[0].data();
  observe(output, x);
  for (std::size_t i = 0; i < file_.mean.size(); ++i)
    x[i] = std::clamp((x[i] - file_.mean[i]) * file_.scale[i], -kMostObservation, kMostObservation);
  net_.forward(trace_, 1);
  for (std::size_t i = 0; i < last_.size(); ++i) {
    last_[i] = std::clamp(trace_.at.back()[i], -kMostAction, kMostAction);
    const double target = file_.start[i] + file_.action_scale * static_cast<double>(last_[i]);
    command.target[i] = std::clamp(target, lower_[i], upper_[i]);
  }
}

}  // namespace gradus

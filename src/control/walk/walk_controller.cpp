#include "control/walk/walk_controller.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gradus::walk {
namespace {

constexpr int kSteerSteps = 4;  // steps between two corrections of the heading
constexpr double kSteerNow = 0.6,
                 kSteerSum = 0.25;         // shares of the error, and of all before, that are made good until the next
constexpr std::size_t kMeasured = 60'000;  // ticks before the memory must grow: ten minutes
constexpr double kTimeSlack = 1e-6;        // of a tick

double wrapped(double a) { return a - 2 * std::numbers::pi * std::round(a / (2 * std::numbers::pi)); }

int index_of_foot(const RobotKind& kind, int link) {
  const auto it = std::find(kind.feet.begin(), kind.feet.end(), link);
  return it == kind.feet.end() ? -1 : static_cast<int>(it - kind.feet.begin());
}

}  // namespace

Result<std::unique_ptr<WalkController>> WalkController::make(const WalkFile& walk,
                                                             std::shared_ptr<const RobotKind> kind, double gravity,
                                                             std::vector<WalkCommand> program,
                                                             const WalkOptions& options) {
  auto engine = WalkEngine::make(walk, kind, gravity);
  if (!engine) return engine.notes();
  return std::unique_ptr<WalkController>(
      new WalkController(std::move(*engine), walk, std::move(kind), std::move(program), options));
}

WalkController::WalkController(WalkEngine engine, const WalkFile& walk, std::shared_ptr<const RobotKind> kind,
                               std::vector<WalkCommand> program, const WalkOptions& options)
    : engine_(std::move(engine)),
      fresh_(engine_),
      stabiliser_(walk.stabiliser),
      kind_(std::move(kind)),
      program_(std::move(program)),
      options_(options) {
  for (int side : {kLeft, kRight})
    foot_index_[static_cast<std::size_t>(side)] = index_of_foot(*kind_, engine_.leg(side).foot_link);
  if (options_.stabilise || options_.steer) measured_.reserve(kMeasured);
  restart();
}

void WalkController::restart() {
  engine_ = fresh_;
  before_ = engine_.posture();
  part_ = 0;
  ticks_ = 0;
  rate_ = {0, 0};
  correction_ = {};
  heading_error_ = heading_sum_ = 0;
  heading_count_ = heading_steps_ = 0;
}

void WalkController::set_command(const WalkCommand& velocity) {
  program_.clear();
  engine_.command(velocity);
}

void WalkController::control(const RobotOutput& output, RobotCommand& command) {
  const double t = output.time - options_.start - options_.lead_in;
  if (t < 0) return blend(1 + t / options_.lead_in, command);
  const double place = t / engine_.period() + kTimeSlack;
  const auto due = static_cast<std::int64_t>(place) + 1;
  if (due < ticks_) restart();  // the run was rewound
  while (ticks_ < due) {
    Measured m;
    if (options_.stabilise || options_.steer) {
      const auto k = static_cast<std::size_t>(ticks_);
      if (k >= measured_.size() || ticks_ + 1 == due) measured_.resize(k), measured_.push_back(measure(output));
      m = measured_[k];
    }
    run_tick(m);
  }
  const double s = std::clamp(place - static_cast<double>(due - 1), 0.0, 1.0);
  const std::vector<double>& now = engine_.posture();
  for (std::size_t j = 0; j < now.size(); ++j) command.target[j] = before_[j] + s * (now[j] - before_[j]);
  for (std::size_t i = 0; options_.stabilise && i < 4; ++i) {
    const auto j = static_cast<std::size_t>(engine_.leg(i < 2 ? kLeft : kRight).joint[4 + i % 2]);
    command.target[j] += correction_[i];
  }
}

/// share: 0 start posture … 1 the walk's first posture.
void WalkController::blend(double share, RobotCommand& command) const {
  const double s = std::clamp(share, 0.0, 1.0), w = s * s * (3 - 2 * s);
  for (std::size_t j = 0; j < command.target.size(); ++j) {
    const double q = kind_->joints[j].initial;
    command.target[j] = q + w * (fresh_.posture()[j] - q);
  }
}

void WalkController::run_tick(const Measured& m) {
  if (engine_.wants_command() && part_ < program_.size()) engine_.command(program_[part_++]);
  if (ticks_ == 0) heading_zero_ = m.heading - engine_.sample().heading;
  if (options_.steer) steer(m);
  if (options_.stabilise) stabilise();
  before_ = engine_.posture();
  engine_.tick();
  ++ticks_;
}

/// The heading's error, averaged over a few steps, is made good by the following ones.
void WalkController::steer(const Measured& m) {
  heading_error_ += engine_.sample().heading - (m.heading - heading_zero_);
  ++heading_count_;
  if (engine_.sample().steps < heading_steps_ + kSteerSteps) return;
  const double error = heading_error_ / heading_count_;
  heading_sum_ += error;
  engine_.correct_turn((kSteerNow * error + kSteerSum * heading_sum_) / (heading_count_ * engine_.period()));
  heading_steps_ = engine_.sample().steps;
  heading_error_ = 0;
  heading_count_ = 0;
}

void WalkController::stabilise() {
  const auto late = static_cast<std::int64_t>(std::lround(stabiliser_.delay / engine_.period()));
  const Measured& m = measured_[static_cast<std::size_t>(std::max<std::int64_t>(0, ticks_ - late))];
  rate_[0] += stabiliser_.smoothing * (m.roll_rate - rate_[0]);
  rate_[1] += stabiliser_.smoothing * (m.pitch_rate - rate_[1]);
  const double pitch = stabiliser_.pitch * rate_[1], roll = stabiliser_.roll * rate_[0], left = m.left_share,
               right = 1 - left;
  correction_ = {pitch * left, roll * left, pitch * right, roll * right};
}

Measured WalkController::measure(const RobotOutput& output) {
  constexpr double kLoaded = 5;  // [N]: below, both feet are in the air
  Measured m{output.gyro.x, output.gyro.y, 0.5, 0};
  double force[2] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i)
    if (foot_index_[i] >= 0) force[i] = output.foot_force[static_cast<std::size_t>(foot_index_[i])];
  if (force[0] + force[1] > kLoaded) m.left_share = force[0] / (force[0] + force[1]);
  const double yaw = to_roll_pitch_yaw(output.q_WB).z;
  const double last = measured_.empty() ? yaw : measured_.back().heading;
  m.heading = last + wrapped(yaw - last);
  return m;
}

}  // namespace gradus::walk

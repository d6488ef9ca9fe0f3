#include "control/walk/step_planner.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "control/walk/rotation.h"

namespace gradus::walk {
namespace {

constexpr double kSameTime = 1e-9;  // [s]

double smooth_step(double s) {
  s = std::clamp(s, 0.0, 1.0);
  return s * s * (3 - 2 * s);
}
std::array<double, 2> between(const std::array<double, 2>& a, const std::array<double, 2>& b, double s) {
  return {a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])};
}
double outward(int side) { return side == kLeft ? 1 : -1; }

}  // namespace

StepPlanner::StepPlanner(const GaitSpec& gait) : gait_(gait), duration_(gait.step_time) {
  for (int side : {kLeft, kRight}) now_[static_cast<std::size_t>(side)].y = outward(side) * gait_.spacing / 2;
  from_ = now_;
  zmp_ = zmp_between();
  zmp_from_ = zmp_;
}

void StepPlanner::command(const WalkCommand& v) {
  command_ = v;
  command_.forward = std::clamp(v.forward, -gait_.max_forward, gait_.max_forward);
  command_.side = std::clamp(v.side, -gait_.max_side, gait_.max_side);
  command_.turn = std::clamp(v.turn, -gait_.max_turn, gait_.max_turn);
  endless_ = v.steps == 0;
  steps_left_ = v.steps;
}

PlanSample StepPlanner::next() {
  const bool asked = !given_.empty() || ((command_.forward != 0 || command_.side != 0 || command_.turn != 0) &&
                                         (endless_ || steps_left_ > 0));
  if (stands_ && asked)
    begin_step();
  else if (!stands_ && t_ > duration_ - kSameTime) {
    if ((closing_ || was_given_) && !asked)
      begin_standing();
    else
      begin_step();
  }
  const double s = t_ / duration_;
  if (stands_)
    zmp_ = between(zmp_from_, zmp_between(), smooth_step(s / gait_.double_support));
  else
    swing(s);
  const double turned = smooth_step(stands_ ? 1 : s);
  t_ += gait_.tick;
  return {now_, zmp_, heading_from_ + turned * (heading_ - heading_from_), steps_, !stands_};
}

void StepPlanner::begin_standing() {
  stands_ = true;
  closing_ = was_given_ = false;
  now_[static_cast<std::size_t>(swing_)] = to_;
  from_ = now_;
  zmp_from_ = zmp_;
  t_ -= duration_;
  duration_ = gait_.step_time;
}

/// What the commands ask of the next step; zero for the one that closes the feet.
StepPlanner::Advance StepPlanner::take_advance() {
  closing_ = !endless_ && steps_left_ == 0;
  if (command_.forward == 0 && command_.side == 0 && command_.turn == 0) closing_ = true;
  if (closing_) return {0, 0, 0};
  if (!endless_) --steps_left_;
  const double T = gait_.step_time;
  return {command_.forward * T, command_.side * T, command_.turn * T};
}

/// The foot that opens when the body goes sideways or turns; −1: none.
int StepPlanner::leading_side(const Advance& a) const {
  if (std::fabs(a.turn) > gait_.toe_in) return a.turn > 0 ? kLeft : kRight;
  if (a.side != 0) return a.side > 0 ? kLeft : kRight;
  return -1;
}

/// Along the arc, by its chord.
void StepPlanner::move_path(const Advance& a, bool leading) {
  const bool paired = std::fabs(a.turn) > gait_.toe_in;
  const double share = leading ? 2 : 0;  // of what the leading foot does for both
  const double turn = paired ? share * a.turn : a.turn, side = share * a.side, middle = path_.yaw + turn / 2;
  path_.x += a.forward * cosine(middle) - side * sine(middle);
  path_.y += a.forward * sine(middle) + side * cosine(middle);
  path_.yaw += turn;
}

void StepPlanner::begin_step() {
  const bool first = stands_;
  if (first)
    t_ = 0;
  else {
    now_[static_cast<std::size_t>(swing_)] = to_;
    t_ -= duration_;
    swing_ = 1 - swing_;
  }
  stands_ = false;
  duration_ = gait_.step_time;
  was_given_ = !given_.empty();
  if (was_given_) return begin_given_step();
  Advance a = take_advance();
  heading_from_ = heading_;
  heading_ += a.turn;
  if (!closing_) a.turn += turn_correction_ * gait_.step_time;
  const int leading = leading_side(a);
  if (first) swing_ = leading >= 0 ? leading : kLeft;
  move_path(a, swing_ == leading);
  length_ = a.forward;
  from_ = now_;
  zmp_from_ = zmp_;
  const double y = outward(swing_) * gait_.spacing / 2;
  to_ = {path_.x - y * sine(path_.yaw), path_.y + y * cosine(path_.yaw), path_.yaw, 0};
  ++steps_;
}

/// The body's path goes on from where this step leads.
void StepPlanner::begin_given_step() {
  const FootStep step = given_.front();
  given_.pop_front();
  swing_ = step.side;
  if (step.duration > 0) duration_ = step.duration;
  closing_ = false;
  heading_from_ = heading_;
  const FootPose& other = now_[static_cast<std::size_t>(1 - swing_)];
  const double c = cosine(other.yaw), s = sine(other.yaw), y = outward(swing_) * gait_.spacing / 2;
  to_ = {other.x + c * step.x - s * step.y, other.y + s * step.x + c * step.y, other.yaw + step.yaw, 0};
  path_ = {to_.x + y * sine(to_.yaw), to_.y - y * cosine(to_.yaw), to_.yaw, 0};
  heading_ = path_.yaw;
  length_ = 0;
  from_ = now_;
  zmp_from_ = zmp_;
  ++steps_;
}

std::array<double, 2> StepPlanner::zmp_at(const FootPose& foot, int side, double ahead) const {
  const double x = gait_.zmp_forward + ahead, y = outward(side) * gait_.zmp_outward, c = cosine(foot.yaw),
               s = sine(foot.yaw);
  return {foot.x + x * c - y * s, foot.y + x * s + y * c};
}

std::array<double, 2> StepPlanner::zmp_between() const {
  return between(zmp_at(now_[kLeft], kLeft, 0), zmp_at(now_[kRight], kRight, 0), 0.5);
}

/// s: share of the step that is over.
void StepPlanner::swing(double s) {
  const int standing = 1 - swing_;
  const double single = (s - gait_.double_support) / (1 - gait_.double_support);
  const double ahead = gait_.run * length_ * (std::clamp(single, 0.0, 1.0) - 0.5);
  const std::array<double, 2> goal = zmp_at(from_[static_cast<std::size_t>(standing)], standing, ahead);
  zmp_ = s < gait_.double_support ? between(zmp_from_, goal, smooth_step(s / gait_.double_support)) : goal;
  if (single <= 0) return;
  const FootPose& from = from_[static_cast<std::size_t>(swing_)];
  const double w = smooth_step(single / gait_.land), up = sine(std::numbers::pi * std::min(1.0, single));
  now_[static_cast<std::size_t>(swing_)] = {from.x + w * (to_.x - from.x), from.y + w * (to_.y - from.y),
                                            from.yaw + w * (to_.yaw - from.yaw), gait_.lift * up * up};
}

}  // namespace gradus::walk

#include "server/pacing.h"

#include <algorithm>
#include <cmath>

namespace gradus::view {
namespace {

double seconds(Pacer::Clock::duration d) { return std::chrono::duration<double>(d).count(); }
Pacer::Clock::duration duration(double s) {
  return std::chrono::duration_cast<Pacer::Clock::duration>(std::chrono::duration<double>(s));
}
constexpr double kMarkPeriod = 0.1;  // [s]
constexpr int kUnpacedBatch = 16;    // steps between two looks at the commands, as fast as possible

}  // namespace

Pacer::Pacer(double h, Time now) : h_(h) { anchor(now); }

void Pacer::anchor(Time now) {
  anchor_ = now;
  since_anchor_ = 0;
  marks_[0] = {now, total_};
  mark_count_ = 1;
  is_behind_ = false;
}

void Pacer::pause(Time now) {
  is_paused_ = true;
  anchor(now);
}

void Pacer::resume(Time now) {
  is_paused_ = false;
  requested_ = 0;
  anchor(now);
}

void Pacer::request_steps(int count) {
  if (is_paused_) requested_ += count;
}

void Pacer::set_speed(double factor, Time now) {
  factor_ = factor;
  anchor(now);
}

int Pacer::steps_due(Time now) {
  if (is_paused_) return std::min(requested_, 1000);
  if (std::isinf(factor_)) return kUnpacedBatch;
  const double owed = seconds(now - anchor_) - static_cast<double>(since_anchor_) * h_ / factor_;  // wall time
  const double one = h_ / factor_;  // wall time of a step; in slow motion more than a batch
  const double debt_max = std::max(kDebtMax, 2 * one);
  if (owed > debt_max) {
    anchor_ += duration(owed - debt_max);
    is_behind_ = true;
  } else if (owed < std::max(kBatchMax, one)) {
    is_behind_ = false;
  }
  return static_cast<int>(std::floor(std::clamp(owed, 0.0, std::max(kBatchMax, one)) / one + 1e-9));
}

void Pacer::stepped(int count, Time now) {
  if (is_paused_) requested_ -= std::min(requested_, count);
  since_anchor_ += count;
  total_ += count;
  if (seconds(now - marks_[static_cast<std::size_t>(mark_count_ - 1)].wall) < kMarkPeriod) return;
  if (mark_count_ == static_cast<int>(marks_.size()))
    std::move(marks_.begin() + 1, marks_.end(), marks_.begin());
  else
    ++mark_count_;
  marks_[static_cast<std::size_t>(mark_count_ - 1)] = {now, total_};
}

Pacer::Clock::duration Pacer::wait(Time now) const {
  if (is_paused_) return requested_ > 0 ? Clock::duration::zero() : duration(0.005);
  if (std::isinf(factor_)) return Clock::duration::zero();
  const Time next = anchor_ + duration(static_cast<double>(since_anchor_ + 1) * h_ / factor_);
  return std::clamp(next - now, Clock::duration::zero(), duration(0.005));  // commands are looked at every 5 ms
}

double Pacer::actual(Time now) const {
  const double wall = seconds(now - marks_[0].wall);
  if (is_paused_ || wall <= 0) return 0;
  return static_cast<double>(total_ - marks_[0].steps) * h_ / wall;
}

}  // namespace gradus::view

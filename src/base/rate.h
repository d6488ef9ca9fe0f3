/// When something that has a rate of its own is due, in steps: call n falls on the first step that is not before
/// start + n · period. So any rate is met on average, and one that divides the step comes at even distances.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gradus {

class Rate {
 public:
  /// period, start, step: [s]. A period below the step is the step.
  Rate(double period, double start, double step)
      : period_(std::max(1.0, whole(period / step))), start_(whole(start / step)) {}
  bool due(std::int64_t k) const { return calls_until(k) > calls_until(k - 1); }
  /// The first step after k that is due.
  std::int64_t next(std::int64_t k) const {
    return static_cast<std::int64_t>(std::ceil(start_ + static_cast<double>(calls_until(k)) * period_ - kRounding));
  }
  /// How many calls come not after step k.
  std::int64_t calls_until(std::int64_t k) const {
    const double since = static_cast<double>(k) - start_ + kRounding;
    return since < 0 ? 0 : 1 + static_cast<std::int64_t>(std::floor(since / period_));
  }
  double period() const { return period_; }  // [steps]
  bool even() const { return period_ == std::floor(period_); }

 private:
  static constexpr double kRounding = 1e-6;  // [steps] below it two times are the same
  static double whole(double x) {
    const double near = std::round(x);
    return std::fabs(x - near) < kRounding ? near : x;
  }
  double period_, start_;  // [steps]
};

}  // namespace gradus

/// What a program outside asks of a robot, standing until it asks for something else.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "state/controller.h"

namespace gradus {

/// No joint goes so far, no wheel turns so fast: such a target would only harm the arithmetic.   [rad], [m] or [rad/s]
inline bool is_within_reason(double target) { return std::fabs(target) <= 1e4; }

struct Orders {
  std::vector<double> target, stiffness, velocity, torque, kp, kd;  // (njoint), or empty as in RobotCommand
  std::optional<std::vector<std::string>> images = {};  // cameras whose images are wanted from now on; none: as before
  bool saves = false;  // the program said that it can save and restore what it knows

  static Orders of(const RobotCommand& c) {
    const auto copy = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
    return {copy(c.target), copy(c.stiffness), copy(c.velocity), copy(c.torque), copy(c.kp), copy(c.kd), {}, false};
  }
  void write(RobotCommand& c) const {
    const auto copy = [](const std::vector<double>& from, std::span<double> to) {
      std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
    };
    copy(target, c.target), copy(stiffness, c.stiffness), copy(velocity, c.velocity), copy(torque, c.torque);
    copy(kp, c.kp), copy(kd, c.kd);
  }
  /// "", or why no robot can follow them.
  std::string fault() const {
    for (const auto* list : {&target, &stiffness, &velocity, &torque, &kp, &kd})
      for (const double x : *list)
        if (!std::isfinite(x)) return "asked for a number that is not finite";
    for (const double x : target)
      if (!is_within_reason(x)) return "asked for a target beyond all reason";
    for (const auto* gains : {&kp, &kd})
      for (const double x : *gains)
        if (x < 0) return "asked for a negative gain";
    for (const double s : stiffness)
      if (!(s >= 0 && s <= 1)) return "asked for a stiffness outside 0 ... 1";
    return "";
  }
};

}  // namespace gradus

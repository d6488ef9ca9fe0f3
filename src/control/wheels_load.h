/// Loads of the throughput figures: random commands, and everybody chasing the ball. A run is a function of its seed.
#pragma once
#include "base/rng.h"
#include "state/controller.h"

namespace gradus::control {

enum class WheelsLoadKind { random, chase };

class WheelsLoad : public GroupController {
 public:
  WheelsLoad(WheelsLoadKind kind, std::uint64_t seed) : kind_(kind), key_{seed, 0, 77} {}
  void control(const GroupOutput& see, std::span<RobotCommand> members) override;

 private:
  static constexpr double kTop = 40;     // wheel speed                        [rad/s]
  static constexpr double kHold = 0.48;  // a random command lasts this long   [s]
  WheelsLoadKind kind_;
  RandomKey key_;
  std::int64_t chosen_ = -1;  // period of the commands in force
};

}  // namespace gradus::control

/// Who drives the robots of a wheeled match: the built-in strategy, as a driver of a group.
#pragma once
#include <vector>

#include "control/wheels_strategy.h"
#include "state/controller.h"

namespace gradus::control {

/// Plays one team from what the overhead camera shows; a player that is not seen keeps its orders.
class WheelsTeam : public GroupController {
 public:
  WheelsTeam(const Model& model, const GroupModel& group, bool yellow);
  void control(const GroupOutput& see, std::span<RobotCommand> members) override;

 private:
  int first_, count_;  // members of the team
  bool yellow_;
  PitchNumbers pitch_;
  std::vector<PlayerPose> poses_;
  std::vector<WheelOrder> orders_;
};

/// Writes wheel speeds into the targets of a robot.
void command_wheels(const RobotKind& kind, const WheelOrder& order, RobotCommand& command);

}  // namespace gradus::control

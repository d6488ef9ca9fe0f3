#include "control/wheels_team.h"

#include <algorithm>
#include <cmath>

#include "wheels/from_scene.h"
#include "wheels/group.h"

namespace gradus::control {

WheelsTeam::WheelsTeam(const Model& model, const GroupModel& group, bool yellow)
    : first_(yellow ? group.blue : 0),
      count_(yellow ? group.yellow : group.blue),
      others_first_(yellow ? 0 : group.blue),
      others_(yellow ? group.blue : group.yellow),
      attack_(yellow == (group.spec.sides == "blue_left") ? -1 : 1) {
  poses_.resize(static_cast<std::size_t>(count_));
  opponents_.reserve(static_cast<std::size_t>(others_));
  orders_.resize(static_cast<std::size_t>(count_));
  pitch_.half_length = model.pitch->length / 2;
  pitch_.half_width = model.pitch->width / 2;
  pitch_.goal_width = model.pitch->goal_width;
  if (count_ == 0) return;
  const auto robot = static_cast<std::size_t>(group.members[static_cast<std::size_t>(first_)]);
  std::vector<std::string> missing;
  const wheels::RobotParameters r = wheels::robot_parameters(*model.robots[robot].kind, {}, missing);
  pitch_.wheel_radius = r.wheel_radius;
  pitch_.half_axle = r.half_axle;
  pitch_.top_wheel_speed = std::min(pitch_.top_wheel_speed, r.top_speed);
  const auto ball = static_cast<std::size_t>(group.members.back());
  pitch_.ball_radius = model.robots[ball].kind->shapes[0].spec.radius;
}

void WheelsTeam::control(const GroupOutput& see, std::span<RobotCommand> members) {
  for (int i = 0; i < count_; ++i) {
    const Sight& s = see.members[static_cast<std::size_t>(first_ + i)];
    if (s.seen) poses_[static_cast<std::size_t>(i)] = {s.x, s.y, s.theta, s.vx, s.vy, s.w};
  }
  opponents_.clear();
  for (int i = 0; i < others_; ++i) {
    const Sight& s = see.members[static_cast<std::size_t>(others_first_ + i)];
    if (s.seen) opponents_.push_back({s.x, s.y, s.theta, s.vx, s.vy, s.w});
  }
  const Sight& ball = see.members.back();
  if (!ball.seen) return;  // targets are held
  play(pitch_, {ball.x, ball.y, ball.vx, ball.vy, poses_, attack_, opponents_, see.time}, orders_);
  for (int i = 0; i < count_; ++i) {
    const auto m = static_cast<std::size_t>(first_ + i);
    const auto robot = static_cast<std::size_t>(see.group->members[m]);
    if (see.members[m].seen)
      command_wheels(*see.model->robots[robot].kind, orders_[static_cast<std::size_t>(i)], members[m]);
  }
}

void command_wheels(const RobotKind& kind, const WheelOrder& order, RobotCommand& command) {
  const wheels::WheelJoints j = wheels::wheel_joints(kind);
  command.target[static_cast<std::size_t>(j.right)] = j.right_sense * order.right;
  command.target[static_cast<std::size_t>(j.left)] = j.left_sense * order.left;
}

}  // namespace gradus::control

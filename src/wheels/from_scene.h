/// A group of a scene as parameters of the engine: masses, wheels and outlines from the robots' files, the ball from
/// its own, walls from the pitch, the rest from the group's preset.
#pragma once
#include "model/model.h"
#include "wheels/model.h"

namespace gradus::wheels {

/// What planar_wheels needs of a robot: two wheels on one axle through the base's origin, or (ball) one sphere.
/// `missing` gets what is not there; the parameters are then unspecified.
RobotParameters robot_parameters(const RobotKind& kind, const RobotParameters& preset,
                                 std::vector<std::string>& missing);
BallParameters ball_parameters(const RobotKind& kind, const BallParameters& preset, std::vector<std::string>& missing);
/// Number of the two wheel joints (right, left) and the sense of their axes: +1 turns forward about +y.
struct WheelJoints {
  int right = -1, left = -1;
  double right_sense = 1, left_sense = 1;
};
WheelJoints wheel_joints(const RobotKind& kind);

Result<WheelsParameters> group_parameters(const Model& model, const GroupModel& group);

}  // namespace gradus::wheels

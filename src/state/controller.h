/// The synchronous contract between a robot and its control program: Output[k] in, Input[k] out, no hidden delay. Whatever
/// drives a robot (key frames, a shared library, a network protocol) is a Controller.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "math/vec.h"
#include "model/model.h"

namespace gradus {

/// What a robot's controller sees at step k. Spans live until the call returns.
struct RobotOutput {
  const RobotKind* kind;
  std::int64_t k;                    // step number
  double time;                       // [s]
  std::span<const double> q, v, tau; // (njoint) joint coordinates, velocities, forces of the last step
  std::span<const double> q_motor;   // (njoint) encoders on the motors, at the joint: q where the gear has no play
  Vec3 p_WB;                         // base, ground truth
  Quat q_WB;
  Vec3 w_WB, v_WB;                   // base velocities, world axes
  Vec3 gyro, accelerometer;          // in the base's own axes: angular velocity, specific force      [rad/s, m/s²]
  std::span<const double> foot_force;// (feet) normal force under each foot                            [N]
};

/// What it asks for. Targets keep their value until changed.
struct RobotCommand {
  std::span<double> target;          // (njoint) joint targets  [rad] or [m]
  std::span<double> stiffness;       // (njoint) 0 … 1, 0 releases the motor; empty if no joint has an actuator chain
};

class Controller {
 public:
  virtual ~Controller() = default;
  virtual void control(const RobotOutput& output, RobotCommand& command) = 0;
};

}  // namespace gradus

/// The synchronous contract between a robot and its control program: Output[k] in, Input[k] out, no hidden delay.
/// Whatever drives a robot (key frames, a shared library, a network protocol) is a Controller.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "math/vec.h"
#include "model/model.h"
#include "state/group.h"

namespace gradus {

/// One format of one image; good until the camera's next one is asked for.
struct SensorImage {
  const char* format;  // rgb, grey, yuyv, depth (floats, m), segmentation (16-bit numbers)
  int width, height;
  std::size_t row_bytes;
  std::span<const std::uint8_t> bytes;  // rows from the top
  std::int64_t frame;
  double time;                          // of the middle of the exposure                           [s]
};

/// Where images come from: they are rendered when somebody asks.
class ImageSource {
 public:
  virtual ~ImageSource() = default;
  /// The newest that has arrived, in the formats of the camera; empty: no camera, or nothing has arrived yet.
  virtual std::span<const SensorImage> image(int robot, int sensor) = 0;
};

/// What one sensor shows at step k.
struct SensorReading {
  std::string_view name, kind;
  std::span<const std::string> channels;   // their names
  std::span<const double> values, truth;   // (channels) the newest sample that has arrived; what it measures, now
  double time;                             // of the sample                                              [s]
  std::int64_t sample;                     // its number; −1: none has arrived, values are as at the start
  ImageSource* images = nullptr;           // of cameras
  int robot = 0, number = 0;               // for it
  std::span<const SensorImage> image() const {
    return images ? images->image(robot, number) : std::span<const SensorImage>{};
  }
};

/// What a robot's controller sees at step k. What sensors of the robot measure is as they show it: encoders q and v,
/// motor encoders q_motor, gyroscope and accelerometer of the base, pads foot_force, current. Spans live until the call returns.
struct RobotOutput {
  const RobotKind* kind;
  std::int64_t k;                     // step number
  double time;                        // [s]
  std::span<const double> q, v, tau;  // (njoint) joint coordinates, velocities, forces of the last step
  std::span<const double> q_motor;    // (njoint) encoders on the motors, at the joint: q where the gear has no play
  std::span<const double> current;    // (njoint) of the motors, 0 where the drive has none    [A]
  std::span<const double> voltage;    // (njoint) at their terminals in the last step, the same [V]
  Vec3 p_WB;                          // base, ground truth
  Quat q_WB;
  Vec3 w_WB, v_WB;                     // base velocities, world axes
  Vec3 gyro, accelerometer;            // in the base's own axes: angular velocity, specific force      [rad/s, m/s²]
  std::span<const double> foot_force;  // (feet) normal force under each foot                            [N]
  std::span<const SensorReading> sensors;
};

/// What it asks for. Targets keep their value until changed.
struct RobotCommand {
  std::span<double> target;     // (njoint) joint targets  [rad] or [m]
  std::span<double> stiffness;  // (njoint) 0 … 1, 0 releases the motor; empty if no joint has an actuator chain
  // (njoint) τ = kp (target − q) + kd (velocity − v) + torque within the servo's limits; empty unless the robot is commanded so
  // (commands = "impedance"). Torque control: kp = kd = 0; speed control: kp = 0. Held like targets; gains begin as the servo's.
  std::span<double> velocity, torque, kp, kd;
};

class Controller {
 public:
  virtual ~Controller() = default;
  virtual void control(const RobotOutput& output, RobotCommand& command) = 0;

  // So that a run can go back: what it remembers from call to call is saved with the world. One whose commands follow
  // from what it sees remembers nothing.
  /// Appends it.
  virtual void save(Bytes&) {}
  /// What save appended. False: it cannot go on from there.
  virtual bool restore(ByteView memory) { return memory.empty(); }
  /// Why a run with it cannot go back; empty: it can. May change while it runs.
  virtual std::string forgets() const { return ""; }
};

/// What the drivers of a group see at step k, through its camera if it has one.
struct GroupOutput {
  const Model* model;
  const GroupModel* group;
  std::int64_t k;
  double time;                      // [s]
  std::span<const Sight> members;   // in the order of GroupModel::members; spans live until the call returns
  std::span<const double> section;  // the group's own numbers, score included
};

/// Drives members of a group, each through its targets.
class GroupController {
 public:
  virtual ~GroupController() = default;
  virtual void control(const GroupOutput& output, std::span<RobotCommand> members) = 0;
};

}  // namespace gradus

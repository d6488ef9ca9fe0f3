/// What the Nao's own interfaces (LoLA, NaoQi, USARSim) know of its body, found in a robot of a world: joints by the
/// robot's names, and what its sensors show, by the names of sensors/nao_v6.toml and sensors/nao_motors.toml. A sensor
/// that the robot does not have is replaced by the truth, or by what a healthy robot at rest would show.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "link/items.h"
#include "state/controller.h"

namespace gradus::nao {

/// The 25 joints of the robot's interfaces, in LoLA's order. RHipYawPitch is not there: one motor drives both hips.
inline constexpr std::array<std::string_view, 25> kJointNames{
    "HeadYaw",      "HeadPitch",  "LShoulderPitch", "LShoulderRoll", "LElbowYaw",      "LElbowRoll",    "LWristYaw",
    "LHipYawPitch", "LHipRoll",   "LHipPitch",      "LKneePitch",    "LAnklePitch",    "LAnkleRoll",    "RHipRoll",
    "RHipPitch",    "RKneePitch", "RAnklePitch",    "RAnkleRoll",    "RShoulderPitch", "RShoulderRoll", "RElbowYaw",
    "RElbowRoll",   "RWristYaw",  "LHand",          "RHand"};

/// Touch of the robot's interfaces, in LoLA's order.
inline constexpr std::array<std::string_view, 14> kTouchNames{
    "ChestButton", "HeadFront",  "HeadMiddle", "HeadRear",   "LFootLeft", "LFootRight", "LHandBack",
    "LHandLeft",   "LHandRight", "RFootLeft",  "RFootRight", "RHandBack", "RHandLeft",  "RHandRight"};

struct Readings {
  std::array<double, 25> position{}, temperature{}, current{};  // [rad], [°C], [A]; hands 0
  std::array<double, 3> accelerometer{}, gyroscope{};  // specific force: +9.81 along z upright [m/s²]; [rad/s]
  double roll = 0, pitch = 0;                          // of the torso [rad]
  std::array<double, 2> sonar{};                       // left, right [m]
  std::array<double, 8> fsr{};                         // left FL FR RL RR, right the same [N]
  std::array<double, 14> touch{};                      // 0 or 1; the chest button is never pressed by itself
  double charge = 1, battery_current = 0;              // 0 … 1; drawn [A]
};

class Body {
 public:
  /// Every joint of a Nao that the robot lacks, but for wrists and hands, is an error.
  static Result<Body> of(const RobotKind& kind, const std::string& robot);
  void read(const RobotOutput& output, Readings& out) const;
  int joint(std::size_t i) const { return joints_[i]; }             // number in the robot; −1: none
  int right_hip_yaw_pitch() const { return right_hip_yaw_pitch_; }  // −1: none
  /// Writes one number of the 25 into a list of the robot's joints.
  void write(std::size_t i, double value, std::vector<double>& list) const;

 private:
  std::array<int, 25> joints_{};
  int right_hip_yaw_pitch_ = -1;
};

/// The Naos that an option of the command line is about: those named, or all (V6 only, if so) that nothing else drives.
/// Each has the sensors of the real one, or gets them. Errors are about the option `who`.
std::vector<RobotInstanceSpec*> chosen_naos(const RobotChoice& choice, SceneSpec& scene, const std::string& kind,
                                            const std::string& who, bool only_v6, Diagnostics& faults);

/// Number of a joint of the interfaces; −1: there is none of this name. RHipYawPitch is LHipYawPitch.
int joint_number(std::string_view name);

}  // namespace gradus::nao

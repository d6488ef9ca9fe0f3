/// A walk file: which joints are the legs, and how the gait is made. What the robot walks (velocities) is not in it.
///
///   [walk]
///   name      = "nao_walk"
///   left_leg  = ["LHipYawPitch", "LHipRoll", "LHipPitch", "LKneePitch", "LAnklePitch", "LAnkleRoll"]
///   right_leg = ["RHipYawPitch", …]
///   step_time = "420 ms"
///   …                                                                              [docs/walking.md has all keys]
///   [posture]                     where other joints are while walking
///   LShoulderPitch = "90 deg"
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/spec.h"

namespace gradus {

/// Numbers of a gait.
struct GaitSpec {
  double tick = 0.01;           // time between two planned postures                                    [s]
  double step_time = 0.42;      // of one step                                                          [s]
  double hip_height = 0.235;    // hip point above the ground                                           [m]
  double spacing = 0.1;         // between the feet                                                     [m]
  double double_support = 0.1;  // share of the step at whose start both feet carry
  double lift = 0.025;          // of the swinging foot                                                 [m]
  double land = 0.8;            // share of single support after which the swinging foot has arrived
  double run = 0.5;             // share of the step's length that the zero-moment point runs along the sole
  double zmp_forward = 0.005;   // of the zero-moment point, from the ankle                             [m]
  double zmp_outward = 0;       //                                                                      [m]
  double torso_pitch = 0;       // forward is positive                                                  [rad]
  double toe_in = 0.1;          // turns of more than this per step are made by the inner foot first    [rad]
  double max_forward = 0.25, max_side = 0.1, max_turn = 1.0;  // commands are cut to these       [m/s, m/s, rad/s]
  double preview = 0.6;  // how far ahead the plan is known                                      [s]
  double error_weight = 0.3, zmp_weight = 0.4, input_weight = 1e-10;  // Q_e, Q_p, R of the preview control
};

/// Rates of the base, late and smoothed as on a robot, turn the ankles against them, by each foot's share of the load.
struct StabiliserSpec {
  double pitch = 0.05, roll = 0.05;  // angle per rate                                    [s]
  double delay = 0.02;               // of the sensor                                     [s]
  double smoothing = 0.4;            // share of the new sample
};

struct WalkFile {
  std::string name, about, file;
  std::array<std::string, 6> left_leg, right_leg;  // yaw, roll, pitch, knee, ankle pitch, ankle roll
  GaitSpec gait;
  StabiliserSpec stabiliser;
  std::vector<std::pair<std::string, double>> posture;  // joint, angle                [rad]
  Place place;
};

Result<WalkFile> load_walk(const std::string& path);
Result<WalkFile> parse_walk(std::string_view text, const std::string& path);
/// Does the robot have these joints?
Diagnostics check_walk(const WalkFile& walk, const RobotSpec& robot, const Place& mentioned);

}  // namespace gradus

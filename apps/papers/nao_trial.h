/// One Nao on one floor: walks a program, replays target angles or plays key frames, and is measured. Shared by the
/// experiments of papers 001 and 002.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "load/walk_toml.h"
#include "model/spec.h"
#include "state/controller.h"

namespace gradus {
class World;
}

namespace gradus::cli {

/// How the joints are driven: stiff (proportional, 300 N m/rad, no motor), nao (motors and gears of the Nao), play (the
/// same with worn gears).
enum class NaoDrive { stiff, nao, play };
const char* name_of(NaoDrive drive);

struct NaoTrial {
  std::string robot = "robots/nao_h25_v6.toml";
  std::string motion = "articulated";
  NaoDrive drive = NaoDrive::nao;
  double stiff_kp = 300;  // of NaoDrive::stiff                               [N m/rad]
  double friction = 0.8;
  double stiffness = 2e5;     // of the ground, at each corner of a sole          [N/m]
  double step = 0.001;        // [s]
  double duration = 8;        // of the run                                       [s]
  double measure_from = 0.6;  // displacement is counted from here                [s]
  double calibration = 0;     // each leg joint is wrong by up to this            [rad]
  std::uint64_t seed = 1;     // of the calibration errors
  // The walk; or a controller of one's own.
  std::string walk = "motions/nao_walk.toml";
  std::vector<WalkCommand> program;
  bool stabilise = false, steer = false;
  std::function<void(WalkFile&)> edit_walk;                                                // changes of the gait
  std::function<void(RobotSpec&)> edit_robot;                                              // changes of the robot
  std::function<std::unique_ptr<Controller>(const RobotKind&, double period)> controller;  // instead of the walk
  double control_period = 0.01;                                                            // [s]
};

struct NaoSample {
  double t, x, y, z, roll, pitch, yaw;  // of the base; yaw counted through    [s, m, rad]
};

struct NaoRun {
  bool fell = false;
  double fall_time = 0;                     // [s]
  double x = 0, y = 0, yaw = 0;             // base at the end in its own frame at `measure_from`    [m, rad]
  double us_per_step = 0;                   // processor time of a step, controller included          [µs]
  std::vector<NaoSample> path;              // every 10 ms
  std::vector<std::vector<double>> joints;  // every 10 ms, joint angles
};

/// The scene "nao" with the one robot of a trial, in the posture of its walk. None after errors, which were printed.
std::optional<SceneSpec> trial_scene(const NaoTrial& trial);

inline constexpr double kSampleTime = 0.01;   // [s]
inline constexpr double kFallenTilt = 0.6;    // cosine of the tilt
inline constexpr double kFallenHeight = 0.2;  // of the base                       [m]

/// None after errors, which were printed. each: called after every sample.
std::optional<NaoRun> run_trial(const NaoTrial& trial, const std::function<void(World&)>& each = nullptr);

/// Amplitude of the line at `hz` in the pitch between two times, mean removed, Hann window over whole periods of
/// `cycle` [s].   [rad]
double pitch_line(const NaoRun& run, double from, double to, double cycle, double hz);

}  // namespace gradus::cli

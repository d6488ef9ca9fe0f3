/// Recordings of a servo on a test bench, as CSV files with a header line.
///
///   t_s, goal_rad, pos_rad [, torque_on]              the servo moves a pendulum or a flywheel to its goals
///   t_s, pos_error_rad, vel_rad_s, torque_Nm          something else moves the joint; the drive's torque was measured
///
/// What the servo moved and which gains it had is told on the command line for all of them, or by an index: a CSV file
/// whose column `file` names recordings beside it, with kp, kd, mass, arm_mass, length, load_inertia_kgm2, vin.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace gradus::fit {

struct Recording {
  std::string file, trajectory;
  double kp = 0, kd = 0;                 // as the index names them: firmware gain, or N m/rad and N m s/rad; 0: not told
  double mass = 0, arm = 0, length = 0;  // pendulum: tip, rod [kg, m]
  double inertia = 0;                    // of a flywheel [kg m²]; 0: it is a pendulum
  double volts = 0;                      // supply [V]; 0: not told
  std::vector<double> t, goal, pos;      // [s, rad, rad]; of a torque recording: pos is ∫ speed, goal = pos + error
  std::vector<bool> on;                  // motor not released
  std::vector<double> speed, torque;     // of a torque recording [rad/s, N m]
  bool measures_torque() const { return !torque.empty(); }
  const std::vector<double>& measured() const { return measures_torque() ? torque : pos; }
  /// The first sample that says something about the servo. The torque in a joint that something else moves answers to commands that were
  /// given before the recording began; on a bench the servo is at rest then.
  std::size_t first_judged() const;
};

/// Samples of one file. "" or what is wrong with it, the row included.
std::string read_recording(const std::string& path, Recording& r);
/// Is this CSV an index of recordings?
bool is_index(const std::string& path);
/// Those of the index whose file name begins with `only` ("": all).
Result<std::vector<Recording>> read_index(const std::string& path, const std::string& only);

/// The part of a recording between two shares of its duration, for judging what was not fitted.
Recording part_of(const Recording& r, double from, double to);

}  // namespace gradus::fit

/// A leg of six joints in closed form: yaw (about an axis in the y–z plane), roll, pitch, knee, ankle pitch, ankle
/// roll. Hip axes cross in one point, ankle axes in another; thigh and shin are straight when all angles are zero.
///
///   R_BF = R_0(q0) Rx(q1) Ry(q2 + q3 + q4) Rx(q5),   R_0 = Rx(φ) Rz(σ q0) Rx(−φ)                         (1)
///
/// For the Nao φ = ±45° and σ = ∓1; a leg with a vertical yaw axis has φ = 0, σ = 1. [facts/nao.md 5.4]
#pragma once
#include <array>

#include "base/result.h"
#include "model/model.h"

namespace gradus::walk {

struct LegGeometry {
  std::array<int, 6> joint;    // joint numbers
  std::array<double, 6> sign;  // of each joint about +x or +y; of the yaw: σ
  double phi = 0;              // tilt of the yaw axis about x                          [rad]
  Vec3 p_BH{0, 0, 0};          // hip point in the base's frame, all joints zero        [m]
  double thigh = 0, shin = 0;  // [m]
  double sole = 0;             // ankle point above the sole                            [m]
  int foot_link = 0;
};

/// Reads a leg out of a robot. Everything that does not fit the scheme is reported.
Result<LegGeometry> read_leg(const RobotKind& kind, const std::array<std::string, 6>& joints, const Place& place);

using LegAngles = std::array<double, 6>;

/// Where the sole is: the point below the ankle, in the base's frame.
using SolePose = Pose;  // X_BF

/// All six joints free. reached: false if the pose is farther than the straight leg; then it points there.
LegAngles leg_angles(const LegGeometry& leg, const SolePose& X_BF, bool& reached);
/// The yaw joint is given (one motor drives both): ankle point and sole normal are exact, the foot's yaw follows.
LegAngles leg_angles_with_yaw(const LegGeometry& leg, const SolePose& X_BF, double yaw, bool& reached);

}  // namespace gradus::walk

/// Where the robot's effectors are, and angles that bring them elsewhere: ALMotion's Cartesian calls. All poses are in
/// the torso's frame, of the posture that was commanded.
///
///   Δq = Jᵀ (J Jᵀ + λ²)⁻¹ e       e: what is missing of all poses, of the axes that their masks name       (1)
///
/// repeated; joints stop at their limits, so that what cannot be reached is come near to.
#pragma once
#include <array>
#include <span>
#include <string>
#include <vector>

#include "link/nao/body.h"
#include "model/model.h"
#include "tree/kernels.h"

namespace gradus::naoqi {

/// Axes of a mask: x, y, z, and turns about them.
inline constexpr int kPositionMask = 7, kWholeMask = 63;

/// x, y, z and roll, pitch, yaw as the robot's interface has them, R = R_z R_y R_x.
using Position6 = std::array<double, 6>;
Pose pose_at(const Position6& p);
Position6 position_of(const Pose& x);

class Cartesian {
 public:
  /// Where an object is to be.
  struct Goal {
    int object;
    Pose X_TO;
    int mask;
    double turning = 1;  // weight of the turn about z
  };
  Cartesian(const nao::Body& body, std::shared_ptr<const RobotKind> kind);
  /// The part that an effector's name stands for ("LArm": the hand); −1: there is none.
  int object_of(const std::string& effector) const;
  /// Pose of an object, with the 25 joints of the robot's interfaces at `angles`.
  Pose pose(int object, const std::vector<double>& angles);
  /// Changes the angles of `joints` so that the objects get where they are to be. Returns what is missing of the masked
  /// axes [m, rad].
  double solve(std::span<const Goal> goals, const std::vector<int>& joints, std::vector<double>& angles);

 private:
  /// Six numbers for each goal.
  std::vector<double> missing(std::span<const Goal> goals, const std::vector<double>& angles);

  nao::Body body_;
  std::shared_ptr<const RobotKind> kind_;
  std::vector<double> q_, v_, list_;
  std::vector<Frame> frames_;
};

}  // namespace gradus::naoqi

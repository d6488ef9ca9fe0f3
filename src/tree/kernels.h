/// The kernels as ordinary functions of a robot kind, in double: what the rest of gradus calls. The bodies are
/// templates [frames.h, dynamics.h], instantiated here once; lanes and GPU instantiate theirs in batch/.
#pragma once
#include <span>
#include <vector>

#include "tree/dynamics.h"

namespace gradus {

/// Frames of all links from coordinates q = p (3), quaternion (4), joints and v = w (3), v (3), joints.
void compute_frames(const RobotKind& kind, const double* q, const double* v, Frame* frames);
/// Poses alone, and the root's velocity.
void compute_poses(const RobotKind& kind, const double* q, const double* v, Frame* frames);
/// Links at the start posture, base at the origin.
std::vector<Pose> start_poses(const RobotKind& kind);

/// Room that the functions below need.
struct TreeScratch {
  explicit TreeScratch(const RobotKind& kind);
  std::vector<Frame> frames;
  std::vector<JointFactor> factors;
  std::vector<Mat6> branch_I, composite;
  std::vector<Vec6> branch_b, acc, force;
};

/// Accelerations (6 + njoint: root angular, root linear, joints) under joint forces tau (njoint) and gravity.
void forward_dynamics(const RobotKind& kind, const double* q, const double* v, const double* tau, Vec3 gravity,
                      TreeScratch& s, double* a);
/// Generalised forces (6 + njoint; root moment about its origin, root force, joints) that give the accelerations a.
void inverse_dynamics(const RobotKind& kind, const double* q, const double* v, const double* a, Vec3 gravity,
                      TreeScratch& s, double* tau);
/// Joint-space inertia, row-major (6 + njoint)².
void mass_matrix(const RobotKind& kind, const double* q, TreeScratch& s, double* M);
/// Velocity of the point p_L of a link per generalised velocity, row-major 3 × (6 + njoint).
void point_jacobian(const RobotKind& kind, const Frame* frames, int link, Vec3 p_L, double* J);

}  // namespace gradus

/// A ball joint: the child turns freely about the joint's origin. Coordinates are its rotation vector, at most half a turn
/// long: three numbers that say every orientation, whose jump at half a turn nothing feels, since the dynamics know the
/// rotation alone. Velocities are the relative angular velocity in the child's axes.
///   R = exp(q),   q ⊕ u = log(exp(q) exp(u))
/// A spring about 0 is exact: its moment −k q has the potential ½ k |q|², as q is the axis that it turns about.
#pragma once
#include "model/joints/joint_type.h"

namespace gradus {

struct Ball {
  static constexpr std::string_view name = "ball";
  static constexpr std::string_view about = "turns freely about a point";
  static constexpr std::array<Vec6, 3> S{{{{1, 0, 0}, {0, 0, 0}}, {{0, 1, 0}, {0, 0, 0}}, {{0, 0, 1}, {0, 0, 0}}}};
  static constexpr std::array<std::string_view, 3> suffix{"_x", "_y", "_z"};
  static Pose pose(const double* q) { return {to_matrix(exponential(Vec3{q[0], q[1], q[2]})), {0, 0, 0}}; }
  static void advance(const double* q, const double* u, double* q_next) {
    const Quat turned = exponential(Vec3{q[0], q[1], q[2]}) * exponential(Vec3{u[0], u[1], u[2]});
    const Vec3 r = logarithm(normalized(turned));
    q_next[0] = r.x, q_next[1] = r.y, q_next[2] = r.z;
  }
};

}  // namespace gradus

/// A nut on a screw: it turns about z and rises by its pitch a turn. One coordinate, a column of both.
///   X_JC = (Rz(q), z q pitch/2π)
#pragma once
#include "model/joints/joint_type.h"

namespace gradus::test {

struct Screw {
  static constexpr double rise = 0.01 / 6.283185307179586;  // [m/rad]
  static constexpr std::string_view name = "screw";
  static constexpr std::string_view about = "turns about z and rises by 1 cm a turn";
  static constexpr std::array<Vec6, 1> S{{{{0, 0, 1}, {0, 0, rise}}}};
  static constexpr std::array<std::string_view, 1> suffix{"_turn"};
  static Pose pose(const double* q) { return {to_matrix(exponential(Vec3{0, 0, q[0]})), {0, 0, rise * q[0]}}; }
  static void advance(const double* q, const double* u, double* q_next) { q_next[0] = q[0] + u[0]; }
};

}  // namespace gradus::test

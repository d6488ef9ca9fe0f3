/// Joints that neither turn about one axis nor shift along one: the contract {n, S, ⊕}.
///
/// A joint of n degrees of freedom lets its child move against its parent with the twist S v, where the n columns of S are
/// constant in the child's axes, about the child's origin. The velocities v are therefore components in the child's axes,
/// and joint forces are too. The coordinates q are n numbers as well, of any chart that has no singular point where the
/// joint may come to; they need not be integrals of v.
///
///   pose       X_JC(q): the child in the joint's frame, which is its own at q = 0
///   advance    q ⊕ u: after the child has moved by u = h v                                                (1)
///
/// For the kernels a joint is n links, of which all but the last have no mass and lie where the last one lies. Since S is
/// constant in the child, the velocity products of (1) sum up to V × S v with the child's own V, so each of the n links is
/// given that V, and every recursion of one coordinate per link [tree/dynamics.h] is exact: no angles follow each other,
/// nothing locks. Files and logs know the coordinates as n joints, NAME + suffix, and the child as the object NAME.
///
/// A new type is a struct after ball.h and a line in registry.cpp; programs of one's own may hand theirs to RobotBuilder.
#pragma once
#include <array>
#include <concepts>
#include <span>
#include <string_view>

#include "math/spatial.h"

namespace gradus {

inline constexpr int kMostColumns = 6;

struct JointType {
  std::string_view name;  // the `kind` of its objects in files
  std::string_view about;
  int dof;                                                 // n
  std::array<Vec6, kMostColumns> S;                        // columns, in the child's axes
  std::array<std::string_view, kMostColumns> suffix;       // of the coordinates' names
  Pose (*pose)(const double* q);                           // X_JC
  void (*advance)(const double* q, const double* u, double* q_next);  // (1); q_next may be q
};

template <class J>
concept JointMotion = requires(const double* q, double* out) {
  { J::name } -> std::convertible_to<std::string_view>;
  { J::about } -> std::convertible_to<std::string_view>;
  { J::S.size() } -> std::convertible_to<std::size_t>;
  { J::suffix.size() } -> std::convertible_to<std::size_t>;
  { J::pose(q) } -> std::same_as<Pose>;
  { J::advance(q, q, out) } -> std::same_as<void>;
};

template <JointMotion J>
constexpr JointType joint_type() {
  static_assert(J::S.size() == J::suffix.size() && !J::S.empty() && J::S.size() <= kMostColumns);
  JointType t{J::name, J::about, static_cast<int>(J::S.size()), {}, {}, &J::pose, &J::advance};
  for (std::size_t k = 0; k < J::S.size(); ++k) t.S[k] = J::S[k], t.suffix[k] = J::suffix[k];
  return t;
}

std::span<const JointType> all_joint_types();
const JointType* find_joint_type(std::string_view name);  // null: there is none

}  // namespace gradus

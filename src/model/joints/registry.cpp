// The types of joints that files may name, beside revolute and prismatic.
#include "model/joints/ball.h"

namespace gradus {
namespace {

constexpr JointType kTypes[] = {
    joint_type<Ball>(),
};

}  // namespace

std::span<const JointType> all_joint_types() { return kTypes; }

const JointType* find_joint_type(std::string_view name) {
  for (const JointType& t : kTypes)
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace gradus

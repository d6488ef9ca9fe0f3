/// Typed indices: a body's number cannot be passed where a joint's is due.
#pragma once
#include <compare>
#include <cstdint>

namespace gradus {

template <class Tag>
struct Id {
  std::int32_t value = -1;
  constexpr Id() = default;
  constexpr explicit Id(int v) : value(v) {}
  constexpr explicit operator bool() const { return value >= 0; }
  constexpr auto operator<=>(const Id&) const = default;
};

using RobotId = Id<struct RobotTag>;    // robot (or free body) of a scene
using ObjectId = Id<struct ObjectTag>;  // modelling object of a robot, in the order of its description
using LinkId = Id<struct LinkTag>;      // moving link of a robot: 0 is its root, link j + 1 is moved by joint j
using JointId = Id<struct JointTag>;    // revolute or prismatic joint of a robot

}  // namespace gradus

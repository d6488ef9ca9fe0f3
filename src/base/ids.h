/// Typed indices: the number of an object cannot be passed where another number is due.
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

using ObjectId = Id<struct ObjectTag>;  // modelling object of a robot, in the order of its description

}  // namespace gradus

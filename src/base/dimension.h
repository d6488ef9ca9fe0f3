/// What a number measures. Angles are a dimension of their own, so that degrees where metres are due are noticed.
#pragma once
#include <string>

namespace gradus {

/// Exponents of metre, kilogram, second, radian and ampere.
struct Dimension {
  int m = 0, kg = 0, s = 0, rad = 0, A = 0;
  constexpr bool operator==(const Dimension&) const = default;
};
constexpr Dimension operator*(Dimension a, Dimension b) {
  return {a.m + b.m, a.kg + b.kg, a.s + b.s, a.rad + b.rad, a.A + b.A};
}
constexpr Dimension operator/(Dimension a, Dimension b) {
  return {a.m - b.m, a.kg - b.kg, a.s - b.s, a.rad - b.rad, a.A - b.A};
}

namespace dimension {
inline constexpr Dimension kNumber{};
inline constexpr Dimension kLength{1, 0, 0, 0};
inline constexpr Dimension kMass{0, 1, 0, 0};
inline constexpr Dimension kTime{0, 0, 1, 0};
inline constexpr Dimension kAngle{0, 0, 0, 1};
inline constexpr Dimension kFrequency{0, 0, -1, 0};
inline constexpr Dimension kSpeed{1, 0, -1, 0};
inline constexpr Dimension kAngularSpeed{0, 0, -1, 1};
inline constexpr Dimension kAcceleration{1, 0, -2, 0};
inline constexpr Dimension kSlowness{-1, 0, 1, 0};
inline constexpr Dimension kLengthTime{1, 0, 1, 0};
inline constexpr Dimension kForce{1, 1, -2, 0};
inline constexpr Dimension kTorque{2, 1, -2, 0};
inline constexpr Dimension kPower{2, 1, -3, 0};
inline constexpr Dimension kInertia{2, 1, 0, 0};
inline constexpr Dimension kStiffness{0, 1, -2, 0};
inline constexpr Dimension kDamping{0, 1, -1, 0};
inline constexpr Dimension kAngularStiffness{2, 1, -2, -1};
inline constexpr Dimension kAngularDamping{2, 1, -1, -1};
inline constexpr Dimension kCurrent{0, 0, 0, 0, 1};
inline constexpr Dimension kVoltage{2, 1, -3, 0, -1};
inline constexpr Dimension kResistance{2, 1, -3, 0, -2};
inline constexpr Dimension kInductance{2, 1, -2, 0, -2};
}  // namespace dimension

/// "a length", "an angle"; "another quantity" where there is no name for it.
std::string name_of(Dimension d);
/// The SI unit in which the dimension is usually written: "m", "N m/rad".
std::string unit_of(Dimension d);
const char* unit_text(Dimension d);  // the same, for ever

}  // namespace gradus

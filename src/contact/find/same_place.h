#pragma once

namespace gradus {

inline constexpr double kSamePlace = 0.005;  // [m] a contact that moved farther on its link in a step is another one

}  // namespace gradus

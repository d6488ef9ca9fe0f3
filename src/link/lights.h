/// Lights of robots that programs switch: LEDs of eyes, chest, panels. They are no part of the simulation and change no
/// bit of it. People are told of them by events of kind "light", at most ten a second and robot; viewers draw them.
///
///   "lights: chest #ff0000, left_eye #0080ff"     all that are on; "lights: off"
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "link/link.h"

namespace gradus {

class Lights {
 public:
  /// Red, green, blue, each 0 … 1.
  void set(std::string_view place, double red, double green, double blue);
  void set(std::string_view place, double grey) { set(place, grey, grey, grey); }
  /// Appends a notice if they changed since the last one, a tenth of a second ago or more. `time`: simulated [s].
  void tell(const std::string& robot, double time, std::vector<LinkNotice>& out);
  std::string text() const;

 private:
  std::map<std::string, std::uint32_t, std::less<>> colours_;  // 0xrrggbb by place; those that are on
  bool changed_ = false;
  double told_ = -1;  // [s]
};

}  // namespace gradus

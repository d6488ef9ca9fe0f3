/// ALLeds: lights of the robot's body by the names of their groups, with fades in simulated time.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "link/lights.h"
#include "link/naoqi/arguments.h"

namespace gradus::naoqi {

class Leds {
 public:
  /// Seconds that the call blocks. Throws CallFault.
  double call(const std::string& method, const json& arguments, double now);
  /// Fades as far as they are at time `now`.
  void update(double now);
  Lights& lights() { return lights_; }

 private:
  using Colour = std::array<double, 3>;  // 0 … 1
  struct Fade {
    std::string place;
    Colour from, to;
    double start, duration;  // [s]
  };
  void fade(const std::string& group, const Colour& to, double start, double duration);
  void show(const std::string& place, const Colour& colour);

  std::map<std::string, Colour> now_;
  std::vector<Fade> fades_;
  Lights lights_;
};

}  // namespace gradus::naoqi

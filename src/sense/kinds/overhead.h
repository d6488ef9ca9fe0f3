/// A camera above the field and the program behind it, as small-size and MiroSot leagues share one: where robots and ball
/// are, seen from above [facts/wheeled.md]. The sensor may be on any robot; what it tells is in world axes.
#pragma once
#include "sense/sense.h"

namespace gradus::sense {

/// Of each robot of the scene (the ball is one) four channels: seen (0 or 1), x, y and heading of its base.
///
///   seen     inside the area, and uniform ≥ miss, by sample and robot; what is not seen has zeros
///   noise    x += σ w₁, y += σ w₂, heading += σ_h w₃
///
/// Rate, phase and delay are those of any sensor. What drivers of a group see is such a sensor too [engine/groups.h].
struct Overhead {
  static constexpr std::string_view name = "overhead", about = "places of ball and robots, by a camera above the field";
  static constexpr Dimension unit = dimension::kNumber;
  static constexpr Key keys[] = {
      {"sees", dimension::kNumber, false, 0, 0, 0, "names of robots; all of the scene if not given"},
      {"area", dimension::kLength, false, 4, -1e9, 1e9, "that is in view: least x and y, most x and y; everything if not given"},
      {"noise.position", dimension::kLength, false, 1, 0, 10, "standard deviation of x and of y"},
      {"noise.heading", dimension::kAngle, false, 1, 0, 3.2, "standard deviation"},
      {"miss", dimension::kNumber, false, 1, 0, 1, "chance that a robot is not seen in a frame"}};
  enum Channels { kSeen, kX, kY, kHeading, kChannels };  // of each robot
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
  static void perceive(const Sensor& s, std::int64_t sample, const double* truth, double* z);
};

}  // namespace gradus::sense

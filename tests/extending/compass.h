/// The example of docs/extending.md: a sensor in one file, a compass that shows the heading in degrees of angle.
#pragma once
#include "sense/sense.h"

namespace gradus::test {

struct Compass {
  static constexpr std::string_view name = "compass", about = "heading against magnetic north";
  static constexpr Dimension unit = dimension::kAngle;
  static constexpr sense::Key keys[] = {
      {"declination", dimension::kAngle, false, 1, -4, 4, "of magnetic north from the world's x axis; 0 if not given"}};
  static void bind(sense::Binding& b) {
    b.channel("heading", "rad");
    b.keep(b.number("declination", 0));
  }
  static void truth(const sense::Surroundings& w, const sense::Sensor& s, double* /*own*/, double* x) {
    x[0] = to_roll_pitch_yaw(to_quaternion(w.frame(s.link).R * s.X_LS.R)).z - s.numbers[0];
  }
};

}  // namespace gradus::test

/// Sensors of distance: sonar, laser scanner, and heights of the ground around a robot.
#pragma once
#include "sense/sense.h"

namespace gradus::sense {

/// Least distance in a cone about its x axis: 37 rays (1 + 6 + 12 + 18); one counts if it meets the surface at less than
/// `slant` from the normal, since a smooth wall at a slant does not answer [facts/sensors.md 8].
struct Sonar {
  static constexpr std::string_view name = "sonar", about = "least distance in a cone";
  static constexpr Dimension unit = dimension::kLength;
  static constexpr Key keys[] = {
      {"cone", dimension::kAngle, false, 1, 0, 3.14, "full angle; 60 deg if not given"},
      {"slant", dimension::kAngle, false, 1, 0, 1.5707963267948966, "beyond which a surface does not answer; 40 deg if not given"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Distances by rays in its xy plane, from right to left; all at one instant, or in a sweep that ends with the sample:
/// each ray then looks at the step in which its time falls, at robots and ball as they are in it.
struct Laser {
  static constexpr std::string_view name = "laser", about = "distances by rays, from right to left";
  static constexpr Dimension unit = dimension::kLength;
  static constexpr Key keys[] = {
      {"view", dimension::kAngle, false, 1, 0, 6.283185307179587, "from the first ray to the last; 240 deg if not given"},
      {"rays", dimension::kNumber, false, 1, 1, 2048, "how many; 683 if not given"},
      {"sweep", dimension::kTime, false, 1, 0, 10, "time from the first ray to the last, which is the sample's; 0 if not given"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// Depth of the ground under its place at the points of a grid that turns with its heading: z of the sensor less z of the
/// static world; the robot itself is not seen. Row by row from behind to the front, each from right to left.
struct HeightScan {
  static constexpr std::string_view name = "height_scan", about = "depth of the ground at a grid of points";
  static constexpr Dimension unit = dimension::kLength;
  static constexpr Key keys[] = {
      {"size", dimension::kLength, false, 2, 0, 100, "of the grid, along x and y; 1.6 m and 1 m if not given"},
      {"points", dimension::kNumber, false, 2, 1, 64, "along x and y; 17 and 11 if not given"},
      {"above", dimension::kLength, false, 1, 0, 100, "its place it begins to look; 1 m if not given"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// The static world under points that move with objects of the robot: height and normal, in world axes.
struct GroundUnder {
  static constexpr std::string_view name = "ground", about = "height and slope of the ground under chosen objects";
  static constexpr Dimension unit = dimension::kLength;
  static constexpr Key keys[] = {
      {"under", dimension::kNumber, false, 0, 0, 0, "objects of the robot; the one that carries the sensor if not given"},
      {"above", dimension::kLength, false, 1, 0, 1000, "ground may be this much higher than the object; 0.5 m if not given"},
      {"apart", dimension::kLength, false, 1, 1e-4, 1, "of the places from which the slope is found; 2 cm if not given"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

}  // namespace gradus::sense

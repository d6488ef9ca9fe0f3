/// Perceived objects: where the ball, other robots and goal posts are, as a program that looks at images would find
/// them, without an image [facts/sensors.md 10; docs/sensors.md].
#pragma once
#include "sense/sense.h"

namespace gradus::sense {

/// Of each object four channels: seen (the share of it that is in view and not hidden), distance, azimuth (to the left)
/// and elevation of its centre in the sensor's axes, x ahead, z up.
///
///   in view     |azimuth| and |elevation| within half the view, distance within near and far
///   seen share  of eight points of it, those whose line of sight meets nothing else before
///   recognised  uniform < recognised · min(1, share/½), by sample and object
///   noise       d += σ_d d w₁, azimuth += σ_a w₂, elevation += σ_e w₃
///   elsewhere   an object that is not recognised is reported with false_alarms, anywhere in view
///
///
/// Parts of robots (`parts`, objects of theirs) are objects of their own, named ROBOT.PART. A field line is two: the ends
/// LINE.a and LINE.b of the piece of it that is seen, of sixteen points along it; unseen, the ends of the line.
///
/// The truth is exact and of all objects, seen or not; so detail = "ideal" is ground truth.
struct Objects {
  static constexpr std::string_view name = "objects", about = "distance and direction of ball, robots and goal posts";
  static constexpr Dimension unit = dimension::kNumber;
  static constexpr Key keys[] = {
      {"sees", dimension::kNumber, false, 0, 0, 0, "ball, team, opponents, robots, goals, lines, or names of robots and field objects"},
      {"parts", dimension::kNumber, false, 0, 0, 0, "objects of the robots that are seen one by one: head, feet"},
      {"rounding.distance", dimension::kLength, false, 1, 0, 10, "of what is told; 0: none"},
      {"rounding.angle", dimension::kAngle, false, 1, 0, 3.2, "of what is told; 0: none"},
      {"view", dimension::kAngle, false, 2, 1e-3, 6.2831853072, "horizontal and vertical angle of view; all round if not given"},
      {"near", dimension::kLength, false, 1, 0, 1e6, "nothing is seen that is nearer"},
      {"far", dimension::kLength, false, 1, 0, 1e6, "nothing is seen that is farther"},
      {"occlusion", dimension::kNumber, false, 1, 0, 1, "0: things are seen through others; 1 if not given"},
      {"recognised", dimension::kNumber, false, 1, 0, 1, "how often what can be seen is recognised; 1 if not given"},
      {"false_alarms", dimension::kNumber, false, 1, 0, 1, "how often, in a sample, an object that is not recognised is seen anywhere"},
      {"noise.distance", dimension::kNumber, false, 1, 0, 10, "standard deviation, as a part of the distance"},
      {"noise.azimuth", dimension::kAngle, false, 1, 0, 3.2, "standard deviation"},
      {"noise.elevation", dimension::kAngle, false, 1, 0, 3.2, "standard deviation"},
      {"misplaced", dimension::kLength, false, 1, 0, 10, "error of each coordinate that is drawn once, uniform within ± this"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
  static void perceive(const Sensor& s, std::int64_t sample, const double* truth, double* z);
};

}  // namespace gradus::sense

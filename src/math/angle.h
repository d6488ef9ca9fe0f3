/// Angles from coordinates with the same bits on every machine, where the C library's functions differ between systems.
#pragma once

namespace gradus {

/// Angle of the point (x, y) from the x axis, −π … π; 0 at the origin. Error below 1e-15.
double arc_tangent(double y, double x);
/// Of a number within −1 … 1; beyond, of the nearer end.
double arc_sine(double x);
double arc_cosine(double x);  // the same

}  // namespace gradus

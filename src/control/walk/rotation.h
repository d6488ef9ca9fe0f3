/// Rotations about coordinate axes, with the sine and cosine that give the same bits everywhere.
#pragma once
#include "math/vec.h"

namespace gradus::walk {

inline double sine(double a) {
  double s, c;
  sine_cosine(a, s, c);
  return s;
}
inline double cosine(double a) {
  double s, c;
  sine_cosine(a, s, c);
  return c;
}
inline Mat3 rotation_x(double a) {
  const double s = sine(a), c = cosine(a);
  return {{1, 0, 0}, {0, c, s}, {0, -s, c}};
}
inline Mat3 rotation_y(double a) {
  const double s = sine(a), c = cosine(a);
  return {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
}
inline Mat3 rotation_z(double a) {
  const double s = sine(a), c = cosine(a);
  return {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}

}  // namespace gradus::walk

/// What the coordinates of a search mean: numbers between two bounds, straight or by powers.
///
///   linear:  x = low + (high − low) u        log:  x = low (high/low)^u,  for positive numbers over decades          (1)
#pragma once
#include <string>

namespace gradus::optimise {

struct Axis {
  std::string name;  // path of a parameter
  std::string unit;  // SI, as values are written; "": a plain number
  double low = 0, high = 1;
  bool decades = false;
};

double value_of(const Axis& axis, double u);       // u is reflected into 0 … 1
double coordinate_of(const Axis& axis, double x);  // x is brought between the bounds

}  // namespace gradus::optimise

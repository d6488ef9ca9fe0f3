#include "optimise/space.h"

#include <algorithm>

#include "math/power.h"
#include "optimise/optimiser.h"

namespace gradus::optimise {

double value_of(const Axis& a, double u) {
  u = reflected(u);
  const double x = a.decades ? a.low * exponential(u * natural_logarithm(a.high / a.low)) : a.low + (a.high - a.low) * u;
  return std::clamp(x, a.low, a.high);
}

double coordinate_of(const Axis& a, double x) {
  x = std::clamp(x, a.low, a.high);
  return a.decades ? natural_logarithm(x / a.low) / natural_logarithm(a.high / a.low) : (x - a.low) / (a.high - a.low);
}

}  // namespace gradus::optimise

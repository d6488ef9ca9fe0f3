#include "model/height_grid.h"

#include <algorithm>
#include <limits>

namespace gradus {

double height_at(const HeightGrid& g, double x, double y) {
  const double u = (x - g.x0) / g.dx, v = (y - g.y0) / g.dy;
  if (!(u >= 0 && v >= 0 && u <= g.nx - 1 && v <= g.ny - 1)) return std::numeric_limits<double>::quiet_NaN();
  const int i = std::min(static_cast<int>(u), g.nx - 2), j = std::min(static_cast<int>(v), g.ny - 2);
  const double* r = &g.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(g.nx) + static_cast<std::size_t>(i)];
  const double z00 = r[0], z10 = r[1], z01 = r[g.nx], z11 = r[g.nx + 1], a = u - i, b = v - j;
  return a >= b ? z00 + a * (z10 - z00) + b * (z11 - z10) : z00 + b * (z01 - z00) + a * (z11 - z01);
}

}  // namespace gradus

/// A rectangular grid of heights: what elevation maps load into and height fields are built from.
#pragma once
#include <vector>

namespace gradus {

/// What a cell with an unknown (NaN) corner becomes.
enum class UnknownHeights { hole, lowest_neighbour, refuse };

struct HeightGrid {
  int nx = 0, ny = 0;     // nodes
  double dx = 0, dy = 0;  // cell size                                                 [m]
  double x0 = 0, y0 = 0;  // node (0, 0) in the shape's frame                          [m]
  std::vector<double> z;  // (ny · nx) row j after row j − 1; NaN where unknown        [m]
};

/// Height of the surface over (x, y), each cell being two triangles along the diagonal (i, j)–(i + 1, j + 1); NaN
/// outside and where it is unknown.
double height_at(const HeightGrid& g, double x, double y);

}  // namespace gradus

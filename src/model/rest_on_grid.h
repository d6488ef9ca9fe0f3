/// How high a sphere must be to touch a grid of heights and not be in it.
#pragma once
#include "model/height_grid.h"

namespace gradus {

/// Height of the centre of a sphere over (x, y) that rests on the surface, coming down from above:
///   c = max over (u, v) within the radius of  h(u, v) + √(r² − (u − x)² − (v − y)²)
/// exact for the triangles of height_at. A point (r = 0) rests at height_at. NaN where nothing carries: outside, or over
/// cells with an unknown corner, which are open.
double rest_height(const HeightGrid& g, double x, double y, double radius);
/// The same where each height is a flat square cell around its node, with upright walls between [walls.h].
double rest_height_on_cells(const HeightGrid& g, double x, double y, double radius);

}  // namespace gradus

/// Elevation maps with upright walls: every height is a flat square cell around its node, and a step from cell to cell
/// is a vertical face, which no surface through nodes can have. Cells of one height are put together to rectangles,
/// and each of them is a box, down to kBelow under the lowest cell. Unknown heights are holes.
///
/// Rectangles: from the first cell left (rows of rising y, columns of rising x), as far along x as the height stays,
/// then as many rows as have it all along. Deterministic, not the fewest.
///
/// Boxes of one height meet in seams. A sphere of radius r that is pressed in by d beside a seam, within √(2 r d), is
/// touched by both boxes, by the farther one at its edge.
#pragma once
#include <cstddef>
#include <vector>

#include "model/spec.h"

namespace gradus {

inline constexpr double kBelow = 0.5;                 // [m]
inline constexpr std::size_t kMostWallBoxes = 20'000;  // of a map

struct FlatRectangle {
  int i0, i1, j0, j1;  // cells, both ends included
  double z;            // [m]
};
std::vector<FlatRectangle> flat_rectangles(const HeightGrid& grid);

/// The field with boxes, called NAME_0, NAME_1, …, in place of every height field that has walls.
std::vector<FieldObjectSpec> with_walls(const std::vector<FieldObjectSpec>& field, const std::vector<HeightMapSpec>& maps);

}  // namespace gradus

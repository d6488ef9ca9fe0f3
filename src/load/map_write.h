/// Elevation maps into files.
///
/// | file | what                                                                                     | holes        |
/// |------|------------------------------------------------------------------------------------------|--------------|
/// | .asc | ESRI grid; as many digits as reading them back to the same bits needs                    | NODATA −9999 |
/// | .png | 16-bit grey, black the lowest and white the highest: `offset` and `range` of MapRange    | transparent  |
/// | .stl | binary, the two triangles of each cell as they are touched, seen from above; not closed  | left out     |
#pragma once
#include <string>

#include "model/height_grid.h"

namespace gradus {

/// Of the known heights; both 0 if there are none.
struct MapRange {
  double lowest = 0, highest = 0;  // [m]
};
MapRange range_of(const HeightGrid& grid);

/// The extension says which format. "" or what went wrong.
std::string write_map(const std::string& path, const HeightGrid& grid);

}  // namespace gradus

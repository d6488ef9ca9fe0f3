/// Elevation maps from files, as a grid of heights in metres.
///
/// | file    | what                                                   | first row  | height of a value v                |
/// |---------|--------------------------------------------------------|------------|------------------------------------|
/// | .txt    | numbers, a line a row; blanks, tabs or commas; # notes | smallest y | offset + scale v                   |
/// | .npy    | NumPy, two dimensions, f4, f8 or i2, little endian     | smallest y | offset + scale v                   |
/// | .asc    | ESRI grid: ncols, nrows, cellsize, NODATA_value        | largest y  | offset + scale v                   |
/// | .png    | grey or colour (its luminance), 8 or 16 bit            | largest y  | offset + range v/white             |
/// | .hfield | MuJoCo: int32 rows, columns, then float32              | smallest y | offset + range (v − min)/(max − min) |
///
/// Columns run along x. NaN, NODATA and pixels of alpha below one half are unknown. The grid's middle lies at the
/// shape's origin unless an origin is given; xllcorner and yllcorner of .asc files are not used (they are often
/// kilometres away).
///
/// A matrix of ANYbotics' grid_map is laid out otherwise: rows run towards −x, columns towards −y, and row and column
/// `start` of the buffer come first, those before them last. Its buffer in a message is column by column; as a NumPy array
/// that is fortran_order, which .npy files may have.
///
/// Refused: more than 16 million heights, sizes that the file cannot hold, infinities, ragged rows.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/height_grid.h"

namespace gradus {

inline constexpr std::size_t kMapFileLimit = std::size_t{256} << 20;  // [byte]
inline constexpr std::size_t kMapNodeLimit = 16'000'000;

/// What a description says about its map; what is not given is 0 or empty.
struct MapImport {
  double cell[2] = {0, 0};                      // along x, y                                                      [m]
  double size[2] = {0, 0};                      // of the whole map, first to last node; instead of the cell       [m]
  std::optional<double> scale;                  // .txt .npy .asc: what 1 in the file measures, else 1 m           [m]
  std::optional<double> range;                  // .png .hfield: from black to white, lowest to highest            [m]
  double offset = 0;                            // added to all heights                                            [m]
  std::optional<std::array<double, 2>> origin;  // node of the smallest x and y, in the shape's frame  [m]
  bool grid_map = false;                        // rows of the file run towards −x, columns towards −y
  int start[2] = {0, 0};                        // row and column of its first, as a circular buffer's indices
  Place place;                                  // where the description names the file
};

Result<HeightGrid> load_map(const std::string& path, const MapImport& import);
/// The same from bytes in memory; `path` gives the format by its extension and the messages their file.
Result<HeightGrid> parse_map(const std::string& path, std::string_view bytes, const MapImport& import);

}  // namespace gradus

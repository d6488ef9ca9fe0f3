#include "load/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "load/map_formats.h"

namespace gradus {
namespace {

std::string lower_case_extension(const std::string& path) {
  std::string e = std::filesystem::path(path).extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return e;
}

void read_format(const std::string& path, std::string_view bytes, RawMap& map, ProblemList& problems) {
  const std::string kind = lower_case_extension(path);
  const Place file{path, 0, 0};
  if (kind == ".txt" || kind == ".csv")
    read_text_map(bytes, LineMap(path, bytes), map, problems);
  else if (kind == ".asc")
    read_asc_map(bytes, LineMap(path, bytes), map, problems);
  else if (kind == ".npy")
    read_npy_map(bytes, file, map, problems);
  else if (kind == ".hfield" || kind == ".bin")
    read_hfield_map(bytes, file, map, problems);
  else if (kind == ".png")
    read_png_map(bytes, file, map, problems);
  else
    problems.error(file, "maps of this kind cannot be read", "use .txt, .asc, .png, .npy or .hfield");
}

/// The numbers that the description must or must not give for this kind of file.
void check_import(const RawMap& map, const MapImport& in, ProblemList& problems) {
  if (map.is_fraction && !in.range)
    problems.error(in.place, "the heights of this map have no unit",
                   "add range = \"… m\", from its lowest to its highest value");
  if (map.is_fraction && in.scale) problems.error(in.place, "this map has a range, not a scale", "remove scale");
  if (!map.is_fraction && in.range) problems.error(in.place, "this map has a scale, not a range", "remove range");
  if (in.cell[0] <= 0 && in.size[0] <= 0 && map.cell <= 0)
    problems.error(in.place, "the map does not say how far its heights are apart", "add cell = \"… cm\"");
  for (const double x : {in.scale.value_or(1), in.range.value_or(1), in.offset})
    if (!std::isfinite(x)) problems.error(in.place, "scale, range and offset must be finite");
}

double cell_of(const RawMap& map, const MapImport& in, int axis) {
  const int nodes = axis == 0 ? map.nx : map.ny;
  if (in.cell[axis] > 0) return in.cell[axis];
  return in.size[axis] > 0 ? in.size[axis] / (nodes - 1) : map.cell;
}

/// Rows of grid_map, a row a step towards −x, become columns; everything begins at the smallest x and y.
RawMap turned(const RawMap& in, const int (&start)[2]) {
  RawMap out = in;
  out.first_row_is_top = false;
  const int rows = in.ny, columns = in.nx;
  out.nx = rows, out.ny = columns;
  for (int j = 0; j < out.ny; ++j)
    for (int i = 0; i < out.nx; ++i) {
      const int row = (rows - 1 - i + start[0]) % rows, column = (columns - 1 - j + start[1]) % columns;
      out.z[static_cast<std::size_t>(j) * static_cast<std::size_t>(out.nx) + static_cast<std::size_t>(i)] =
          in.z[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
    }
  return out;
}

HeightGrid placed(RawMap map, const MapImport& in) {
  if (in.grid_map) map = turned(map, in.start);
  HeightGrid g;
  g.nx = map.nx, g.ny = map.ny;
  g.dx = cell_of(map, in, 0), g.dy = cell_of(map, in, 1);
  g.x0 = in.origin ? (*in.origin)[0] : -0.5 * g.dx * (g.nx - 1);
  g.y0 = in.origin ? (*in.origin)[1] : -0.5 * g.dy * (g.ny - 1);
  const double scale = map.is_fraction ? in.range.value_or(1) : in.scale.value_or(1);
  for (double& z : map.z) z = in.offset + scale * z;
  g.z = std::move(map.z);
  if (map.first_row_is_top)
    for (int j = 0; j < g.ny / 2; ++j)
      std::swap_ranges(g.z.begin() + std::ptrdiff_t{j} * g.nx, g.z.begin() + std::ptrdiff_t{j + 1} * g.nx,
                       g.z.begin() + std::ptrdiff_t{g.ny - 1 - j} * g.nx);
  return g;
}

}  // namespace

bool allowed_size(std::size_t nx, std::size_t ny, const Place& place, ProblemList& problems) {
  if (nx < 2 || ny < 2) {
    problems.error(place, fmt::format("the map has {} × {} heights", nx, ny), "a map has at least 2 × 2");
    return false;
  }
  if (nx > kMapNodeLimit || ny > kMapNodeLimit / nx) {
    problems.error(place, fmt::format("the map has {} × {} heights, more than {}", nx, ny, kMapNodeLimit),
                   "cut it or make it coarser");
    return false;
  }
  return true;
}

Result<HeightGrid> parse_map(const std::string& path, std::string_view bytes, const MapImport& import) {
  ProblemList problems;
  RawMap map;
  read_format(path, bytes, map, problems);
  if (problems.error_count() == 0) {
    check_import(map, import, problems);
    if (std::none_of(map.z.begin(), map.z.end(), [](double z) { return std::isfinite(z); }))
      problems.error({path, 0, 0}, "the map knows no height at all", "check the file");
  }
  const bool sound = problems.error_count() == 0;
  Diagnostics notes = std::move(problems).take({path, 0, 0});
  if (!sound) return notes;
  return {placed(std::move(map), import), std::move(notes)};
}

Result<HeightGrid> load_map(const std::string& path, const MapImport& import) {
  const Result<std::string> bytes = read_bytes(path, kMapFileLimit);
  if (!bytes) return bytes.notes();
  return parse_map(path, *bytes, import);
}

}  // namespace gradus

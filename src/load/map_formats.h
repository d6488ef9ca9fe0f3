/// The formats of elevation maps, each read into the same raw form.
#pragma once
#include <string_view>
#include <vector>

#include "load/source_text.h"

namespace gradus {

/// Values as a file holds them, not yet heights.
struct RawMap {
  int nx = 0, ny = 0;
  std::vector<double> z;          // (ny · nx) in the order of the file; NaN: unknown
  bool first_row_is_top = false;  // of the largest y
  bool is_fraction = false;       // 0 … 1 of a range, not lengths
  double cell = 0;                // [m] where the file knows it
};

/// May a map have so many nodes? Reports and answers false if not. Called before anything is allocated for them.
bool allowed_size(std::size_t nx, std::size_t ny, const Place& place, ProblemList& problems);

void read_text_map(std::string_view bytes, const LineMap& lines, RawMap& map, ProblemList& problems);
void read_asc_map(std::string_view bytes, const LineMap& lines, RawMap& map, ProblemList& problems);
void read_npy_map(std::string_view bytes, const Place& file, RawMap& map, ProblemList& problems);
void read_hfield_map(std::string_view bytes, const Place& file, RawMap& map, ProblemList& problems);
void read_png_map(std::string_view bytes, const Place& file, RawMap& map, ProblemList& problems);

}  // namespace gradus

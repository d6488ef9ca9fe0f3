/// Numbers of a log over time. An .mcap log is run again, so every property can be had, not only those that were
/// recorded; a .csv holds what it holds.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "io/csv.h"
#include "world/world.h"

namespace gradus::cli {

struct Samples {
  std::vector<CsvColumn> columns;           // time first
  std::vector<std::vector<double>> values;  // (columns) each over time
};

/// patterns empty: base and joints of every robot (.mcap), all columns (.csv). rate: samples per simulated second of an
/// .mcap log, 0: as often as it was recorded. Nothing after errors, which were printed.
std::optional<Samples> read_samples(const std::string& log, const std::vector<std::string>& patterns, double rate);

}  // namespace gradus::cli

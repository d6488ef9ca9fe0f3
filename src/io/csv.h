/// Tables of numbers as CSV [RFC 4180]: a header row with units ("blue1.l_knee.q [rad]"), then one row per sample, each
/// number with the fewest digits that read back as the same double, whatever the locale.
///
/// A disk that is full ends the table after its last whole row: the rest is dropped and error() says why.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/sink.h"

namespace gradus {

struct CsvColumn {
  std::string name;  // "blue1.l_knee.q"
  std::string unit;  // "rad"; empty: none
};

class CsvWriter {
 public:
  static Result<CsvWriter> open(const std::string& path, std::span<const CsvColumn> columns);
  CsvWriter(std::unique_ptr<Sink> sink, std::span<const CsvColumn> columns);
  CsvWriter(CsvWriter&&) noexcept = default;
  CsvWriter& operator=(CsvWriter&&) = delete;
  ~CsvWriter();  // closes

  /// False: not written, see error(); or not as many values as columns.
  bool row(std::span<const double> values);
  bool flush();
  bool close();  // false if anything was ever lost
  const std::string& error() const { return error_; }

 private:
  void fail(std::size_t written);

  std::unique_ptr<Sink> sink_;  // empty once closed or moved from
  std::size_t column_count_;
  std::uint64_t position_ = 0;  // bytes in the file, whole rows
  std::string buffer_;          // whole rows not yet in the file
  std::string error_;
};

struct CsvTable {
  std::vector<std::string> columns;       // as in the header: "blue1.l_knee.q [rad]"
  std::vector<std::vector<double>> rows;  // each as long as columns
};

/// Reads a table back; all malformed rows are reported, as file:line:column.
Result<CsvTable> read_csv(const std::string& path);
Result<CsvTable> parse_csv(std::string_view text, const std::string& file);

}  // namespace gradus

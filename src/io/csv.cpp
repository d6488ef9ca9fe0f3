#include "io/csv.h"

#include <charconv>
#include <utility>

#include "base/number_text.h"
#include "io/random_file.h"

namespace gradus {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 30;
constexpr std::size_t kMaxProblems = 100;

void append_cell(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string header_row(std::span<const CsvColumn> columns) {
  std::string out;
  for (const CsvColumn& column : columns) {
    if (&column != columns.data()) out += ',';
    append_cell(out, column.unit.empty() ? column.name : column.name + " [" + column.unit + "]");
  }
  return out += '\n';
}

/// One line's cells, one by one.
class CsvLine {
 public:
  CsvLine(std::string_view text, std::size_t& position) : text_(text), position_(position) {}
  bool more() const { return more_; }

  /// The next cell; afterwards position is behind its comma or at its line end.
  std::string cell() {
    std::string out;
    bool quoted = position_ < text_.size() && text_[position_] == '"';
    if (quoted) ++position_;
    for (; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (quoted && c == '"') {
        const bool twice = position_ + 1 < text_.size() && text_[position_ + 1] == '"';
        quoted = twice;
        if (!twice) continue;
        ++position_;
      } else if (!quoted && (c == ',' || c == '\n')) {
        break;
      }
      out += c;
    }
    more_ = position_ < text_.size() && text_[position_] == ',';
    if (position_ < text_.size()) ++position_;
    if (!more_ && out.ends_with('\r')) out.pop_back();
    return out;
  }

 private:
  std::string_view text_;
  std::size_t& position_;
  bool more_ = true;
};

Diagnostic problem(const std::string& file, int line, std::size_t column, std::string text) {
  Diagnostic d;
  d.place = {file, line, static_cast<int>(column)};
  d.text = std::move(text);
  return d;
}

std::vector<double> parse_row(CsvLine& cells, const std::string& file, int line, Diagnostics& problems) {
  std::vector<double> row;
  while (cells.more()) {
    const std::string cell = cells.cell();
    double value = 0;
    const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (code != std::errc{} || end != cell.data() + cell.size()) {
      problems.push_back(problem(file, line, row.size() + 1, "'" + cell + "' is not a number"));
    }
    row.push_back(value);
  }
  return row;
}

}  // namespace

Result<CsvWriter> CsvWriter::open(const std::string& path, std::span<const CsvColumn> columns) {
  Result<std::unique_ptr<Sink>> sink = open_file_sink(path);
  if (!sink) return sink.notes();
  CsvWriter writer(std::move(*sink), columns);
  if (!writer.flush()) return file_error(path, "cannot be written: " + writer.error());
  return writer;
}

CsvWriter::CsvWriter(std::unique_ptr<Sink> sink, std::span<const CsvColumn> columns)
    : sink_(std::move(sink)), column_count_(columns.size()), buffer_(header_row(columns)) {}

CsvWriter::~CsvWriter() { close(); }

bool CsvWriter::row(std::span<const double> values) {
  if (!sink_ || values.size() != column_count_) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) buffer_ += ',';
    append_number(buffer_, values[i]);
  }
  buffer_ += '\n';
  return buffer_.size() < kBufferBytes || flush();
}

bool CsvWriter::flush() {
  if (!sink_) return false;
  const std::size_t written = sink_->write(as_byte_view(buffer_));
  if (written != buffer_.size()) {
    fail(written);
    return false;
  }
  position_ += written;
  buffer_.clear();
  return true;
}

/// Keeps the whole rows among the bytes that were still taken, and ends the file.
void CsvWriter::fail(std::size_t written) {
  error_ = sink_->error();
  const std::size_t row_end = std::string_view(buffer_).substr(0, written).rfind('\n');
  sink_->truncate(position_ + (row_end == std::string_view::npos ? 0 : row_end + 1));
  sink_->close();
  sink_.reset();
}

bool CsvWriter::close() {
  flush();
  if (sink_ && !sink_->close()) error_ = sink_->error();
  sink_.reset();
  return error_.empty();
}

Result<CsvTable> read_csv(const std::string& path) {
  Result<RandomFile> file = RandomFile::open(path);
  if (!file) return file.notes();
  if (file->size() > kMaxFileBytes) return file_error(path, "is too large to be read");
  Bytes bytes(static_cast<std::size_t>(file->size()));
  if (!file->read(0, bytes)) return file_error(path, "cannot be read");
  return parse_csv(as_text(bytes), path);
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& file) {
  if (text.empty()) return file_error(file, "is empty: a header row is missing");
  CsvTable table;
  Diagnostics problems;
  std::size_t position = 0;
  CsvLine header(text, position);
  while (header.more()) table.columns.push_back(header.cell());
  for (int line = 2; position < text.size() && problems.size() < kMaxProblems; ++line) {
    CsvLine cells(text, position);
    std::vector<double> row = parse_row(cells, file, line, problems);
    if (row.size() != table.columns.size()) {
      problems.push_back(
          problem(file, line, 1,
                  "has " + std::to_string(row.size()) + " values, the header " + std::to_string(table.columns.size())));
    }
    table.rows.push_back(std::move(row));
  }
  if (!problems.empty()) return problems;
  return table;
}

}  // namespace gradus

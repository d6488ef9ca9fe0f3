/// Maps as text: a plain matrix, and ESRI's grid with its header.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "load/map.h"
#include "load/map_formats.h"

namespace gradus {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kBlank = " \t\r,;";

/// Words of a text, one after the other, with their offsets.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  /// Next word on this line; empty at its end.
  std::string_view on_line() {
    at_ = std::min(text_.find_first_not_of(kBlank, at_), text_.size());
    if (at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '#') return {};
    start_ = at_;
    at_ = std::min(text_.find_first_of(" \t\r,;\n#", at_), text_.size());
    return text_.substr(start_, at_ - start_);
  }
  /// Next word on this line or a later one; empty at the end of the text.
  std::string_view next() {
    for (;;) {
      const std::string_view word = on_line();
      if (!word.empty() || !next_line()) return word;
    }
  }
  bool next_line() {
    const std::size_t end = text_.find('\n', at_);
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
    return end != std::string_view::npos;
  }
  std::size_t start() const { return start_; }
  std::size_t at() const { return at_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0, start_ = 0;
};

bool read_height(std::string_view word, std::size_t offset, const LineMap& lines, double& z, ProblemList& problems) {
  const std::optional<double> x = parse_number(word);
  z = x.value_or(0);
  if (x && !std::isinf(*x)) return true;
  if (!problems.full())
    problems.error(lines.at(offset), in_quotes(word) + " is not a height",
                   "write a number, or nan where it is unknown");
  return false;
}

std::string lower(std::string_view word) {
  std::string s(word);
  std::transform(s.begin(), s.end(), s.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return s;
}

struct AscHeader {
  double ncols = 0, nrows = 0, cellsize = 0, nodata = kUnknown;
  std::size_t last = 0;  // offset of the first height
};

bool is_whole(double x) { return x >= 1 && x <= 1e9 && x == std::floor(x); }

/// Keys and values, in any order and case, until a word that is a number.
AscHeader read_header(Words& words, const LineMap& lines, ProblemList& problems) {
  AscHeader h;
  for (;;) {
    const Words before = words;
    const std::string_view word = words.next();
    if (word.empty() || parse_number(word)) {
      words = before;
      return h;
    }
    const std::size_t start = words.start();
    const std::string key = lower(word);
    const std::optional<double> value = parse_number(words.on_line());
    if (!value && !problems.full()) problems.error(lines.at(start), in_quotes(word) + " has no number", "");
    if (key == "ncols")
      h.ncols = value.value_or(0);
    else if (key == "nrows")
      h.nrows = value.value_or(0);
    else if (key == "cellsize")
      h.cellsize = value.value_or(0);
    else if (key == "nodata_value")
      h.nodata = value.value_or(kUnknown);
    else if (key != "xllcorner" && key != "yllcorner" && key != "xllcenter" && key != "yllcenter" && !problems.full())
      problems.error(lines.at(start), "unknown key " + in_quotes(word) + " in the header",
                     "known: ncols, nrows, xllcorner, yllcorner, xllcenter, yllcenter, cellsize, NODATA_value");
  }
}

}  // namespace

void read_text_map(std::string_view bytes, const LineMap& lines, RawMap& map, ProblemList& problems) {
  Words words(bytes);
  std::size_t nx = 0, ny = 0;
  do {
    std::size_t count = 0, first = words.at();
    for (std::string_view word = words.on_line(); !word.empty(); word = words.on_line()) {
      if (count++ == 0) first = words.start();
      double z = 0;
      read_height(word, words.start(), lines, z, problems);
      map.z.push_back(z);
      if (map.z.size() > kMapNodeLimit)
        return problems.error(lines.whole_file(), fmt::format("the map has more than {} heights", kMapNodeLimit),
                              "cut it or make it coarser");
    }
    if (count == 0) continue;
    if (ny++ == 0)
      nx = count;
    else if (count != nx && !problems.full())
      problems.error(lines.at(first), fmt::format("row {} has {} heights, the first row has {}", ny, count, nx),
                     "all rows must be equally long");
  } while (words.next_line());
  if (problems.error_count() > 0 || !allowed_size(nx, ny, lines.whole_file(), problems)) return;
  map.nx = static_cast<int>(nx), map.ny = static_cast<int>(ny);
}

void read_asc_map(std::string_view bytes, const LineMap& lines, RawMap& map, ProblemList& problems) {
  Words words(bytes);
  const AscHeader h = read_header(words, lines, problems);
  if (!is_whole(h.ncols) || !is_whole(h.nrows))
    return problems.error(lines.whole_file(), "the header lacks a whole number of ncols or nrows",
                          "write ncols 50 and nrows 40");
  if (!(h.cellsize > 0 && std::isfinite(h.cellsize)))
    return problems.error(lines.whole_file(), "the header lacks a cellsize above 0", "write cellsize 0.04 (metres)");
  const auto nx = static_cast<std::size_t>(h.ncols), ny = static_cast<std::size_t>(h.nrows);
  if (!allowed_size(nx, ny, lines.whole_file(), problems)) return;
  if (nx * ny > bytes.size() / 2 + 1)  // a height takes a digit and a blank
    return problems.error(lines.whole_file(),
                          fmt::format("{} × {} heights cannot be in {} bytes", nx, ny, bytes.size()), "");
  map.z.reserve(nx * ny);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    double z = 0;
    if (map.z.size() == nx * ny)
      return problems.error(lines.at(words.start()), fmt::format("more than {} × {} heights", nx, ny),
                            "check ncols and nrows");
    read_height(word, words.start(), lines, z, problems);
    map.z.push_back(z == h.nodata ? kUnknown : z);
  }
  if (map.z.size() != nx * ny)
    problems.error(lines.whole_file(), fmt::format("{} heights instead of {} × {}", map.z.size(), nx, ny),
                   "check ncols and nrows");
  map.nx = static_cast<int>(nx), map.ny = static_cast<int>(ny);
  map.first_row_is_top = true;
  map.cell = h.cellsize;
}

}  // namespace gradus

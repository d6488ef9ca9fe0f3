/// What every reader of a foreign format (XML, STL, OBJ) needs: the bytes of a file with a limit on their number,
/// places as line and column, numbers that do not depend on the locale, and a list of problems that cannot grow without
/// bound.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gradus {

/// Bytes of a regular file of at most `limit` bytes. The size is checked before anything is read or allocated.
Result<std::string> read_bytes(const std::string& path, std::size_t limit);

/// Turns a byte offset into line and column (both from 1; columns count characters, not bytes, of UTF-8).
class LineMap {
 public:
  LineMap(std::string file, std::string_view text);
  Place at(std::size_t offset) const;
  Place whole_file() const { return {file_, 0, 0}; }

 private:
  std::string file_;
  std::string_view text_;
  struct Mark {
    int line = 1, column = 1;
  };
  void advance(Mark& mark, std::size_t from, std::size_t to) const;
  std::vector<Mark> marks_;  // place of every kBlock-th byte: little memory, whatever the number and length of lines
};

/// The whole text as one number ("+1.5", "1e-3", "nan" too: callers decide about non-finite ones), or nothing.
std::optional<double> parse_number(std::string_view text);

/// Offset of the first byte that is not UTF-8, or npos.
std::size_t first_invalid_utf8(std::string_view text);

/// Foreign text for a message: control characters become '?', long text is cut.
std::string in_quotes(std::string_view text, std::size_t longest = 60);

/// Problems in the order found. After `kShown` of them the rest is only counted, so that a broken file of a million
/// lines gives a readable answer.
class ProblemList {
 public:
  static constexpr std::size_t kShown = 100;
  void error(const Place& place, std::string text, std::string suggestion = "");
  void warning(const Place& place, std::string text, std::string suggestion = "");
  void append(const Diagnostics& others);
  std::size_t error_count() const { return error_count_; }
  bool full() const { return shown_.size() >= kShown; }
  /// Everything, with a last line that says how many were left out.
  Diagnostics take(const Place& whole_file) &&;

 private:
  void add(Diagnostic d);
  Diagnostics shown_;
  std::size_t error_count_ = 0;
  std::size_t left_out_errors_ = 0, left_out_warnings_ = 0;
};

}  // namespace gradus

#include "load/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>

namespace gradus {

Result<std::string> read_bytes(const std::string& path, std::size_t limit) {
  namespace fs = std::filesystem;
  const auto refuse = [&](std::string text, std::string suggestion) {
    return Diagnostics{{{path, 0, 0}, Severity::error, std::move(text), std::move(suggestion)}};
  };
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) return refuse("there is no such file", "check the path");
  if (!fs::is_regular_file(status)) return refuse("this is not a file", "give the path of a file");
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) return refuse("the file cannot be read: " + failure.message(), "check its permissions");
  if (size > limit) {
    return refuse(fmt::format("the file has {} bytes, more than the limit of {} MiB", size, limit >> 20),
                  "simplify it or split it");
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (!in || !in.read(bytes.data(), static_cast<std::streamsize>(size))) {
    return refuse("the file cannot be read", "check its permissions");
  }
  return bytes;
}

namespace {
constexpr std::size_t kBlock = 512;  // [byte] between two marks of a LineMap
}

LineMap::LineMap(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {
  Mark mark;
  for (std::size_t i = 0; i <= text.size(); i += kBlock) {
    marks_.push_back(mark);
    advance(mark, i, std::min(i + kBlock, text.size()));
  }
}

void LineMap::advance(Mark& mark, std::size_t from, std::size_t to) const {
  for (std::size_t i = from; i < to; ++i) {
    if (text_[i] == '\n') {
      ++mark.line;
      mark.column = 1;
    } else if ((static_cast<unsigned char>(text_[i]) & 0xc0) != 0x80) {  // not inside a UTF-8 character
      ++mark.column;
    }
  }
}

Place LineMap::at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  Mark mark = marks_[offset / kBlock];
  advance(mark, offset / kBlock * kBlock, offset);
  return {file_, mark.line, mark.column};
}

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (failure ==
      std::errc::result_out_of_range) {  // from_chars leaves the value alone: too small is 0, too large is inf
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
    return tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (failure != std::errc{}) return std::nullopt;
  return value;
}

namespace {

/// Length of the UTF-8 character that starts here, 0 if it is none [RFC 3629, section 4].
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) -> unsigned { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned a = byte(0), b = byte(1);
  if (a < 0x80) return 1;
  if (a >= 0xc2 && a <= 0xdf) return tail(1) ? 2 : 0;
  if (a >= 0xe0 && a <= 0xef) {
    const bool overlong = a == 0xe0 && b < 0xa0, surrogate = a == 0xed && b >= 0xa0;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (a >= 0xf0 && a <= 0xf4) {
    const bool overlong = a == 0xf0 && b < 0x90, beyond = a == 0xf4 && b >= 0x90;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string in_quotes(std::string_view text, std::size_t longest) {
  std::size_t end = std::min(text.size(), longest);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  std::string s(text.substr(0, end));
  for (char& c : s) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  if (first_invalid_utf8(s) != std::string_view::npos) {
    for (char& c : s) {
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    }
  }
  return "'" + s + (end < text.size() ? "…'" : "'");
}

void ProblemList::add(Diagnostic d) {
  const bool is_error = d.severity == Severity::error;
  if (is_error) ++error_count_;
  if (full()) {
    ++(is_error ? left_out_errors_ : left_out_warnings_);
  } else {
    shown_.push_back(std::move(d));
  }
}

void ProblemList::error(const Place& place, std::string text, std::string suggestion) {
  add({place, Severity::error, std::move(text), std::move(suggestion)});
}

void ProblemList::warning(const Place& place, std::string text, std::string suggestion) {
  add({place, Severity::warning, std::move(text), std::move(suggestion)});
}

void ProblemList::append(const Diagnostics& others) {
  for (const Diagnostic& d : others) add(d);
}

Diagnostics ProblemList::take(const Place& whole_file) && {
  const auto say = [&](std::size_t count, Severity severity, const char* kind) {
    if (count > 0) shown_.push_back({whole_file, severity, fmt::format("{} more {} not shown", count, kind), ""});
  };
  say(left_out_errors_, Severity::error, "errors are");
  say(left_out_warnings_, Severity::warning, "warnings are");
  return std::move(shown_);
}

}  // namespace gradus

/// Numbers as text for logs: the fewest digits that read back as the same double, whatever the locale.
#pragma once
#include <charconv>
#include <cmath>
#include <string>

namespace gradus {

/// "0.1", "-0", "1e+300", "nan", "inf".
inline void append_number(std::string& out, double value) {
  char buffer[32];  // the longest double, "-2.2250738585072014e-308", has 24
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

template <class Integer>
void append_integer(std::string& out, Integer value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

/// As above, but null for what JSON has no number for.
inline void append_json_number(std::string& out, double value) {
  if (std::isfinite(value)) {
    append_number(out, value);
  } else {
    out += "null";
  }
}

}  // namespace gradus

#include "link/usarsim/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace gradus::usarsim {
namespace {

constexpr std::size_t kMostSegments = 256;

std::string_view trimmed(std::string_view s) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

}  // namespace

const std::string* Line::find(std::string_view name) const {
  for (const auto& [key, value] : segments)
    if (key == name) return &value;
  return nullptr;
}

Line parse_line(std::string_view text) {
  Line out;
  text = trimmed(text);
  out.word = std::string(trimmed(text.substr(0, text.find_first_of(" \t{"))));
  std::transform(out.word.begin(), out.word.end(), out.word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (std::size_t at = text.find('{'); at != text.npos && out.segments.size() < kMostSegments;
       at = text.find('{', at)) {
    const std::size_t end = text.find('}', at);
    if (end == text.npos) break;
    const std::string_view inside = trimmed(text.substr(at + 1, end - at - 1));
    const std::size_t blank = std::min(inside.find_first_of(" \t"), inside.size());
    out.segments.emplace_back(std::string(inside.substr(0, blank)), std::string(trimmed(inside.substr(blank))));
    at = end;
  }
  return out;
}

bool read_number(std::string_view text, double& out) {
  text = trimmed(text);
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
  return fault == std::errc() && end == text.data() + text.size() && std::isfinite(out);
}

bool read_vector(std::string_view text, Vec3& out) {
  double x[3];
  for (int i = 0; i < 3; ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == text.npos) != (i == 2) || !read_number(text.substr(0, comma), x[i])) return false;
    if (i < 2) text.remove_prefix(comma + 1);
  }
  out = {x[0], x[1], x[2]};
  return true;
}

std::string written(Vec3 v) { return fmt::format("{:.4f},{:.4f},{:.4f}", v.x, v.y, v.z); }

}  // namespace gradus::usarsim

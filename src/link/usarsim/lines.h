/// USARSim's lines: WORD {Name Value} {Name Value} … [facts/nao.md 3.1]. And its axes: x forward, y to the right, z
/// down.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "math/vec.h"

namespace gradus::usarsim {

struct Line {
  std::string word;                                           // in capitals
  std::vector<std::pair<std::string, std::string>> segments;  // in their order
  /// The value of the first segment of this name; null: none.
  const std::string* find(std::string_view name) const;
};

/// Blanks inside braces are trimmed; what stands outside braces after the word is left out.
Line parse_line(std::string_view text);

/// One number, or three between commas; false: something else.
bool read_number(std::string_view text, double& out);
bool read_vector(std::string_view text, Vec3& out);

/// Between our axes (y left, z up) and theirs, both ways: a half turn about x.
inline Vec3 mirrored(Vec3 v) { return {v.x, -v.y, -v.z}; }

/// "1.0000,-2.0000,0.5000"
std::string written(Vec3 v);

}  // namespace gradus::usarsim

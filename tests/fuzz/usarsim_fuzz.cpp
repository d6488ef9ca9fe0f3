/// Any bytes as lines of USARSim, numbers and vectors.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "link/usarsim/lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const gradus::usarsim::Line line = gradus::usarsim::parse_line(std::string(text));
  std::size_t sum = line.word.size();
  for (const auto& [name, value] : line.segments) {
    sum += name.size() + value.size();
    double x = 0;
    gradus::Vec3 v;
    if (gradus::usarsim::read_number(value, x) && !std::isfinite(x)) std::abort();
    if (gradus::usarsim::read_vector(value, v) && !(std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z)))
      std::abort();
  }
  if (sum > size) std::abort();
  return 0;
}

#include "link/lights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gradus {
namespace {

constexpr double kPeriod = 0.1;  // between two notices, at least  [s]

std::uint32_t byte_of(double share) {
  return std::isfinite(share) ? static_cast<std::uint32_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))) : 0;
}

}  // namespace

void Lights::set(std::string_view place, double red, double green, double blue) {
  const std::uint32_t colour = byte_of(red) << 16 | byte_of(green) << 8 | byte_of(blue);
  const auto it = colours_.find(place);
  if (colour == (it == colours_.end() ? 0 : it->second)) return;
  changed_ = true;
  if (colour == 0)
    colours_.erase(it);
  else if (it != colours_.end())
    it->second = colour;
  else
    colours_.emplace(std::string(place), colour);
}

std::string Lights::text() const {
  std::string out;
  for (const auto& [place, colour] : colours_)
    out += fmt::format("{} {} #{:06x}", out.empty() ? "lights:" : ",", place, colour);
  return out.empty() ? "lights: off" : out;
}

void Lights::tell(const std::string& robot, double time, std::vector<LinkNotice>& out) {
  if (!changed_ || (told_ >= 0 && time < told_ + kPeriod - 1e-9)) return;
  changed_ = false;
  told_ = time;
  out.push_back({robot, "light", text()});
}

}  // namespace gradus

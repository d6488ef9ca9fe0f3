#include "link/program/image_frames.h"

#include <algorithm>
#include <bit>

namespace gradus {
namespace {

constexpr std::size_t kName = 16;

void append_image(std::uint32_t camera, std::span<const SensorImage> formats, Bytes& out) {
  append_le(out, camera);
  append_le(out, static_cast<std::uint32_t>(formats.size()));
  append_le(out, static_cast<std::uint64_t>(formats[0].frame));
  append_le(out, std::bit_cast<std::uint64_t>(formats[0].time));
  for (const SensorImage& i : formats) {
    char name[kName]{};
    std::string_view(i.format).copy(name, kName - 1);
    append_bytes(out, std::as_bytes(std::span(name)));
    append_le(out, static_cast<std::uint32_t>(i.width));
    append_le(out, static_cast<std::uint32_t>(i.height));
    append_le(out, static_cast<std::uint32_t>(i.row_bytes));
    append_le(out, static_cast<std::uint32_t>(i.bytes.size()));
    append_bytes(out, std::as_bytes(i.bytes));
  }
}

}  // namespace

std::string ImageFrames::fault(std::span<const SensorReading> sensors) const {
  for (const std::string& name : cameras_)
    if (std::none_of(sensors.begin(), sensors.end(), [&](const SensorReading& s) { return s.name == name && s.images; }))
      return "there are no images of '" + name.substr(0, 60) + "': the robot has no such camera";
  return "";
}

void ImageFrames::append(std::span<const SensorReading> sensors, Bytes& out) {
  const std::size_t count_at = out.size();
  std::uint32_t count = 0;
  append_le(out, count);
  next_ = last_;
  for (std::size_t c = 0; c < cameras_.size(); ++c)
    for (const SensorReading& s : sensors) {
      if (s.name != cameras_[c] || !s.images) continue;
      const std::span<const SensorImage> formats = s.image();
      if (formats.empty() || formats[0].frame == last_[c]) continue;
      next_[c] = formats[0].frame, ++count;
      append_image(static_cast<std::uint32_t>(c), formats, out);
    }
  put_le(out, count_at, count);
}

}  // namespace gradus

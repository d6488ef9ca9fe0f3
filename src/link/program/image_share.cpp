#include "link/program/image_share.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/number_text.h"

namespace gradus {
namespace {

constexpr int kSlots = 3;

bool write_all(int file, std::span<const std::uint8_t> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n)), at += static_cast<std::uint64_t>(n);
  }
  return true;
}

}  // namespace

ImageShare::~ImageShare() {
  if (file_ >= 0) close(file_);
}

bool ImageShare::open() {
  if (file_ < 0) file_ = memfd_create("gradus images", MFD_CLOEXEC);
  return file_ >= 0;
}

std::string ImageShare::fault(std::span<const SensorReading> sensors) const {
  for (const std::string& name : wanted_)
    if (std::none_of(sensors.begin(), sensors.end(), [&](const SensorReading& s) { return s.name == name && s.images; }))
      return "asked for images of '" + name.substr(0, 60) + "', and the robot has no such camera";
  return "";
}

void ImageShare::append(const SensorReading& s, std::string& line) {
  if (!s.images || std::find(wanted_.begin(), wanted_.end(), s.name) == wanted_.end()) return;
  const std::span<const SensorImage> formats = s.image();
  if (formats.empty()) return;
  Place& p = places_[std::string(s.name)];
  if (p.frame == formats[0].frame || !open()) return;
  std::uint64_t bytes = 0;
  for (const SensorImage& i : formats) bytes += i.bytes.size();
  if (bytes != p.bytes) {  // the first one
    p.at = size_, p.bytes = bytes;
    size_ += kSlots * bytes;
    if (ftruncate(file_, static_cast<off_t>(size_)) != 0) return;
  }
  std::uint64_t at = p.at + static_cast<std::uint64_t>(p.count % kSlots) * bytes;
  std::string list;
  for (const SensorImage& i : formats) {
    if (!write_all(file_, i.bytes, at)) return;
    list += list.empty() ? "" : ",";
    list += "{\"format\":\"" + std::string(i.format) + "\",\"width\":" + std::to_string(i.width) + ",\"height\":" +
            std::to_string(i.height) + ",\"row_bytes\":" + std::to_string(i.row_bytes) + ",\"offset\":" + std::to_string(at) +
            ",\"bytes\":" + std::to_string(i.bytes.size()) + "}";
    at += i.bytes.size();
  }
  p.frame = formats[0].frame, ++p.count;
  line += ",\"image\":{\"file\":\"/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_) +
          "\",\"frame\":" + std::to_string(p.frame) + ",\"time\":";
  append_json_number(line, formats[0].time);
  line += ",\"formats\":[" + list + "]}";
}

}  // namespace gradus

/// Images for programs outside: in memory that they can read, while the line tells where. A program asks once with
/// {"images": ["camera_top"]} and from then on finds, in the first line after an image has arrived,
///   "image": {"file": "/proc/PID/fd/N", "frame": 12, "time": 0.4, "formats": [{"format": "yuyv", "width": 640,
///             "height": 480, "row_bytes": 1280, "offset": 0, "bytes": 614400}]}
/// in its camera's place of `sensors`. The file is a memory file of gradus: nothing is written to a disk, nothing is left
/// behind. An image stays where it is while the next two of its camera come.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "state/controller.h"

namespace gradus {

class ImageShare {
 public:
  ImageShare() = default;
  ~ImageShare();
  ImageShare(const ImageShare&) = delete;
  ImageShare& operator=(const ImageShare&) = delete;

  /// Whose images are wanted from now on.
  void want(const std::vector<std::string>& cameras) { wanted_ = cameras; }
  /// "", or which camera is not there.
  std::string fault(std::span<const SensorReading> sensors) const;
  /// Puts a new image of the sensor, if one is wanted and has come, into the memory, and where it is into the line.
  void append(const SensorReading& sensor, std::string& line);

 private:
  struct Place {
    std::uint64_t at = 0, bytes = 0;  // of three slots of so many bytes
    std::int64_t frame = -1, count = 0;
  };
  bool open();

  std::vector<std::string> wanted_;
  std::map<std::string, Place, std::less<>> places_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace gradus

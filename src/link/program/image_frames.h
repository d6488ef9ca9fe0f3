/// Images behind the numbers of a binary state, for programs on any machine. All little-endian:
///
///   u32 images, and for each   u32 camera (number in the list that was asked for)   u32 formats   i64 frame   f64 time
///     for each format          16 bytes name, zeros behind it   u32 width   u32 height   u32 row_bytes   u32 bytes
///                              and the rows from the top
///
/// An image comes once, with the first state after its arrival.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "state/controller.h"

namespace gradus {

class ImageFrames {
 public:
  void want(std::vector<std::string> cameras) { cameras_ = std::move(cameras), last_.assign(cameras_.size(), -1); }
  bool wanted() const { return !cameras_.empty(); }
  /// "", or which camera is not there.
  std::string fault(std::span<const SensorReading> sensors) const;
  /// Those that have arrived and were not sent yet. `sent`: the state that they follow has left whole.
  void append(std::span<const SensorReading> sensors, Bytes& out);
  void sent() { last_ = next_; }

 private:
  std::vector<std::string> cameras_;
  std::vector<std::int64_t> last_, next_;  // frames sent; with those in the state that is on its way
};

}  // namespace gradus

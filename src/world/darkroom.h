/// Threads that render images beside the physics. An image is a function of the poses in its job, so neither the number
/// of threads nor their speed can be seen in it; who needs an image that is not ready waits for it, or renders it
/// himself if nobody has begun.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "render/image.h"
#include "state/controller.h"

namespace gradus {

/// Of the bytes of all formats.
std::uint64_t hash_of(std::span<const SensorImage> formats);

/// One image to be rendered: all that is needed, with room for the result.
struct ImageJob {
  enum class Phase { idle, queued, running, done };
  Camera* camera = nullptr;  // jobs of one camera run one after another
  std::uint64_t key = 0;     // of its noise
  std::int64_t frame = -1;   // number; −1: none
  Poses poses;
  Image out;                                       // where the formats go
  std::vector<std::vector<std::uint8_t>> buffers;  // (formats)
  std::vector<SensorImage> images;                 // (formats) as programs see them
  std::uint64_t hash = 0;                          // of all formats
  bool wants_hash = false;
  double seconds = 0;  // of rendering, by the clock given
  Phase phase = Phase::idle;
};

class Darkroom {
 public:
  /// width: of the widest image. most_jobs: that may be queued at once. clock: may be null.
  Darkroom(int threads, const DrawnScene& scene, int width, std::size_t most_jobs, double (*clock)());
  ~Darkroom();
  Darkroom(const Darkroom&) = delete;
  Darkroom& operator=(const Darkroom&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  /// Never waits.
  void begin(ImageJob& job);
  /// Until it is done; by the calling thread if nobody has begun it.
  void finish(ImageJob& job);
  /// It is not wanted any more: forgotten, or waited for if somebody is at it. Idle afterwards.
  void drop(ImageJob& job);

 private:
  void serve(BandRoom& room);
  bool is_busy(const Camera* camera) const;
  void develop(ImageJob& job, BandRoom& room, std::unique_lock<std::mutex>& lock);

  double (*clock_)();
  std::mutex mutex_;
  std::condition_variable news_;  // a job was queued or is done, or it is over
  std::vector<ImageJob*> queue_;  // oldest first
  std::vector<const Camera*> busy_;
  std::vector<BandRoom> rooms_;  // (threads + 1) the last: of the one that waits
  std::vector<std::thread> threads_;
  bool over_ = false;
};

}  // namespace gradus

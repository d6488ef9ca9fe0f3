#include "world/darkroom.h"

#include <algorithm>

#include "base/hash.h"

namespace gradus {

std::uint64_t hash_of(std::span<const SensorImage> formats) {
  std::uint64_t h = 0;
  for (const SensorImage& i : formats) h = hash_bytes(i.bytes.data(), i.bytes.size(), h);
  return h;
}

Darkroom::Darkroom(int threads, const DrawnScene& scene, int width, std::size_t most_jobs, double (*clock)())
    : clock_(clock) {
  queue_.reserve(most_jobs);
  busy_.reserve(static_cast<std::size_t>(threads) + 1);
  rooms_.reserve(static_cast<std::size_t>(threads) + 1);
  for (int i = 0; i <= threads; ++i) rooms_.emplace_back(scene, width);
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this, i] { serve(rooms_[static_cast<std::size_t>(i)]); });
}

Darkroom::~Darkroom() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  news_.notify_all();
  for (std::thread& t : threads_) t.join();
}

bool Darkroom::is_busy(const Camera* camera) const { return std::find(busy_.begin(), busy_.end(), camera) != busy_.end(); }

/// Renders without the lock; a camera holds the light of one image at a time.
void Darkroom::develop(ImageJob& job, BandRoom& room, std::unique_lock<std::mutex>& lock) {
  job.phase = ImageJob::Phase::running;
  busy_.push_back(job.camera);
  lock.unlock();
  const double start = clock_ ? clock_() : 0;
  job.camera->render(job.poses, job.key, static_cast<std::uint32_t>(job.frame), room, job.out);
  if (job.wants_hash) job.hash = hash_of(job.images);
  job.seconds = clock_ ? clock_() - start : 0;
  lock.lock();
  busy_.erase(std::find(busy_.begin(), busy_.end(), job.camera));
  job.phase = ImageJob::Phase::done;
  news_.notify_all();
}

void Darkroom::serve(BandRoom& room) {
  std::unique_lock lock(mutex_);
  while (!over_) {
    const auto next = std::find_if(queue_.begin(), queue_.end(), [&](const ImageJob* j) { return !is_busy(j->camera); });
    if (next == queue_.end()) {
      news_.wait(lock);
      continue;
    }
    ImageJob& job = **next;
    queue_.erase(next);
    develop(job, room, lock);
  }
}

void Darkroom::begin(ImageJob& job) {
  {
    const std::lock_guard lock(mutex_);
    job.phase = ImageJob::Phase::queued;
    queue_.push_back(&job);
  }
  if (!threads_.empty()) news_.notify_all();
}

void Darkroom::finish(ImageJob& job) {
  std::unique_lock lock(mutex_);
  while (job.phase == ImageJob::Phase::queued || job.phase == ImageJob::Phase::running) {
    if (job.phase == ImageJob::Phase::running || is_busy(job.camera)) {
      news_.wait(lock);
      continue;
    }
    queue_.erase(std::find(queue_.begin(), queue_.end(), &job));
    develop(job, rooms_.back(), lock);
  }
}

void Darkroom::drop(ImageJob& job) {
  std::unique_lock lock(mutex_);
  if (job.phase == ImageJob::Phase::queued) queue_.erase(std::find(queue_.begin(), queue_.end(), &job));
  while (job.phase == ImageJob::Phase::running) news_.wait(lock);
  job.phase = ImageJob::Phase::idle;
  job.frame = -1;
}

}  // namespace gradus

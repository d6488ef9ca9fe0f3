#include "cli/camera_feed.h"

#include "common/files.h"
#include "io/jpeg.h"

namespace gradus::cli {
namespace {

constexpr double kPeriod = 0.1;  // wall time between two pictures at least  [s]
constexpr int kQuality = 80;

}  // namespace

CameraFeed::CameraFeed(view::ViewServer& server) : server_(server), thread_([this] { work(); }) {}

CameraFeed::~CameraFeed() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  news_.notify_all();
  thread_.join();
}

void CameraFeed::offer(const World& world, std::uint32_t revision, std::span<const std::uint16_t> wanted,
                       std::span<const Which> sensors) {
  if (wanted.empty() || now() - last_ < kPeriod || busy_.load(std::memory_order_acquire)) return;
  const std::uint16_t number = wanted[next_++ % wanted.size()];
  if (number >= sensors.size()) return;
  last_ = now();
  world.view(sensors[number].robot, sensors[number].sensor, job_.view);
  if (job_.view.frame < 0) return;
  job_.number = number, job_.revision = revision;
  {
    const std::lock_guard lock(mutex_);  // the thread holds it only to look whether there is something to do
    busy_.store(true, std::memory_order_release);
  }
  news_.notify_all();
}

void CameraFeed::work() {
  std::vector<std::uint8_t> rgb, jpeg;
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (!busy_.load(std::memory_order_acquire)) {
      news_.wait(lock);
      continue;
    }
    lock.unlock();
    render(rgb, jpeg);
    busy_.store(false, std::memory_order_release);
    lock.lock();
  }
}

void CameraFeed::render(std::vector<std::uint8_t>& rgb, std::vector<std::uint8_t>& jpeg) {
  const FrameView& v = job_.view;
  if (!camera_ || lens_ != v.lens || scene_ != v.scene || name_ != v.mount.name) {
    lens_ = v.lens, scene_ = v.scene, name_ = v.mount.name;
    camera_ = std::make_unique<Camera>(v.scene, v.lens, v.mount);
    room_ = std::make_unique<BandRoom>(*v.scene, v.lens->camera().width);
  }
  const int width = v.lens->camera().width, height = v.lens->camera().height;
  rgb.resize(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  Image out;
  out.rgb = rgb.data();
  const double start = thread_time();
  camera_->render(v.poses, v.key, static_cast<std::uint32_t>(v.frame), *room_, out);
  const double cost = thread_time() - start;
  encode_jpeg(width, height, rgb, kQuality, jpeg);
  server_.publish_image({job_.number, job_.revision, static_cast<std::uint64_t>(v.frame), v.time, cost * 1e3, jpeg});
}

}  // namespace gradus::cli

/// Pictures of robots' cameras for viewers: rendered and compressed on a thread of its own, at most ten a second, from
/// frames that the simulation has taken anyway. The simulation's thread copies some numbers and never waits; nothing of it
/// is seen by the run, its logs or its programs.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/view_server.h"
#include "world/world.h"

namespace gradus::cli {

class CameraFeed {
 public:
  explicit CameraFeed(view::ViewServer& server);
  ~CameraFeed();
  CameraFeed(const CameraFeed&) = delete;
  CameraFeed& operator=(const CameraFeed&) = delete;

  /// Which sensor of the description a number means.
  struct Which {
    int robot, sensor;
  };
  /// With every frame: begins a picture of one of the wanted cameras, in turn, if one is due and the last is done.
  void offer(const World& world, std::uint32_t revision, std::span<const std::uint16_t> wanted,
             std::span<const Which> sensors);

 private:
  void work();
  void render(std::vector<std::uint8_t>& rgb, std::vector<std::uint8_t>& jpeg);

  view::ViewServer& server_;
  // of the simulation's thread
  std::size_t next_ = 0;
  double last_ = 0;
  // handed over
  struct Job {
    FrameView view{};
    std::uint16_t number = 0;
    std::uint32_t revision = 0;
  } job_;
  std::atomic<bool> busy_{false};
  std::mutex mutex_;
  std::condition_variable news_;
  bool over_ = false;
  // of the thread
  std::unique_ptr<Camera> camera_;
  std::shared_ptr<const LensTable> lens_;
  std::shared_ptr<const DrawnScene> scene_;
  std::string name_;
  std::unique_ptr<BandRoom> room_;
  std::thread thread_;
};

}  // namespace gradus::cli

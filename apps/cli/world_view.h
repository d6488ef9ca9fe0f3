/// A run in the hands of viewers: what LiveRun asks for, done to a Session.
#pragma once
#include "cli/running.h"
#include "cli/world_frames.h"
#include "server/live_run.h"

namespace gradus::cli {

class WorldView : public view::Simulation {
 public:
  /// cameras: who makes pictures for viewers; null: nobody.
  explicit WorldView(Session& run, std::uint32_t first_revision = 1, CameraFeed* cameras = nullptr);
  explicit WorldView(std::unique_ptr<Session> run) : WorldView(*run) { owned_ = std::move(run); }
  std::shared_ptr<const view::SceneDescription> describe() override;
  std::shared_ptr<const view::PlannedWays> plans() override;
  std::uint64_t k() const override { return static_cast<std::uint64_t>(world().k()); }
  void step() override;
  std::string apply(const view::Action& action) override;
  void fill(view::Frame& frame, const view::Wanted& wanted) override;
  void save(std::vector<std::byte>& snapshot) const override;
  void restore(std::span<const std::byte> snapshot) override;
  void take_events(std::vector<view::Event>& events) override;
  std::unique_ptr<view::Simulation> twin() const override;

 private:
  const World& world() const { return run_.world(); }
  Vec3 spring_force() const;
  std::string take_hold(const view::Push* pull);
  std::string renew_push();

  std::unique_ptr<Session> owned_;  // of a twin
  Session& run_;
  WorldFrames frames_;
  CameraFeed* cameras_;
  view::Push push_;         // the spring that a viewer holds …
  bool is_pushed_ = false;  // … if so
  std::size_t events_seen_ = 0;
  std::shared_ptr<const view::PlannedWays> plans_;
  std::shared_ptr<const view::SceneDescription> described_, offered_;  // of frames_, and with the rights of this run
};

}  // namespace gradus::cli

/// A World as viewers see it: description, frames, actions, snapshots.
#pragma once
#include "cli/runner.h"
#include "server/live_run.h"

namespace gradus::cli {

class WorldView : public view::Simulation {
 public:
  explicit WorldView(Runner& run);
  std::shared_ptr<const view::SceneDescription> describe() override;
  std::uint64_t k() const override { return static_cast<std::uint64_t>(world().k()); }
  void step() override;
  std::string apply(const view::Action& action) override;
  void fill(view::Frame& frame, std::span<const std::uint16_t> wanted_signals) override;
  void save(std::vector<std::byte>& snapshot) const override;
  void restore(std::span<const std::byte> snapshot) override;
  void take_events(std::vector<view::Event>& events) override;

 private:
  struct Body {
    int robot, object;
  };
  const World& world() const { return run_.world(); }
  void fill_robot(int robot, view::RobotStatus& status) const;
  void fill_contacts(view::Frame& frame) const;
  void renew_push();

  Runner& run_;
  std::vector<Body> bodies_;                         // in the order of the description
  std::vector<std::vector<std::string>> levels_;     // (robots) motions they can run at
  std::vector<gradus::Property> properties_;
  std::uint32_t revision_ = 0;
  std::optional<view::Push> push_;                   // spring that a viewer holds
  std::size_t events_seen_ = 0;
};

}  // namespace gradus::cli

/// A link in one file, as docs/extending.md walks through it: a notice board in memory instead of a socket. Somebody posts
/// commands, the link hands them to the run and writes down where the robots are.
#pragma once
#include <string>
#include <vector>

#include "link/link.h"

namespace gradus {

class BoardLink : public ProtocolLink {
 public:
  void post(Command command) { posted_.push_back(std::move(command)); }
  const std::vector<double>& heights() const { return heights_; }

  std::string_view name() const override { return "board"; }
  std::span<const Command> receive(const World&) override {
    taken_.swap(posted_);
    posted_.clear();
    count_ += static_cast<std::int64_t>(taken_.size());
    return taken_;
  }
  void publish(const World& world) override {
    heights_.clear();
    for (int r = 0; r < world.robot_count(); ++r) heights_.push_back(world.q(r)[2]);
  }
  bool wants_real_time() const override { return false; }
  std::vector<std::string> addresses() const override { return {"the board is in memory"}; }
  Figures figures() const override { return {{"commands", count_}}; }
  std::vector<std::string> summary() const override { return {"board: " + std::to_string(count_) + " commands taken"}; }

 private:
  std::vector<Command> posted_, taken_;
  std::vector<double> heights_;
  std::int64_t count_ = 0;
};

/// The line of the registry.
inline constexpr LinkTable kBoard{
    "board", "a notice board in memory", "", [](const SceneSpec&) { return false; },
    [](const std::string&, SceneSpec&) { return Diagnostics{}; },
    [](const std::string&, World&) -> Result<std::unique_ptr<ProtocolLink>> {
      return std::unique_ptr<ProtocolLink>(std::make_unique<BoardLink>());
    }};

}  // namespace gradus

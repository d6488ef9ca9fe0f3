/// A match of a world over FIRASim's protocol [docs/firasim.md]: vision and referee messages out, wheel speeds,
/// replacements and placements in. Wheel speeds become targets (Input), everything else becomes Commands, so that a log
/// of the run replays without any client.
///
///   each step:  for (const Command& c : match.receive(world)) apply(c);   world.step();   match.publish(world);
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "link/firasim/referee.h"
#include "link/firasim/server.h"
#include "session/command.h"

namespace gradus::control {

struct FirasimOptions {
  bool with_clients = false;  // a step waits until every remote team has answered the last picture
  double patience = 1.0;      // for at most this long, of wall time  [s]
};

class FirasimMatch {
 public:
  /// Opens the sockets that the group's spec names and drives its remote teams. The world must not outlive it.
  static Result<std::unique_ptr<FirasimMatch>> open(World& world, int group, const FirasimOptions& options);

  /// What came from outside and is to be done before the next step.
  const std::vector<Command>& receive(const World& world);
  /// The picture, if one is due, and what the referee has to say.
  void publish(const World& world);

  const firasim::ServerCounters& counters() const { return server_.counters(); }
  const firasim::RefereeCounters& referee_counters() const { return referee_.counters(); }
  std::int64_t impatient() const { return impatient_; }             // steps taken without an answer from every team
  bool awaits_clients() const { return remote_[0] || remote_[1]; }  // does a team come over the network?
  std::uint16_t command_port() const { return server_.command_port(); }

 private:
  FirasimMatch(int group, const GroupModel& model, const FirasimOptions& options, firasim::Server server,
               firasim::RefereeLink referee);
  void poll(const World& world);
  bool all_have_answered() const;
  void take(const World& world, const firasim::Orders& orders);
  void take(const World& world, const firasim::RefereeCommand& command);
  void place(const World& world, const firasim::Robot& robot, bool yellow, bool present,
             std::vector<Command>& out) const;
  void announce(const World& world, int event);
  void say(const World& world, firasim::Foul foul, firasim::Color team, std::uint32_t quadrant = 0);

  int group_;
  FirasimOptions options_;
  bool remote_[2], speaks_;
  firasim::Server server_;
  firasim::RefereeLink referee_;
  firasim::Orders orders_;
  SightRoom sights_;
  firasim::Environment picture_;
  firasim::RefereeCommand last_said_;
  std::vector<firasim::RefereeCommand> referee_commands_;
  std::vector<firasim::RefereePlacement> placements_, wanted_;  // wanted_: for the next kick-off, by team
  std::vector<Command> commands_, later_;  // later_: placements at a kick-off, before the next step
  std::int64_t answered_[2] = {0, 0}, impatient_ = 0;
  std::int64_t last_frame_ = -1, last_second_ = 0;
  double events_ = 0;  // referee's events told so far
};

}  // namespace gradus::control

/// A match of a world over FIRASim's protocol [docs/firasim.md]: vision and referee messages out, wheel speeds,
/// replacements and placements in. Wheel speeds become targets (Input), everything else becomes Commands, so that a log
/// of the run replays without any client.
///
/// Options of the link, items between commas, all optional:
///   blue, yellow, both, none   the remote teams (default: those of the scene, or both)
///   group=NAME                 the group that the other items are about (default: the first)
///   sync                       step with the clients instead of the wall clock
///   vision=A:P (again for more), commands=A:P, referee=A:P, placement=A:P, interface=A, watchdog=TIME
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "link/firasim/referee.h"
#include "link/firasim/server.h"
#include "link/link.h"
#include "state/controller.h"

namespace gradus::firasim {

struct MatchOptions {
  bool with_clients = false;  // a step waits until every remote team has answered the last picture
  double patience = 1.0;      // for at most this long, of wall time  [s]
};

class MatchLink : public ProtocolLink {
 public:
  /// Opens the sockets that the group's spec names and drives its remote teams. The world must not outlive it.
  static Result<std::unique_ptr<MatchLink>> open(World& world, int group, const MatchOptions& options);

  std::string_view name() const override;
  std::span<const gradus::Command> receive(const World& world) override;
  /// The picture, if one is due, and what the referee has to say.
  void publish(const World& world) override;
  bool wants_real_time() const override { return !options_.with_clients; }
  std::vector<std::string> addresses() const override;
  Figures figures() const override;
  std::vector<std::string> summary() const override;

  const ServerCounters& counters() const { return server_.counters(); }
  const RefereeCounters& referee_counters() const { return referee_.counters(); }
  std::int64_t impatient() const { return impatient_; }             // steps taken without an answer from every team
  bool awaits_clients() const { return remote_[0] || remote_[1]; }  // does a team come over the network?
  const std::string& group_name() const { return group_name_; }
  std::uint16_t command_port() const { return server_.command_port(); }

 private:
  MatchLink(int group, const GroupModel& model, const MatchOptions& options, Server server, RefereeLink referee);
  void poll(const World& world);
  bool all_have_answered() const;
  bool misses_a_client() const;
  void take(const World& world, const Orders& orders);
  void take(const World& world, const RefereeCommand& command);
  void place(const World& world, const Robot& robot, bool yellow, bool present,
             std::vector<gradus::Command>& out) const;
  void announce(const World& world, int event);
  void say(const World& world, Foul foul, Color team, std::uint32_t quadrant = 0);

  int group_;
  std::string group_name_;
  FirasimSpec spec_;
  MatchOptions options_;
  bool remote_[2], speaks_;
  bool also_loopback_ = false;  // pictures go to 127.0.0.1 too
  Server server_;
  RefereeLink referee_;
  Orders orders_;
  std::vector<Sight> sights_;
  Environment picture_;
  RefereeCommand last_said_;
  std::vector<RefereeCommand> referee_commands_;
  std::vector<RefereePlacement> placements_, wanted_;  // wanted_: for the next kick-off, by team
  std::vector<gradus::Command> commands_, later_;      // later_: placements at a kick-off, before the next step
  std::int64_t answered_[2] = {0, 0}, impatient_ = 0;
  std::int64_t last_frame_ = -1, last_second_ = 0;
  double events_ = 0;  // referee's events told so far
};

/// What FIRASim would send of this picture.
void picture(const GroupOutput& see, Environment& out);

/// Changes the scene's group as the link's options say.
Diagnostics apply_options(const std::string& items, SceneSpec& scene, bool& waits_for_clients);

/// The entry of the registry.
bool asked_for(const SceneSpec& scene);
Diagnostics prepare(const std::string& options, SceneSpec& scene);
Result<std::unique_ptr<ProtocolLink>> open_link(const std::string& options, World& world);
inline constexpr LinkTable kLink{"firasim", "teams play over FIRASim's protocol",
                                 "blue, yellow, both, none, sync, vision=A:P, commands=A:P, …", asked_for, prepare,
                                 open_link};

}  // namespace gradus::firasim

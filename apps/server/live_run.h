/// A simulation under the hands of viewers: paced, paused, stepped, pushed, changed, rewound, run again.
///
/// The past is a ring of snapshots plus every action with the step before which it took effect. Any moment is reached
/// by restoring the snapshot before it and stepping again with the same actions; since a step is deterministic, that
/// gives the same bits. Going on from there repeats what happened; changing something there starts a branch. The course
/// that was left is run along by a twin of the simulation and shown beside it as a ghost, with every property, so that
/// the two can be compared at the same step.
///
///   actions:    ·  ·a·  ·  ·  b·  ·  ·  ·  ·c ·          a, b, c are applied again when stepping over them
///   snapshots:  S        S        S        S      k_end
///                              ^ k  (shown)              seek(k): restore the S before, step up to k
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/pacing.h"
#include "server/view_server.h"

namespace gradus::view {

/// What the run needs of a simulation. All calls come from one thread.
class Simulation {
 public:
  virtual ~Simulation() = default;
  /// The same pointer as long as nothing changed; asked for with every frame.
  virtual std::shared_ptr<const SceneDescription> describe() = 0;
  /// Ways that its robots have planned; the same pointer as long as nothing changed; null: none.
  virtual std::shared_ptr<const PlannedWays> plans() { return nullptr; }
  virtual std::uint64_t k() const = 0;
  virtual void step() = 0;  // k → k + 1
  /// SetMotion, SetProperty, Push or ReleasePush. Returns "" or why not; then nothing has changed.
  virtual std::string apply(const Action& action) = 0;
  /// Poses, robots, contacts, hash and what is wanted; the run fills in the rest.
  virtual void fill(Frame& frame, const Wanted& wanted) = 0;
  virtual void save(std::vector<std::byte>& snapshot) const = 0;  // everything that later steps depend on
  virtual void restore(std::span<const std::byte> snapshot) = 0;  // of this simulation
  virtual void take_events(std::vector<Event>& events) = 0;       // appends what happened since the last call
  /// Another one of the same model, with no part in logs; understands this one's snapshots. For ghosts, asked for once.
  virtual std::unique_ptr<Simulation> twin() const = 0;
};

struct LiveRunOptions {
  std::size_t memory_max =
      256u << 20;  // for the past (snapshots of this course and the ghost's); the oldest part is given up   [B]
  double snapshot_period = 0.1;  // simulated; bounds the steps that a seek repeats                         [s]
  bool start_paused = false;
  std::uint64_t k_last = std::numeric_limits<std::uint64_t>::max();  // steps beyond it are not taken
};

class LiveRun {
 public:
  LiveRun(Simulation& simulation, ViewServer& server, LiveRunOptions options = {});

  /// Commands, the steps that are due, a frame if one is due. Returns how long nothing else will be due.
  Pacer::Clock::duration turn();

  /// What a viewer's command does. Returns "" or why it was refused.
  std::string carry_out(const Action& action);
  /// The present moment as viewers see it.
  const Frame& look();

  bool is_paused() const { return pacer_.is_paused(); }
  std::uint64_t k_min() const { return course_.snapshots.front().k; }
  std::uint64_t k_max() const { return course_.k_end; }
  std::size_t memory() const { return course_.bytes() + ghost_.bytes(); }  // of the past  [B]

  /// A viewer's command, which may be of an older scene description; "" or why not.
  std::string obey(const Command& command);

 private:
  struct Snapshot {
    std::uint64_t k;
    std::vector<std::byte> bytes;
  };
  struct Input {
    std::uint64_t k;  // took effect before the step from k
    Action action;
  };
  /// A past: where it can be entered, and what was done to it.
  struct Course {
    std::deque<Snapshot> snapshots;  // ascending k
    std::vector<Input> inputs;       // ascending k
    std::size_t next_input = 0;      // those before it are applied in the state of the simulation that follows it
    std::uint64_t k_end = 0;         // its newest step

    const Snapshot& before(std::uint64_t k) const;           // the newest not after k; k is not before the first
    void enter(Simulation& simulation, const Snapshot& at);  // restores it
    void apply_due(Simulation& simulation);                  // inputs up to the present step
    std::size_t bytes() const;
  };

  void handle(const Command& command);
  std::string change(const Action& action);
  std::string try_out(const Action& action);
  std::string seek(std::uint64_t k);
  void branch();
  void reset();
  bool is_past() const { return simulation_.k() < course_.k_end || course_.next_input < course_.inputs.size(); }
  void tell_change(const Action& action);
  void step_once();
  void remember();
  void keep_within_memory();
  void forget_oldest();
  void pass_events();
  void tell_late();
  void leave_ghost(std::uint64_t k);
  void fill_ghost(Frame& frame);
  void match_ghost_properties();

  Simulation& simulation_;
  ViewServer& server_;
  LiveRunOptions options_;
  std::shared_ptr<const SceneDescription> scene_;
  std::shared_ptr<const PlannedWays> plans_;
  Pacer pacer_;
  std::uint64_t snapshot_interval_;   // [steps]
  std::vector<std::byte> start_;      // snapshot of the beginning, for reset
  Course course_;                     // its snapshots are never empty
  Course ghost_;                      // the course left at the last branch, from there on; no snapshots: there is none
  std::unique_ptr<Simulation> twin_;  // runs the ghost
  std::shared_ptr<const SceneDescription> matched_, matched_ghost_;  // for which the next line was made:
  std::vector<int> ghost_property_;  // (properties of the scene) number of the same one in the twin's; −1: none
  std::vector<std::uint16_t> ghost_wanted_;
  Frame ghost_frame_;
  bool was_pushed_ = false, was_behind_ = false;
  Pacer::Time late_told_{};
  Frame frame_;
  std::vector<Command> commands_;
  std::vector<Event> events_;
};

}  // namespace gradus::view

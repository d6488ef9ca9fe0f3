/// A simulation under the hands of viewers: paced, paused, stepped, pushed, changed, rewound, run again.
///
/// The past is a ring of snapshots plus every action with the step before which it took effect. Any moment is reached
/// by restoring the snapshot before it and stepping again with the same actions; since a step is deterministic, that
/// gives the same bits. Going on from there repeats what happened; changing something there starts a branch, and the
/// course that was left is shown beside it as a ghost.
///
///   actions:    ·  ·a·  ·  ·  b·  ·  ·  ·  ·c ·          a, b, c are applied again when stepping over them
///   snapshots:  S        S        S        S      k_end
///                              ^ k  (shown)              seek(k): restore the S before, step up to k
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
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
  virtual std::uint64_t k() const = 0;
  virtual void step() = 0;  // k → k + 1
  /// SetMotion, SetProperty, Push or ReleasePush. Returns "" or why not; then nothing has changed.
  virtual std::string apply(const Action& action) = 0;
  /// Poses, robots, contacts, hash and the signals asked for; the run fills in the rest.
  virtual void fill(Frame& frame, std::span<const std::uint16_t> wanted_signals) = 0;
  virtual void save(std::vector<std::byte>& snapshot) const = 0;  // everything that later steps depend on
  virtual void restore(std::span<const std::byte> snapshot) = 0;  // of this simulation
  virtual void take_events(std::vector<Event>& events) = 0;       // appends what happened since the last call
};

struct LiveRunOptions {
  std::size_t memory_max = 256u << 20;  // for the past (snapshots and ghost poses); the oldest part is given up   [B]
  double snapshot_period = 0.1;         // simulated; bounds the steps that a seek repeats                         [s]
  bool start_paused = false;
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
  std::uint64_t k_min() const { return snapshots_.front().k; }
  std::uint64_t k_max() const { return k_end_; }

 private:
  struct Snapshot {
    std::uint64_t k;
    std::vector<std::byte> bytes;
  };
  struct Input {
    std::uint64_t k;  // took effect before the step from k
    Action action;
  };
  struct Poses {
    std::uint64_t k;
    std::vector<float> values;  // (7 nbody) p x, y, z, q w, x, y, z
  };

  void handle(const Command& command);
  std::string change(const Action& action);
  std::string seek(std::uint64_t k);
  void branch();
  void reset();
  bool is_past() const { return simulation_.k() < k_end_ || next_input_ < inputs_.size(); }
  void apply_recorded();
  void step_once();
  void remember();
  void forget_oldest();
  void pass_events();
  void fill_ghost(Frame& frame) const;

  Simulation& simulation_;
  ViewServer& server_;
  LiveRunOptions options_;
  std::shared_ptr<const SceneDescription> scene_;
  Pacer pacer_;
  std::uint64_t snapshot_interval_, pose_interval_;  // [steps]
  std::uint64_t k_end_ = 0;                          // the newest step of this course
  std::vector<std::byte> start_;                     // snapshot of the beginning, for reset
  std::deque<Snapshot> snapshots_;                   // ascending k; never empty
  std::vector<Input> inputs_;                        // ascending k
  std::size_t next_input_ = 0;                       // those before it are applied in the present state
  std::deque<Poses> course_, ghost_;                 // this course, and the one left at the last branch
  std::size_t memory_ = 0;                           // of snapshots_, course_ and ghost_
  Frame frame_;
  std::vector<Command> commands_;
  std::vector<Event> events_;
};

}  // namespace gradus::view

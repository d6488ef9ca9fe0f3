/// Bodies at rest sleep: a step leaves them as they are, at no cost, until something comes near [docs/step.md].
///
///   falls asleep  an island [contact/contacts.h] of free bodies alone, of which no point has moved faster than
///                 contact.sleep_speed for contact.sleep_after; all of it at once, its velocities set to 0
///   wakes         all that fell asleep together: when a contact with somebody awake may close (found in half A, so
///                 nothing is missed), or when people change something about one of them
///
/// It is State, a section of one number a robot behind a stamp:
///   n ≥ 0   awake, and slow for n steps
///   −1 − i  asleep; robot i is the first of those that fell asleep together
///   stamp   0 if nobody sleeps, else a hash of who sleeps, of all their numbers and of what their contacts remember;
///           negative if people woke some of them since
/// Two states with the same stamp hold the same sleepers, bit for bit: a step from one to the other need not touch them.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "state/state.h"

namespace gradus {

class Sleepers {
 public:
  /// may: (robots) those that may ever sleep.
  void build(std::vector<std::uint8_t> may);
  void set_may(int robot, bool may) { may_[static_cast<std::size_t>(robot)] = may; }
  /// Numbers in State; 0 if no robot of the scene may ever sleep.
  int size() const { return size_; }
  /// Takes room behind what the layout has. memory: the section of their contacts.
  void lay_out(Layout& layout, int memory, int memory_size);

  /// Who sleeps in a state.
  void take(const State& state);
  std::span<const int> awake() const { return awake_; }                              // ascending
  const std::uint8_t* asleep() const { return size_ > 0 ? asleep_.data() : nullptr; }  // (robots)
  std::int64_t version() const { return version_; }                                  // changes with who sleeps
  /// Half A: these were touched, and all that fell asleep with them wake; `state` is not changed.
  void wake(std::span<const int> robots, const State& state);
  /// Between steps: wakes a robot, and those that fell asleep with it, in the state; −1: all.
  void wake_in(State& state, int robot) const;

  /// Half B, before robots move: the numbers of the sleepers.
  void carry(const State& now, State& next) const;
  int quiet(const State& now, int robot) const;  // slow for so many steps; 0 of one that woke just now
  void note(State& next, int robot, int quiet) const { at(next, robot) = quiet; }
  void fall_asleep(State& next, std::span<const int> robots) const;
  /// Half B, when all have moved: who sleeps now. True if others than before; then `seal` it once contacts of sleepers
  /// are remembered.
  bool finish(const State& now, State& next);
  void seal(State& next) const { next.slab[static_cast<std::size_t>(first_)] = stamp(next); }

 private:
  double& at(State& s, int robot) const { return s.slab[static_cast<std::size_t>(first_ + 1 + robot)]; }
  double at(const State& s, int robot) const { return s.slab[static_cast<std::size_t>(first_ + 1 + robot)]; }
  double stamp(const State& s) const;
  void list();  // awake_ from asleep_
  const double* begin_of(const State& s, int robot) const { return s.slab.data() + begin_[static_cast<std::size_t>(robot)]; }
  std::size_t count_of(int robot) const {
    return static_cast<std::size_t>(begin_[static_cast<std::size_t>(robot) + 1] - begin_[static_cast<std::size_t>(robot)]);
  }

  int size_ = 0, first_ = 0, memory_ = 0, memory_size_ = 0;
  std::vector<int> begin_;  // (robots + 1) where a robot's numbers lie
  std::vector<int> q_, v_, r_;
  std::vector<std::uint8_t> may_, asleep_;  // (robots)
  std::vector<int> awake_;
  std::int64_t version_ = 0;
};

}  // namespace gradus

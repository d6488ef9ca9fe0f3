/// B1: all drives of a robot. A joint has either the plain servo [servo.h] or an actuator chain [chain.h]; both hand
/// the motion a force with its implicit share, and look at the prediction afterwards. Springs, stops and friction of
/// the joint itself belong to both.
#pragma once
#include <span>
#include <vector>

#include "drive/chain.h"
#include "state/access.h"

namespace gradus {

struct Drives {
  static constexpr Access access{
      .reads = Field::q | Field::v | Field::target | Field::acc | Field::drive_state | Field::drive,
      .writes = Field::drive | Field::drive_state};
  /// When a robot begins to be moved with drives: rotors where the joints are, no current, every command of the past as
  /// now.
  static void enter(View<access> view);
  static void begin(View<access> view, double h);
  /// After predict: true if a drive met a limit that it was not predicted with, so that predict must run again.
  static bool review(View<access> view, double h);
  /// State[k+1] of the chains, from the accelerations as they came out.
  static void commit(View<access> view, double h);
};

/// The drives' own scratch: constants of the chains for steps of length h, and room for B1.
std::vector<std::byte> make_drive_scratch(const RobotKind& kind, double h);
std::span<const Chain> chains_of(const RobotKind& kind, const std::vector<std::byte>& scratch);
/// Doubles of State that a robot's chains take.
int drive_state_size(const RobotKind& kind, double h);
/// Moves rotors along when somebody else moves the joints. q, v: joint parts.
void carry_rotors(std::span<const Chain> chains, const double* q_before, const double* q_after, const double* v_after,
                  double* drive_state);
inline const ChainState& chain_state(const Chain& c, const double* drive_state) {
  return *reinterpret_cast<const ChainState*>(drive_state + c.state);
}

}  // namespace gradus

/// The two walking experiments of MoToFlex 2011, replayed from the original program's target files.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "papers/nao_trial.h"
#include "papers/paper.h"

namespace gradus::cli {

/// Target angles every 20 ms in the Nao's own signs: left HipRoll, HipPitch, KneePitch, AnklePitch, AnkleRoll, then
/// right ones. [rad]
struct MotoflexTargets {
  std::vector<std::array<double, 10>> frames;
};

/// From DIR/motoflex/NAME or DIR/NAME. None, with the reason on standard error, if it is not there or not whole.
std::optional<MotoflexTargets> read_targets(const PaperOptions& options, const std::string& name);

/// A Nao that holds frame 12 for a second, then replays the rest; the frames before are a rise from a crouch that the
/// original program drives in another way. Time in the file = simulated time − 0.76 s.
NaoTrial replay(const MotoflexTargets& targets);
inline constexpr double kFileShift = 0.76;  // [s]

/// Drives and legs of the original program: its motors, Algorithm 2 as gear, flexible thighs and shins.
struct MotoflexModel {
  bool gear = true;                  // the gear stage; without: rigid
  bool flex = true;                  // legs bend
  double flex_stiffness = 2006.519;  // [N m/rad]
};
/// Puts them into a trial. False, with the reason on standard error, if its servo files are not there.
bool use_motoflex(NaoTrial& trial, const MotoflexModel& model);

/// Chord of the base's path over time, between two times.     [m/s]
double chord_speed(const NaoRun& run, double from, double to);

}  // namespace gradus::cli

/// The test bench of a recording with a chain on it, as small as can be: one joint, no robot around it. The chain is
/// that of the engine (drive/chain.h); the joint's equation
///
///   J (V − v)/h = T(V) − (m + a/2) g l sin(q + h v/2),   q⁺ = q + h V                                               (1)
///
/// is solved exactly with it. tests/unit/fit compares it with a World. Thirty times faster than a World, which a fit
/// with ten thousand replays needs.
#pragma once
#include <cstdint>
#include <vector>

#include "fit/recording.h"
#include "model/drive_spec.h"

namespace gradus::fit {

/// What was not the servo's in a set of recordings.
struct Bench {
  double offset = 0;        // encoder − angle of the pendulum, which hangs at 0                 [rad]
  double reference_kp = 0;  // gain of the recordings that the servo's kp is for; 0: kp is as it is
  double reference_volts = 0;
};

constexpr double kStep = 0.001;  // [s]

/// The servo with the gains and supply of one recording.
DriveSpec for_recording(DriveSpec drive, const Recording& r, const Bench& bench);

/// A recording cut into steps, once for all replays.
class Steps {
 public:
  Steps(const Recording& r, double h);
  const Recording& recording() const { return *r_; }
  /// What the instrument would have shown at the recording's times: angle, or torque. out: as long as the recording; NaN
  /// from where the state is not finite.
  void simulate(const DriveSpec& drive, const Bench& bench, std::vector<double>& out) const;

 private:
  const Recording* r_;
  double h_;
  std::vector<double> command_;      // (steps) straight between samples; on a flywheel held
  std::vector<std::uint8_t> on_;     // (steps)
  std::vector<double> pos_, speed_;  // (steps + 1) of a joint that is moved
  std::vector<int> step_;            // (samples) the first not before it
  std::vector<double> back_;         // (samples) share of a step back from there
};

}  // namespace gradus::fit

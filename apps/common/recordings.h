/// Recordings of servos on test benches, and their replay by the engine: for `gradus paper servos`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fit/recording.h"
#include "model/drive_spec.h"

namespace gradus::cli {

using fit::Recording;

/// The recordings of one set, as DIR/index.csv lists them. Empty, with the reason on standard error, if they cannot be
/// read.
std::vector<Recording> read_set(const std::string& folder, const std::string& set);

/// Held-out figures: half of a set is fitted (servos/held_out/*.toml), the other half is judged. A chequerboard over
/// the benches' settings (four recordings each) and their trajectories: either half holds some of both.
inline bool is_fitted(std::size_t recording) { return (recording + recording / 4) % 2 == 0; }

struct Replay {
  std::vector<double> q;  // simulated, at the samples' times [rad]
  double mean_abs = 0, rms = 0;
  double offset = 0;  // of a flywheel's encoder, whose zero is not known: taken off before judging
};
constexpr double kReplayStep = 0.001;  // [s]

/// The bench with this chain, commanded as the recording was: at level articulated, steps of kReplayStep. What was
/// recorded is the encoder that the servo's loop uses.
std::optional<Replay> replay(const Recording& r, const DriveSpec& drive);

/// The servo file holds the gains of one setting; a log's own scale them.
DriveSpec for_log(DriveSpec drive, const Recording& r);

}  // namespace gradus::cli

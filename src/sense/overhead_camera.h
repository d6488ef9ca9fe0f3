/// The camera above a wheeled-soccer field as teams know it: poses of all robots and the ball, at its own rate, late by
/// a processing delay, with noise. A global sensor: one per field. Its memory (frames on their way) is a slab of
/// doubles, so that a snapshot can hold it; noise is addressed by frame and body, so it needs no memory at all.
#pragma once
#include <cstdint>
#include <span>

namespace gradus::sense {

struct OverheadOptions {
  double rate = 60;           // frames per second
  double delay = 0;           // from exposure to arrival                                        [s]
  double position_noise = 0;  // standard deviation, x and y                                     [m]
  double heading_noise = 0;   // [rad]
  double miss = 0;            // chance that a body is not seen in a frame, 0 … 1
  std::uint64_t seed = 0;
};

/// One body as seen. seen = 0: missed in this frame, the numbers are those of nothing.
struct Sighting {
  double x = 0, y = 0, theta = 0;
  double seen = 0;
};

/// Doubles of memory for `bodies` bodies: a ring of all frames that can be on their way.
int overhead_memory_size(const OverheadOptions& options, int bodies);

/// To be called every step with the simulated time (not decreasing) and the true poses: takes a frame whenever one is
/// due. Returns the number of frames taken so far.
std::int64_t expose(const OverheadOptions& options, double time, std::span<const Sighting> truth,
                    std::span<double> memory);

/// The newest frame that has arrived by `time`. Returns its time of exposure, or a negative number if none has.
double look(const OverheadOptions& options, double time, std::span<const double> memory, std::span<Sighting> out);

}  // namespace gradus::sense

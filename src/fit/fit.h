/// Servo models from recordings: which stages a chain needs, their numbers, and how far both can be trusted.
///
/// **Which model.** A ladder of chains, each with one thing more than the one before (delay, friction under load,
/// Stribeck friction, an encoder that is off, an elastic gear, play …), is fitted to a part of the recordings and judged
/// on the rest, in turn (cross validation). Taken is the lowest rung whose error on what it had not seen is within one
/// standard error (of the difference over recordings, of logarithms) of the best. So a stage is not kept that only
/// follows the noise.
///
/// **How good.** The error told is that on recordings that were left out while fitting, beside the error of the fit.
///
/// **How sure.** With residuals r(u) and u the numbers on their scale (by powers), near the optimum
///     cov u = ν s² (Jᵀ J)⁻¹,   J = ∂r/∂u,   s² = Σ r²/(n − ν p),   ν = 1 + 2 Σ ρ_k                                    (1)
/// ν counts how many neighbouring residuals repeat each other (their autocorrelation ρ up to its first zero). Searches
/// begun elsewhere that end as good but with other numbers widen the spread. A number whose spread (2.6 deviations) is
/// larger than a quarter of it is called *not fixed by the recordings*.
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fit/bench.h"
#include "fit/recording.h"

namespace gradus::fit {

/// What is known of the drive before fitting.
struct Known {
  bool voltage = false;      // a motor at a supply voltage; else torque is commanded
  double volts = 0;          // supply; 0: not known, then only gain, limit and back EMF at the joint can be told  [V]
  double limit = 0;          // of the commanded torque; 0: none                                                   [N m]
  std::optional<DriveSpec> model;  // stages of this chain are taken, no others are tried
};

struct Options {
  Known known;
  bool rms = false;          // what is made small: root mean square, else mean of |error|
  std::int64_t seed = 1;
  int threads = 1;
  int evaluations = 0;       // of the last search; 0: by the number of parameters
  int restarts = 3;
  std::function<void(const std::string&)> tell;  // progress; may be empty
  const std::atomic<bool>* stop = nullptr;
};

struct Estimate {
  std::string name, unit;
  double value = 0;
  double low = 0, high = 0;  // 2.6 deviations
  bool fixed = false;        // by the recordings
  bool at_border = false;    // of what was allowed
};

/// A model that was tried: its stages and how it did on what it had not seen.
struct Trial {
  std::vector<std::string> stages;
  double held_out = 0;  // mean over recordings
  double error = 0;     // standard error of the mean logarithm of its errors to that of the best
  bool taken = false;
};

/// What the recordings covered.
struct Range {
  double lowest = 0, highest = 0;  // angle [rad]
  double speed = 0, torque = 0;    // largest [rad/s], [N m]
  double low_volts = 0, high_volts = 0;
};

struct Result {
  DriveSpec drive;
  Bench bench;
  std::vector<std::string> stages;
  std::vector<Trial> trials;
  double train = 0, held_out = 0;             // [rad] or [N m]; held out: by cross validation, NaN where there was none
  std::vector<double> train_by, held_out_by;  // by recording
  double share_explained = 0;                 // 1 − Σ r²/Σ (measured − mean)²
  bool describes = false;                     // at least nine tenths of it
  std::vector<Estimate> estimates;
  double restart_spread = 0;                  // of the errors of the restarts
  Range range;
  std::int64_t evaluations = 0;               // replays of one recording
};

/// Nothing if it was stopped on the way.
std::optional<Result> fit(const std::vector<Recording>& recordings, const Options& options);

/// Error of a servo on one recording; flywheels, whose encoder's zero is not known, without the mean.
double error_on(const Recording& r, const DriveSpec& drive, const Bench& bench, bool rms);

/// The table [passport] of a servo file.
std::string passport(const Result& result, const std::vector<Recording>& recordings, bool rms);

}  // namespace gradus::fit

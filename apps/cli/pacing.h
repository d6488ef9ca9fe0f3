/// Keeps a run at its speed: simulated time against the wall clock. Outside the step, so that it can change no bit of
/// it.
#pragma once
#include <string>

namespace gradus::cli {

class Pacing {
 public:
  /// factor: of real time; 0: as fast as possible.
  Pacing(double factor, double sim_time);
  /// Waits until simulated time is due; notes when it is late by more than a tenth of a second.
  void wait(double sim_time);
  double behind() const { return worst_; }  // largest delay so far                    [s]
  bool missed() const { return worst_ > kLate; }
  static constexpr double kLate = 0.1;  // [s]

 private:
  double factor_, sim_start_, wall_start_, worst_ = 0;
};

}  // namespace gradus::cli

/// Keeps simulated time at a chosen multiple of wall time: says how many steps are due now, or how long to wait.
///
/// From an anchor (wall time w₀, step k₀) on, step k is due at w₀ + (k − k₀) h / factor. When the simulation cannot
/// keep up, at most kDebtMax of wall time is owed; the rest is forgotten by moving the anchor, and behind() says so.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>

namespace gradus::view {

class Pacer {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  Pacer(double h, Time now);

  void pause(Time now);
  void resume(Time now);
  void request_steps(int count);            // while paused; further requests add up
  void set_speed(double factor, Time now);  // infinity = as fast as possible

  int steps_due(Time now);               // at most a batch of kBatchMax of wall time; the caller takes them all
  void stepped(int count, Time now);     // … and reports here
  Clock::duration wait(Time now) const;  // until the next step is due; zero if one is

  bool is_paused() const { return is_paused_; }
  bool is_behind() const { return is_behind_; }
  double target() const { return factor_; }
  double actual(Time now) const;  // over the last second; 0 while paused

  static constexpr double kBatchMax = 0.010, kDebtMax = 0.100;  // [s]

 private:
  void anchor(Time now);

  double h_, factor_ = 1;
  bool is_paused_ = false, is_behind_ = false;
  int requested_ = 0;
  Time anchor_;
  std::int64_t since_anchor_ = 0;  // steps taken since then

  struct Mark {
    Time wall;
    std::int64_t steps;
  };
  std::array<Mark, 11> marks_{};  // every 0.1 s, the last second
  int mark_count_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace gradus::view

#include "server/pacing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gradus::view {
namespace {

using std::chrono::milliseconds;
constexpr double kStep = 0.001;

/// A clock that the test moves, and a simulation whose step takes `cost` of it.
struct Bench {
  Pacer::Time now{};
  Pacer pacer{kStep, now};
  long steps = 0;

  void run(milliseconds span, std::chrono::microseconds cost) {
    const Pacer::Time end = now + span;
    while (now < end) {
      const int due = pacer.steps_due(now);
      now += due * cost;
      steps += due;
      pacer.stepped(due, now);
      now += std::max<Pacer::Clock::duration>(pacer.wait(now), std::chrono::microseconds(10));
    }
  }
};

TEST(Pacer, keeps_each_speed_within_one_percent) {
  for (double factor : {1.0 / 64, 1.0 / 16, 0.25, 1.0, 2.0, 8.0}) {
    Bench b;
    b.pacer.set_speed(factor, b.now);
    b.run(milliseconds(3000), std::chrono::microseconds(5));
    EXPECT_NEAR(static_cast<double>(b.steps) * kStep, 3 * factor, 0.03 * factor + kStep) << factor;
    EXPECT_NEAR(b.pacer.actual(b.now), factor, 0.02 * factor) << factor;
    EXPECT_FALSE(b.pacer.is_behind());
  }
}

TEST(Pacer, paused_stands_still_and_steps_exactly_as_asked) {
  Bench b;
  b.pacer.pause(b.now);
  b.run(milliseconds(100), std::chrono::microseconds(5));
  EXPECT_EQ(b.steps, 0);
  EXPECT_EQ(b.pacer.actual(b.now), 0);
  b.pacer.request_steps(1);
  b.pacer.request_steps(2);
  b.run(milliseconds(100), std::chrono::microseconds(5));
  EXPECT_EQ(b.steps, 3);
}

TEST(Pacer, time_spent_paused_is_not_caught_up) {
  Bench b;
  b.pacer.pause(b.now);
  b.now += std::chrono::seconds(100);
  b.pacer.resume(b.now);
  b.run(milliseconds(1000), std::chrono::microseconds(5));
  EXPECT_NEAR(static_cast<double>(b.steps), 1000, 12);
}

TEST(Pacer, too_slow_a_simulation_is_reported_and_runs_flat_out) {
  Bench b;
  b.run(milliseconds(2000), std::chrono::microseconds(2000));  // a step of 1 ms costs 2 ms
  EXPECT_TRUE(b.pacer.is_behind());
  EXPECT_NEAR(b.pacer.actual(b.now), 0.5, 0.02);
  // once it is fast again, only the bounded debt is caught up, not the lost second
  b.steps = 0;
  b.run(milliseconds(1000), std::chrono::microseconds(5));
  EXPECT_FALSE(b.pacer.is_behind());
  EXPECT_LE(static_cast<double>(b.steps), (1.0 + Pacer::kDebtMax) / kStep + 12);
}

TEST(Pacer, as_fast_as_possible_never_waits) {
  Bench b;
  b.pacer.set_speed(std::numeric_limits<double>::infinity(), b.now);
  b.run(milliseconds(1000), std::chrono::microseconds(100));
  EXPECT_GT(b.steps, 9000);  // of 10000 that fit
  EXPECT_NEAR(b.pacer.actual(b.now), 10, 1);
}

}  // namespace
}  // namespace gradus::view

#include "sense/overhead_camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gradus::sense {
namespace {

std::vector<Sighting> moving(double time) { return {{time, 2 * time, 0.1, 1}, {-1, 0.5, time, 1}}; }

TEST(OverheadCamera, FramesArriveLateByTheDelayAndAtTheRate) {
  const OverheadOptions o{.rate = 50, .delay = 0.07};
  std::vector<double> memory(overhead_memory_size(o, 2));
  std::vector<Sighting> seen(2);
  for (int k = 0; k <= 1000; ++k) {
    const double t = 0.001 * k;
    EXPECT_EQ(expose(o, t, moving(t), memory), k / 20 + 1) << k;
    const double exposed = look(o, t, memory, seen);
    if (t < 0.07 - 1e-6) {
      EXPECT_LT(exposed, 0) << "nothing has arrived yet";
      continue;
    }
    const double expected = 0.02 * std::floor((t - 0.07) / 0.02 + 1e-6);
    EXPECT_NEAR(exposed, expected, 1e-9) << k;
    EXPECT_NEAR(seen[0].y, 2 * expected, 1e-9);
    EXPECT_NEAR(seen[1].theta, expected, 1e-9);
  }
}

TEST(OverheadCamera, NoiseHasItsDeviationAndIsAddressedBySeed) {
  const OverheadOptions o{
      .rate = 100, .delay = 0, .position_noise = 2e-3, .heading_noise = 0.02, .miss = 0.1, .seed = 4};
  std::vector<double> memory(overhead_memory_size(o, 2)), again = memory;
  std::vector<Sighting> seen(2);
  const std::vector<Sighting> truth = {{0.5, -0.25, 1, 1}, {0, 0, 0, 0}};
  double sum = 0, square = 0, turn = 0;
  int count = 0, missed = 0;
  for (int k = 0; k < 20000; ++k) {
    expose(o, 0.01 * k, truth, memory);
    look(o, 0.01 * k, memory, seen);
    EXPECT_EQ(seen[1].seen, 0) << "an absent body is never seen";
    if (seen[0].seen == 0) {
      ++missed;
      continue;
    }
    ++count;
    sum += seen[0].x - 0.5, square += (seen[0].x - 0.5) * (seen[0].x - 0.5);
    turn += (seen[0].theta - 1) * (seen[0].theta - 1);
  }
  EXPECT_NEAR(sum / count, 0, 6e-5);
  EXPECT_NEAR(std::sqrt(square / count), 2e-3, 5e-5);
  EXPECT_NEAR(std::sqrt(turn / count), 0.02, 5e-4);
  EXPECT_NEAR(missed / 20000.0, 0.1, 0.01);
  expose(o, 199.99, truth, again);  // catching up at once gives the same frames
  EXPECT_EQ(memory, again);
}

TEST(OverheadCamera, WithoutDelayAndNoiseItShowsTheTruth) {
  const OverheadOptions o;
  std::vector<double> memory(overhead_memory_size(o, 2));
  std::vector<Sighting> seen(2);
  expose(o, 0, moving(0.3), memory);
  EXPECT_EQ(look(o, 0, memory, seen), 0);
  EXPECT_EQ(seen[0].x, 0.3);
}

}  // namespace
}  // namespace gradus::sense

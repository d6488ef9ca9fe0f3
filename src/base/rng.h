/// Random numbers addressed by what they are for, not drawn from a stream: the same (seed, robot, purpose, step) gives
/// the same number whatever else the simulation does, on any thread.
///
/// Two rounds of the SplitMix64 finaliser over the key [Steele, Lea, Flood 2014].
#pragma once
#include <cstdint>

#include "base/hd.h"

namespace gradus {

GRADUS_INLINE std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t robot = 0;    // which robot
  std::uint32_t purpose = 0;  // which sensor, controller or test
};

/// Uniform 64 bits for draw number `draw` of step `step`.
GRADUS_INLINE std::uint64_t random_bits(const RandomKey& key, std::uint64_t step, std::uint32_t draw) {
  const std::uint64_t a = mix64(key.seed + 0x9e3779b97f4a7c15ull * (1 + key.robot));
  const std::uint64_t b = mix64(a + 0xd1b54a32d192ed03ull * (1 + key.purpose) + draw);
  return mix64(b ^ mix64(step + 0x9e3779b97f4a7c15ull));
}

/// Uniform in [0, 1), 53 bits.
GRADUS_INLINE double random_uniform(const RandomKey& key, std::uint64_t step, std::uint32_t draw) {
  return static_cast<double>(random_bits(key, step, draw) >> 11) * 0x1.0p-53;
}

/// Uniform in [lo, hi).
GRADUS_INLINE double random_in(const RandomKey& key, std::uint64_t step, std::uint32_t draw, double lo, double hi) {
  return lo + (hi - lo) * random_uniform(key, step, draw);
}

}  // namespace gradus

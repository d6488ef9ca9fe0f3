/// One model for all channels: MuRoSimF 2009's base class (mapping, saturation, noise, A/D) with time added
/// [facts/sensors.md 7]. x: true value at step k of length h; n: number of the sample; w: normal numbers.
///
///   v   = (1 + s) x + o + b + D √(1/2h) w_k                s, o drawn once; b: drift; D: density per √Hz, one-sided   (1)
///   y   = y + a (v − y),  a = W/(1 + W),  W = 2π f_c h     low-pass of first order, implicit; f_c = 0: y = v         (2)
///   z_n = y + σ w_n                                        sample due at phase + n/rate                              (3)
///   z_n = clamp(z_n, lower, upper),  z_n = q ⌊z_n/q + ½⌋    saturation and A/D                                        (4)
///   b   = f b + √(1 − f²) S w_n,  f = 1/(1 + 1/(rate T))   drift: deviation S, correlation time T (Gauss–Markov)     (5)
///   seen at t: the newest z_n with phase + n/rate + delay ≤ t                                                         (6)
///
/// (1) stands before (2): noise of a density is filtered like the signal, so both its density at low frequency and its
/// rms are right.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/rng.h"
#include "sense/sense.h"

namespace gradus::sense {

/// What a channel's random numbers are for.
enum class Purpose : std::uint64_t { scale = 1, offset, density, sample, drift, seen, false_alarm };

/// Nearly normal, mean 0, deviation 1: (ones among 128 random bits − 64 + u − ½)/√(32 + 1/12), u uniform. Largest error of
/// the distribution 0.065 %, excess kurtosis −0.016 [facts/sensors.md 7]. Integers and one division: the same bits
/// everywhere.
inline double normal(std::uint64_t key, Purpose purpose, std::int64_t number) {
  const std::uint64_t at = mix64(static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15ull +
                                 static_cast<std::uint64_t>(purpose)) ^ key;
  const std::uint64_t a = mix64(at), b = mix64(at + 0xd1b54a32d192ed03ull), c = mix64(at + 0x9e3779b97f4a7c15ull);
  const double u = static_cast<double>(c >> 11) * 0x1.0p-53;
  return (static_cast<double>(std::popcount(a) + std::popcount(b)) - 64.5 + u) * 0.17654696590094993;  // 1/√(32 + 1/12)
}

/// Uniform in [0, 1).
inline double uniform(const Channel& c, Purpose purpose, std::int64_t number) {
  return static_cast<double>(mix64(c.key ^ mix64(static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(purpose))) >> 11) * 0x1.0p-53;
}

/// (1), (2). y, b: the channel's memory.
inline double filtered(const Channel& c, double x, double y, double b, std::int64_t k) {
  double v = c.gain * x + c.offset + b;
  if (c.density > 0) v += c.density * normal(c.key, Purpose::density, k);
  return c.share < 1 ? y + c.share * (v - y) : v;
}

/// (3), (4).
inline double sampled(const Channel& c, double y, std::int64_t n) {
  double z = c.noise > 0 ? y + c.noise * normal(c.key, Purpose::sample, n) : y;
  z = minimum(maximum(z, c.lower), c.upper);
  return c.digit > 0 ? c.digit * std::floor(z / c.digit + 0.5) : z;
}

/// (5)
inline double drifted(const Channel& c, double b, std::int64_t n) {
  return c.drift > 0 ? c.keeps * b + c.drift * normal(c.key, Purpose::drift, n) : b;
}

}  // namespace gradus::sense

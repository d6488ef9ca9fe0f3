#include "math/power.h"

#include <bit>
#include <cstdint>

#include "math/scalar.h"

namespace gradus {
namespace {

constexpr double kLn2Big = 0x1.62e42fefa0000p-1;  // ln 2 without its last bits: times a small whole number it is exact
constexpr double kLn2Small = 0x1.cf79abc9e3b3ap-40;  // the rest

}  // namespace

/// x = m 2ᵏ with m in [√½, √2];  ln m = 2 artanh(s), s = (m − 1)/(m + 1), whose series ends below 1e-18 at s²¹.
double natural_logarithm(double x) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  int k = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (m > 1.4142135623730951) m *= 0.5, ++k;
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 0;
  for (int i = 21; i >= 3; i -= 2) sum = (sum + 1.0 / i) * z;
  return k * kLn2Big + (2 * s + (2 * s * sum + k * kLn2Small));
}

/// x = k ln 2 + r with |r| ≤ ln 2 / 2; the series of eʳ ends below 1e-17 at r¹⁴.
double exponential(double x) {
  constexpr double kMagic = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to a whole number
  const double k = (x * 1.4426950408889634 + kMagic) - kMagic, r = (x - k * kLn2Big) - k * kLn2Small;
  double sum = 1;
  for (int i = 14; i >= 1; --i) sum = 1 + sum * r / i;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
}

double power(double x, double y) { return x > 0 ? exponential(y * natural_logarithm(x)) : 0; }

double tangent(double x) {
  double s, c;
  sine_cosine(x, s, c);
  return s / c;
}

}  // namespace gradus

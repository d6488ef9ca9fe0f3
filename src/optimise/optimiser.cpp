#include "optimise/optimiser.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "math/power.h"
#include "math/scalar.h"

namespace gradus::optimise {
namespace {

constexpr std::uint32_t kPurpose = 0x0b7;  // of these random numbers

}  // namespace

double reflected(double x) {
  x = std::fmod(std::fabs(x), 2.0);  // exact
  return x > 1 ? 2 - x : x;
}

std::vector<std::size_t> ranking(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

std::span<const Point> Optimiser::ask() {
  if (!asked_) candidates_.clear(), make_candidates(candidates_);
  asked_ = true;
  return candidates_;
}

void Optimiser::tell(std::span<const double> values) {
  std::vector<double> f(values.begin(), values.end());
  f.resize(candidates_.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (!std::isfinite(f[i])) f[i] = std::numeric_limits<double>::infinity();
    if (f[i] < best_value_ || best_.empty()) best_value_ = f[i], best_ = candidates_[i];
  }
  evaluations_ += static_cast<std::int64_t>(f.size());
  ++generation_;
  learn(candidates_, f);
  asked_ = false;
}

std::vector<double> Optimiser::save() {
  Archive a;
  std::int64_t asked = asked_;
  a(asked), a(seed_), a(draws_), a(evaluations_), a(generation_), a(best_), a(best_value_), a(candidates_);
  visit(a);
  return a.numbers();
}

bool Optimiser::restore(const std::vector<double>& numbers) {
  Archive a(numbers);
  std::int64_t asked = 0;
  a(asked), a(seed_), a(draws_), a(evaluations_), a(generation_), a(best_), a(best_value_), a(candidates_);
  asked_ = asked != 0;
  visit(a);
  bool fits = a.at_end() && (best_.empty() || best_.size() == size_);
  for (const Point& p : candidates_) fits = fits && p.size() == size_;
  return fits;
}

double Optimiser::uniform() {
  return random_uniform({static_cast<std::uint64_t>(seed_), 0, kPurpose}, static_cast<std::uint64_t>(draws_++), 0);
}

/// Box and Muller 1958; one of the pair.
double Optimiser::normal() {
  const double u = 1 - uniform(), turn = 6.283185307179586 * uniform();
  double s, c;
  sine_cosine(turn, s, c);
  return std::sqrt(-2 * natural_logarithm(u)) * c;
}

Point Optimiser::anywhere() {
  Point x(size_);
  for (double& u : x) u = uniform();
  return x;
}

std::size_t Optimiser::pick(std::size_t count) {
  return std::min(count - 1, static_cast<std::size_t>(uniform() * static_cast<double>(count)));
}

}  // namespace gradus::optimise

// The (μ, κ, λ, ρ) evolution strategy of MoToFlex 2011 [Schwefel, Rudolph, Bäck 1995; Beyer, Schwefel 2002].
//
// Each individual has a place x and step sizes σ of its own. Of λ offspring each has ρ parents drawn with equal
// probability: every coordinate of x comes from one of them, σ is their geometric mean. Then
//   σᵢ′ = σᵢ exp(τ₀ N + τ Nᵢ),   τ₀ = 1/√(2n),  τ = 1/√(2√n),   σᵢ′ ≥ 1e-7                                          (1)
//   xᵢ′ = xᵢ + σᵢ′ Nᵢ, reflected at the sides of the cube                                                           (2)
// The μ best of offspring and of parents younger than κ generations are the next parents; ties by age of creation.
// κ = 1 is the comma strategy; without an end of life it is the plus strategy. The paper's own numbers are μ 10, κ 3,
// λ 800; ρ is not given there.
#include <algorithm>
#include <cmath>

#include "math/power.h"
#include "optimise/optimiser.h"

namespace gradus::optimise {
namespace {

constexpr double kLeastStep = 1e-7;

class EvolutionStrategy final : public Optimiser {
 public:
  explicit EvolutionStrategy(const Setup& s)
      : Optimiser(s),
        lambda_(static_cast<std::size_t>(s.population > 0 ? s.population : 100)),
        mu_(static_cast<std::size_t>(s.parents > 0 ? s.parents : std::max<std::int64_t>(1, static_cast<std::int64_t>(lambda_) / 7))),
        rho_(static_cast<std::size_t>(std::max<std::int64_t>(1, s.mates))),
        life_(s.life),
        start_(s.start),
        spread_(s.spread) {}

 private:
  struct Individual {
    Point x, sigma;
    double value = 0;
    std::int64_t age = 0;
  };

  void make_candidates(std::vector<Point>& out) override {
    offspring_.clear();
    for (std::size_t i = 0; i < lambda_; ++i) offspring_.push_back(parents_.empty() ? first(i) : child());
    for (const Individual& c : offspring_) out.push_back(c.x);
  }

  Individual first(std::size_t i) {
    Individual c{anywhere(), Point(size(), spread_)};
    for (std::size_t k = 0; !start_.empty() && k < size(); ++k)
      c.x[k] = i == 0 ? start_[k] : reflected(start_[k] + spread_ * normal());
    return c;
  }

  Individual child() {
    std::vector<const Individual*> mates;
    for (std::size_t r = 0; r < rho_; ++r) mates.push_back(&parents_[pick(parents_.size())]);
    Individual c{Point(size()), Point(size())};
    const double n = static_cast<double>(size());
    const double common = normal() / std::sqrt(2 * n), each = 1 / std::sqrt(2 * std::sqrt(n));
    for (std::size_t k = 0; k < size(); ++k) {
      double log_sigma = 0;
      for (const Individual* m : mates) log_sigma += natural_logarithm(m->sigma[k]);
      const double grown = log_sigma / static_cast<double>(rho_) + common + each * normal();
      c.sigma[k] = std::clamp(exponential(std::clamp(grown, -100.0, 100.0)), kLeastStep, 1.0);  // (1)
      c.x[k] = reflected(mates[pick(rho_)]->x[k] + c.sigma[k] * normal());                      // (2)
    }
    return c;
  }

  void learn(std::span<const Point>, std::span<const double> values) override {
    std::vector<Individual> pool;
    for (Individual& p : parents_)
      if (++p.age < life_ || life_ == 0) pool.push_back(std::move(p));
    for (std::size_t i = 0; i < offspring_.size(); ++i)
      offspring_[i].value = values[i], pool.push_back(std::move(offspring_[i]));
    std::stable_sort(pool.begin(), pool.end(), [](const Individual& a, const Individual& b) { return a.value < b.value; });
    pool.resize(std::min(pool.size(), mu_));
    parents_ = std::move(pool);
    offspring_.clear();
  }

  void visit(Archive& a) override { visit(a, parents_), visit(a, offspring_); }

  static void visit(Archive& a, std::vector<Individual>& people) {
    auto n = static_cast<std::int64_t>(people.size());
    a(n);
    if (a.loads()) {
      if (!a.good() || n < 0 || n > 10'000'000) return;
      people.clear();
    }
    for (std::int64_t i = 0; i < n && a.good(); ++i) {
      if (a.loads()) people.emplace_back();
      Individual& p = people[static_cast<std::size_t>(i)];
      a(p.x), a(p.sigma), a(p.value), a(p.age);
    }
  }

  std::size_t lambda_, mu_, rho_;
  std::int64_t life_;
  Point start_;
  double spread_;
  std::vector<Individual> parents_, offspring_;
};

}  // namespace

std::unique_ptr<Optimiser> make_es(const Setup& setup) { return std::make_unique<EvolutionStrategy>(setup); }

}  // namespace gradus::optimise

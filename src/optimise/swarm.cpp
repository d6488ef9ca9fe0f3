// Particle swarm with the coefficients of Clerc and Kennedy 2002 and a ring of neighbours, which keeps the swarm from
// running to the first good place.
//
//   v ← χ v + c r₁ (own best − x) + c r₂ (best of the neighbours − x),   x ← x + v,   χ = 0.7298, c = 1.4962       (1)
//
// A particle that leaves the cube is set on its side and turns round: v ← −v/2 there.
#include <algorithm>
#include <limits>

#include "optimise/optimiser.h"

namespace gradus::optimise {
namespace {

constexpr double kInertia = 0.7298, kPull = 1.4962;

class Swarm final : public Optimiser {
 public:
  explicit Swarm(const Setup& s)
      : Optimiser(s), count_(static_cast<std::size_t>(s.population > 0 ? s.population : 40)), start_(s.start), spread_(s.spread) {}

 private:
  void make_candidates(std::vector<Point>& out) override {
    if (x_.empty()) begin();
    for (std::size_t i = 0; generation() > 0 && i < count_; ++i) move(i);
    out = x_;
  }

  void begin() {
    for (std::size_t i = 0; i < count_; ++i) {
      x_.push_back(anywhere()), v_.push_back(anywhere());
      for (double& v : v_.back()) v = spread_ * (v - 0.5);
      if (start_.empty()) continue;
      for (std::size_t k = 0; k < size(); ++k)  // around the start, the first one on it
        x_[i][k] = i == 0 ? start_[k] : reflected(start_[k] + 2 * spread_ * (x_[i][k] - 0.5));
    }
    own_ = x_;
    own_value_.assign(count_, std::numeric_limits<double>::infinity());
  }

  void move(std::size_t i) {
    std::size_t leader = i;
    for (const std::size_t j : {(i + count_ - 1) % count_, (i + 1) % count_})
      if (own_value_[j] < own_value_[leader]) leader = j;
    for (std::size_t k = 0; k < size(); ++k) {
      double &x = x_[i][k], &v = v_[i][k];
      v = kInertia * v + kPull * (uniform() * (own_[i][k] - x) + uniform() * (own_[leader][k] - x));  // (1)
      x += v;
      if (x < 0 || x > 1) x = x < 0 ? 0 : 1, v *= -0.5;
    }
  }

  void learn(std::span<const Point> candidates, std::span<const double> values) override {
    for (std::size_t i = 0; i < count_; ++i)
      if (values[i] < own_value_[i]) own_value_[i] = values[i], own_[i] = candidates[i];
  }

  void visit(Archive& a) override { a(x_), a(v_), a(own_), a(own_value_); }

  std::size_t count_;
  Point start_;
  double spread_;
  std::vector<Point> x_, v_, own_;
  std::vector<double> own_value_;
};

}  // namespace

std::unique_ptr<Optimiser> make_swarm(const Setup& setup) { return std::make_unique<Swarm>(setup); }

}  // namespace gradus::optimise

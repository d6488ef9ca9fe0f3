// Random search: uniform in the cube, the first candidate at the start if there is one.
#include <algorithm>

#include "optimise/optimiser.h"

namespace gradus::optimise {
namespace {

class RandomSearch final : public Optimiser {
 public:
  explicit RandomSearch(const Setup& s)
      : Optimiser(s), population_(static_cast<std::size_t>(s.population > 0 ? s.population : 24)), start_(s.start) {}

 private:
  void make_candidates(std::vector<Point>& out) override {
    while (out.size() < population_) out.push_back(out.empty() && generation() == 0 && !start_.empty() ? start_ : anywhere());
  }
  void learn(std::span<const Point>, std::span<const double>) override {}
  void visit(Archive&) override {}

  std::size_t population_;
  Point start_;
};

}  // namespace

std::unique_ptr<Optimiser> make_random(const Setup& setup) { return std::make_unique<RandomSearch>(setup); }

}  // namespace gradus::optimise

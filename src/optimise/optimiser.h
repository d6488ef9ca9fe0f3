/// One contract for all searches: ask for candidates, evaluate them wherever you like, tell how good they were.
///
///   while (evaluations < budget) { auto points = search->ask(); search->tell(values of points); }
///
/// Candidates are points of the unit cube [0, 1]ⁿ; what the coordinates mean is the business of whoever asks [space.h].
/// Smaller values are better; one that is not finite counts as worse than all others. Only the order of values matters
/// to every method here. Random numbers are addressed by seed and a counter, and no function of the C library is used
/// that differs between systems: the same seed and values give the same candidates everywhere, and a search that was
/// saved and restored goes on as if nothing had happened.
///
/// A new method is a file with a class and a line in registry.cpp.
#pragma once
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "optimise/archive.h"

namespace gradus::optimise {

using Point = std::vector<double>;  // (n) coordinates

struct Setup {
  std::size_t size = 0;           // n
  std::int64_t seed = 1;
  std::int64_t population = 0;    // candidates a generation; 0: the method's own choice
  Point start = {};               // where to begin; empty: anywhere
  double spread = 0.25;           // first steps, as a share of the cube
  // evolution strategy [es.cpp]
  std::int64_t parents = 0;       // μ; 0: a seventh of the population
  std::int64_t life = 3;          // κ, generations; 0: for ever
  std::int64_t mates = 2;         // ρ
};

class Optimiser {
 public:
  virtual ~Optimiser() = default;
  /// The next candidates; the same ones until their values are told.
  std::span<const Point> ask();
  void tell(std::span<const double> values);  // one for each candidate, in their order

  const Point& best() const { return best_; }               // ever seen; empty before the first tell
  double best_value() const { return best_value_; }
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t generation() const { return generation_; }

  /// All that is needed to go on. Between tell and ask, or after ask: the candidates are asked for again.
  std::vector<double> save();
  /// False if these are not the numbers of such a search; it is then of no use any more.
  bool restore(const std::vector<double>& numbers);

 protected:
  explicit Optimiser(const Setup& setup) : size_(setup.size), seed_(setup.seed) {}
  virtual void make_candidates(std::vector<Point>& out) = 0;
  /// values: finite, or +∞.
  virtual void learn(std::span<const Point> candidates, std::span<const double> values) = 0;
  virtual void visit(Archive& archive) = 0;

  double uniform();  // in [0, 1)
  double normal();   // N(0, 1)
  Point anywhere();  // in the cube
  std::size_t pick(std::size_t count);  // 0 … count − 1
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::int64_t seed_, draws_ = 0, evaluations_ = 0, generation_ = 0;
  std::vector<Point> candidates_;
  bool asked_ = false;
  Point best_;
  double best_value_ = std::numeric_limits<double>::infinity();
};

/// Into the cube, as a mirror at each side would bring it.
double reflected(double x);
/// Numbers of the candidates, best first; ties in their order.
std::vector<std::size_t> ranking(std::span<const double> values);

struct Method {
  std::string_view name, about;
  std::unique_ptr<Optimiser> (*make)(const Setup&);
};
std::span<const Method> methods();
/// Null if there is no such method.
std::unique_ptr<Optimiser> make_optimiser(std::string_view method, const Setup& setup);

}  // namespace gradus::optimise

// Searches on standard functions, n = 10, and what a checkpoint must keep.
#include "optimise/optimiser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "optimise/cma.h"
#include "optimise/space.h"

namespace gradus::optimise {
namespace {

using Function = std::function<double(const Point&)>;

constexpr double kPi = 3.14159265358979323846;

/// The cube stands for −5 … 5; the optimum lies off its middle.
Point place(const Point& u) {
  Point x;
  for (const double c : u) x.push_back(10 * c - 5 - 0.7);
  return x;
}
double sphere(const Point& u) {
  double f = 0;
  for (const double x : place(u)) f += x * x;
  return f;
}
double ellipsoid(const Point& u) {
  const Point x = place(u);
  double f = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    f += std::pow(1e6, static_cast<double>(i) / static_cast<double>(x.size() - 1)) * x[i] * x[i];
  return f;
}
double rosenbrock(const Point& u) {
  Point x = place(u);
  double f = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    f += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2);
  return f;
}
double rastrigin(const Point& u) {
  double f = 0;
  for (const double x : place(u)) f += 10 + x * x - 10 * std::cos(2 * kPi * x);
  return f;
}

struct End {
  std::int64_t evaluations;
  double best;
};
End search(const std::string& method, Setup setup, const Function& f, double target, std::int64_t budget) {
  setup.size = 10;
  const auto s = make_optimiser(method, setup);
  while (s->evaluations() < budget && s->best_value() > target) {
    std::vector<double> values;
    for (const Point& p : s->ask()) values.push_back(f(p));
    s->tell(values);
  }
  return {s->evaluations(), s->best_value()};
}

/// Median over five seeds; those that do not reach the target count as the budget.
std::int64_t median(const std::string& method, Setup setup, const Function& f, double target, std::int64_t budget) {
  std::vector<std::int64_t> all;
  for (setup.seed = 1; setup.seed <= 5; ++setup.seed) {
    const End e = search(method, setup, f, target, budget);
    all.push_back(e.best <= target ? e.evaluations : budget * 10);
  }
  std::sort(all.begin(), all.end());
  return all[2];
}

// Medians measured with other programs on the same functions: CMA-ES with λ = 10 needs 1,193, 5,470 and 5,942
// evaluations, with λ = 100 5,805; the strategy (15, 1, 100) 5,903 on the sphere, the paper's (10, 3, 800) 24,392. A
// wrong sign or constant costs far more than the third that is allowed here.
TEST(Optimiser, cma_needs_as_many_evaluations_as_others) {
  EXPECT_LT(median("cma", {.population = 10}, sphere, 1e-6, 20000), 1193 * 4 / 3);
  EXPECT_LT(median("cma", {.population = 10}, ellipsoid, 1e-6, 20000), 5470 * 4 / 3);
  EXPECT_LT(median("cma", {.population = 10}, rosenbrock, 1e-6, 30000), 5942 * 3 / 2);
  EXPECT_LT(median("cma", {.population = 100}, sphere, 1e-6, 20000), 5805 * 4 / 3);
}
TEST(Optimiser, evolution_strategy_needs_as_many_evaluations_as_others) {
  EXPECT_LT(median("es", {.population = 100, .parents = 15, .life = 1, .mates = 2}, sphere, 1e-6, 20000), 5903 * 4 / 3);
  EXPECT_LT(median("es", {.population = 800, .parents = 10, .life = 3, .mates = 2}, sphere, 1e-6, 60000), 24392 * 4 / 3);
}
TEST(Optimiser, swarm_reaches_the_sphere_and_random_search_does_not) {
  EXPECT_LT(median("swarm", {}, sphere, 1e-6, 40000), 20000);
  EXPECT_GT(search("random", {}, sphere, 1e-6, 40000).best, 1);
}
TEST(Optimiser, restarts_of_twice_the_population_leave_local_minima) {
  const End e = search("cma", {.seed = 3}, rastrigin, 1e-2, 200000);
  EXPECT_LE(e.best, 1e-2) << e.evaluations;
}

TEST(Optimiser, a_restored_search_goes_on_as_if_nothing_had_happened) {
  for (const Method& m : methods())
    for (const bool after_ask : {false, true}) {
      const optimise::Setup setup{.size = 6, .seed = 7, .population = 12};
      const auto a = make_optimiser(m.name, setup);
      auto round = [](Optimiser& s) {
        std::vector<double> values;
        for (const Point& p : s.ask()) values.push_back(rosenbrock(p));
        s.tell(values);
      };
      for (int i = 0; i < 5; ++i) round(*a);
      if (after_ask) a->ask();
      const auto b = make_optimiser(m.name, setup);
      ASSERT_TRUE(b->restore(a->save())) << m.name;
      for (int i = 0; i < 5; ++i) round(*a), round(*b);
      EXPECT_EQ(a->best(), b->best()) << m.name;
      EXPECT_EQ(a->save(), b->save()) << m.name;
    }
}
TEST(Optimiser, damaged_numbers_are_refused) {
  for (const Method& m : methods()) {
    const auto a = make_optimiser(m.name, {.size = 4});
    a->ask();
    std::vector<double> numbers = a->save();
    for (std::size_t keep = 0; keep < numbers.size(); keep += 7) {
      const auto b = make_optimiser(m.name, {.size = 4});
      EXPECT_FALSE(b->restore({numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(keep)}));
    }
    numbers.push_back(0);
    EXPECT_FALSE(make_optimiser(m.name, {.size = 4})->restore(numbers));
  }
}
TEST(Optimiser, candidates_stay_in_the_cube_and_begin_at_the_start) {
  for (const Method& m : methods()) {
    const Point start{0.99, 0.01, 0.5};
    const auto s = make_optimiser(m.name, {.size = 3, .population = 50, .start = start, .spread = 0.5});
    double off = 0;
    for (int round = 0; round < 20; ++round) {
      std::vector<double> values;
      for (const Point& p : s->ask()) {
        for (const double u : p) EXPECT_TRUE(u >= 0 && u <= 1) << m.name;
        values.push_back(-p[0]);  // drives it to a side
      }
      if (round == 0 && m.name != "cma") {
        for (std::size_t i = 0; i < 3; ++i) off += std::fabs(s->ask()[0][i] - start[i]);
        EXPECT_EQ(off, 0) << m.name;
      }
      s->tell(values);
    }
    EXPECT_GT(s->best()[0], 0.95) << m.name;
  }
}
TEST(Optimiser, values_that_are_not_finite_are_worse_than_all_others) {
  for (const Method& m : methods()) {
    const auto s = make_optimiser(m.name, {.size = 2});
    for (int round = 0; round < 30; ++round) {
      std::vector<double> values;
      for (const Point& p : s->ask()) values.push_back(p[0] > 0.5 ? NAN : sphere(p));
      s->tell(values);
    }
    EXPECT_TRUE(std::isfinite(s->best_value())) << m.name;
    EXPECT_LE(s->best()[0], 0.5) << m.name;
  }
}

TEST(Space, coordinates_and_values_are_each_others_inverse) {
  const Axis line{"a", "m", -2, 5, false}, decades{"b", "", 1e-3, 10, true};
  for (const double u : {0.0, 0.125, 0.5, 0.99, 1.0}) {
    EXPECT_NEAR(coordinate_of(line, value_of(line, u)), u, 1e-14);
    EXPECT_NEAR(coordinate_of(decades, value_of(decades, u)), u, 1e-14);
  }
  EXPECT_NEAR(value_of(decades, 0.5), 0.1, 1e-15);  // the geometric mean
  EXPECT_EQ(value_of(line, 1.25), value_of(line, 0.75));
  EXPECT_EQ(value_of(line, -0.25), value_of(line, 0.25));
}

TEST(Cma, diagonalises) {
  const std::vector<double> C{4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 1};
  std::vector<double> values, B;
  diagonalise(3, C, values, B);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      double x = 0;
      for (int k = 0; k < 3; ++k) x += B[static_cast<std::size_t>(3 * r + k)] * values[static_cast<std::size_t>(k)] * B[static_cast<std::size_t>(3 * c + k)];
      EXPECT_NEAR(x, C[static_cast<std::size_t>(3 * r + c)], 1e-14);
    }
}

}  // namespace
}  // namespace gradus::optimise

/// The dual Newton system against a dense solution of the same equations.
#include "contact/solve/active_system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gradus::test {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// Gauss with row pivoting.
std::vector<double> dense_solution(Matrix M, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::fabs(M[i][k]) > std::fabs(M[p][k])) p = i;
    std::swap(M[p], M[k]), std::swap(b[p], b[k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = M[i][k] / M[k][k];
      for (std::size_t j = k; j < n; ++j) M[i][j] -= f * M[k][j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= M[k][j] * b[j];
    b[k] /= M[k][k];
  }
  return b;
}

/// E (unknowns × 3) and T (3 × unknowns) of a contact.
void forms(const ActiveSystem::Local& L, double E[3][3], double T[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) E[i][j] = T[i][j] = !L.slip && i == j;
  if (!L.slip) return;
  E[0][0] = T[0][0] = 1;
  T[1][0] = L.mu * L.d[0], T[2][0] = L.mu * L.d[1];
  E[1][1] = T[1][1] = -L.d[1], E[1][2] = T[2][1] = L.d[0];
}

struct Problem {
  std::vector<ActiveSystem::Ends> ends;
  std::vector<ActiveSystem::Local> locals;
  std::vector<std::uint8_t> wanted;
  Matrix J;  // (3 contacts) × (6 bodies): A = J Jᵀ
  int bodies = 0;
};

Problem random_problem(unsigned seed, int bodies, int contacts) {
  std::mt19937 g(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  Problem p;
  p.bodies = bodies;
  p.J.assign(static_cast<std::size_t>(3 * contacts), std::vector<double>(static_cast<std::size_t>(6 * bodies), 0.0));
  for (int i = 0; i < contacts; ++i) {
    const int a = static_cast<int>(g() % static_cast<unsigned>(bodies));
    int b = static_cast<int>((static_cast<unsigned>(a) + g() % 4) % static_cast<unsigned>(bodies + 1)) - 1;  // −1: static
    p.ends.push_back({a, b});
    for (int body : {a, b})
      for (int k = 0; k < 3 && body >= 0; ++k)
        for (int c = 0; c < 6; ++c) p.J[3 * i + k][6 * body + c] = u(g);
    ActiveSystem::Local L;
    L.n = 1 + static_cast<int>(g() % 3);
    L.slip = L.n == 2 || (L.n == 1 && g() % 2);
    const double angle = 3 * u(g);
    L.mu = 0.5, L.d[0] = std::cos(angle), L.d[1] = std::sin(angle), L.g[0] = u(g), L.g[1] = u(g);
    for (int k = 0; k < 3; ++k) L.D[k] = 0.5 + std::fabs(u(g)), L.b[k] = u(g);
    p.wanted.push_back(g() % 8 != 0);
    if (!p.wanted.back()) L.n = 0;
    p.locals.push_back(L);
  }
  return p;
}

/// Share of one body in A_ij.
double entry(const Problem& p, int i, int k, int j, int l, int body) {
  double sum = 0;
  for (int c = 6 * body; c < 6 * body + 6; ++c) sum += p.J[3 * i + k][c] * p.J[3 * j + l][c];
  return sum;
}

void fill(const Problem& p, ActiveSystem& system) {
  for (int place = 0; place < static_cast<int>(system.bodies().size()); ++place) {
    const auto contacts = system.contacts_of(place);
    ActiveSystem::Block* block = system.blocks_of(place);
    for (std::size_t j = 0; j < contacts.size(); ++j)
      for (std::size_t i = 0; i <= j; ++i, ++block)
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l)
            block->A[k][l] = entry(p, contacts[i], k, contacts[j], l, system.bodies()[place]);
  }
}

/// Largest difference of the two solutions.
double difference(const Problem& p, const ActiveSystem& system) {
  std::vector<int> at;
  int n = 0;
  for (const auto& L : p.locals) at.push_back(n), n += L.n;
  Matrix M(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n), 0.0));
  std::vector<double> b(static_cast<std::size_t>(n));
  const int m = static_cast<int>(p.ends.size());
  for (int i = 0; i < m; ++i) {
    const auto& I = p.locals[i];
    double E[3][3], T[3][3], unused[3][3];
    forms(I, E, unused);
    for (int r = 0; r < I.n; ++r) M[at[i] + r][at[i] + r] += I.D[r], b[at[i] + r] += I.b[r];
    for (int j = 0; j < m; ++j) {
      const auto& J = p.locals[j];
      if (J.n == 0) continue;
      forms(J, unused, T);
      double A[3][3] = {};
      for (int body = 0; body < p.bodies; ++body)
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) A[k][l] += entry(p, i, k, j, l, body);
      for (int r = 0; r < I.n; ++r)
        for (int k = 0; k < 3; ++k) {
          for (int c = 0; c < J.n; ++c)
            for (int l = 0; l < 3; ++l) M[at[i] + r][at[j] + c] += E[r][k] * A[k][l] * T[l][c];
          if (J.slip) b[at[i] + r] -= E[r][k] * (A[k][1] * J.g[0] + A[k][2] * J.g[1]);
        }
    }
  }
  const std::vector<double> z = dense_solution(M, b);
  double worst = 0;
  for (int i = 0; i < m; ++i)
    for (int r = 0; r < p.locals[i].n; ++r) worst = std::max(worst, std::fabs(z[at[i] + r] - system.z(i)[r]));
  return worst;
}

TEST(ActiveSystem, solves_the_same_equations_as_a_dense_matrix) {
  for (const auto& [bodies, contacts] : {std::pair{1, 3}, {2, 9}, {5, 12}, {12, 40}, {40, 60}, {30, 140}})
    for (unsigned seed = 1; seed < 6; ++seed) {
      const Problem p = random_problem(seed, bodies, contacts);
      ActiveSystem system(contacts, bodies);
      ASSERT_TRUE(system.order(p.ends, p.wanted));
      fill(p, system);
      ASSERT_TRUE(system.solve(p.locals));
      EXPECT_LT(difference(p, system), 1e-9) << bodies << ' ' << contacts << ' ' << seed;
    }
}

TEST(ActiveSystem, keeps_its_order_while_contacts_leave_and_says_when_it_does_not_fit) {
  Problem p = random_problem(7, 20, 80);
  ActiveSystem system(80, 20);
  ASSERT_TRUE(system.order(p.ends, p.wanted));
  fill(p, system);
  EXPECT_TRUE(system.fits(p.wanted));
  int dropped = 0;
  for (std::size_t i = 0; i < p.locals.size() && dropped < 8; i += 5)
    if (p.wanted[i]) p.wanted[i] = 0, p.locals[i].n = 0, ++dropped;
  EXPECT_TRUE(system.fits(p.wanted));
  ASSERT_TRUE(system.solve(p.locals));
  EXPECT_LT(difference(p, system), 1e-9);
  for (std::size_t i = 0; i < p.locals.size(); i += 2) p.wanted[i] = 0;
  EXPECT_FALSE(system.fits(p.wanted));  // too few left
  std::fill(p.wanted.begin(), p.wanted.end(), 1);
  EXPECT_FALSE(system.fits(p.wanted));  // some are not in it
}

}  // namespace
}  // namespace gradus::test

#include <array>

#include "optimise/cma.h"
#include "optimise/optimiser.h"

namespace gradus::optimise {

std::unique_ptr<Optimiser> make_es(const Setup& setup);      // es.cpp
std::unique_ptr<Optimiser> make_swarm(const Setup& setup);   // swarm.cpp
std::unique_ptr<Optimiser> make_random(const Setup& setup);  // random_search.cpp

std::span<const Method> methods() {
  static const std::array<Method, 4> all{{
      {"cma", "CMA-ES with restarts of twice the population: the default, for coupled parameters", make_cma},
      {"es", "evolution strategy (mu, kappa, lambda, rho) of MoToFlex 2011", make_es},
      {"swarm", "particle swarm with a ring of neighbours", make_swarm},
      {"random", "random search: what the others must beat", make_random},
  }};
  return all;
}

std::unique_ptr<Optimiser> make_optimiser(std::string_view method, const Setup& setup) {
  for (const Method& m : methods())
    if (m.name == method) return m.make(setup);
  return nullptr;
}

}  // namespace gradus::optimise

/// Any bytes as a learned policy: one with all its numbers, or errors.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "load/policy_json.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  const auto policy = gradus::load_policy(file.path());
  if (static_cast<bool>(policy) == gradus::has_errors(policy.notes())) std::abort();
  if (!policy) return 0;
  const std::vector<int>& n = policy->sizes;
  std::size_t weights = 0;
  for (std::size_t i = 1; i < n.size(); ++i)
    weights += static_cast<std::size_t>(n[i - 1] + 1) * static_cast<std::size_t>(n[i]);
  if (n.size() < 2 || policy->weights.size() != weights) std::abort();
  if (policy->mean.size() != static_cast<std::size_t>(n.front()) || policy->scale.size() != policy->mean.size()) std::abort();
  if (policy->start.size() != static_cast<std::size_t>(n.back())) std::abort();
  for (const float w : policy->weights)
    if (!std::isfinite(w)) std::abort();
  return 0;
}

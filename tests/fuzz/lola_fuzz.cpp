/// Any bytes as a LoLA answer: a message, half of one, or nonsense; never more than is there.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "link/lola/packet.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Outcome = gradus::lola::PackReader::Outcome;
  gradus::lola::Actuators a;
  std::size_t used = 0;
  std::string fault;
  const auto outcome = gradus::lola::decode(std::as_bytes(std::span(data, size)), a, used, fault);
  if (outcome == Outcome::malformed && fault.empty()) std::abort();
  if (outcome == Outcome::malformed || outcome == Outcome::incomplete) return 0;
  if (used == 0 || used > size) std::abort();
  for (const double x : a.position)
    if (!std::isfinite(x)) std::abort();
  return 0;
}

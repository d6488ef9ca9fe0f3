/// Any bytes as FIRASim's messages and the referee's: what is understood is written and understood again.
#include <cstdint>
#include <cstdlib>

#include "link/firasim/messages.h"

namespace {

template <class Message>
void try_as(std::span<const std::uint8_t> data) {
  Message first, second;
  if (!gradus::firasim::decode(data, first)) return;
  std::vector<std::uint8_t> bytes;
  gradus::firasim::encode(first, bytes);
  if (!gradus::firasim::decode(bytes, second)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  try_as<gradus::firasim::Environment>(bytes);
  try_as<gradus::firasim::Packet>(bytes);
  try_as<gradus::firasim::RefereeCommand>(bytes);
  try_as<gradus::firasim::RefereePlacement>(bytes);
  return 0;
}

#include "server/token.h"

#include <sys/random.h>

#include <array>
#include <cstdint>

namespace gradus::view {

std::string random_token() {
  std::array<std::uint8_t, 16> bits{};
  // Up to 256 bytes come in one piece once the pool is initialised [getrandom(2)].
  if (getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size())) return "";
  std::string text;
  for (std::uint8_t b : bits) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}

bool matches_secret(std::string_view given, std::string_view secret) {
  if (secret.empty() || given.size() != secret.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i]));
  return difference == 0;
}

}  // namespace gradus::view

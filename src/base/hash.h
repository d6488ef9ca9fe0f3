/// The state hash: xxh3, 64 bits, over the bytes of a state slab. -0.0 and 0.0 differ on purpose: replay compares bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace gradus {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);
inline std::uint64_t hash_doubles(std::span<const double> x, std::uint64_t seed = 0) {
  return hash_bytes(x.data(), x.size_bytes(), seed);
}

}  // namespace gradus

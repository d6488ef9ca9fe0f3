#define XXH_INLINE_ALL
#include "base/hash.h"

#include <xxhash.h>

namespace gradus {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

}  // namespace gradus

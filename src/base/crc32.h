/// CRC-32 of zip, PNG and MCAP: reflected polynomial 0xEDB88320, start and final xor 0xFFFFFFFF [ISO 3309].
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace gradus {

/// CRC of the bytes already covered by `before` (0 for none) followed by `data`: crc32(b, crc32(a)) = crc32(ab).
std::uint32_t crc32(std::span<const std::byte> data, std::uint32_t before = 0);

}  // namespace gradus

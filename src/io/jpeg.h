/// Pictures as JPEG bytes: baseline, chroma halved both ways, whole numbers only, so that the same picture gives the same
/// bytes everywhere. For viewers and logs; what programs see is never compressed.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace gradus {

/// Replaces `out`. rgb: rows of 3 bytes a pixel without gaps. quality: 1 … 100, as libjpeg's.
void encode_jpeg(int width, int height, std::span<const std::uint8_t> rgb, int quality, std::vector<std::uint8_t>& out);

}  // namespace gradus

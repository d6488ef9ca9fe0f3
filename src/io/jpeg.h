/// Baseline JPEG [ITU-T T.81], as cameras and old image servers send it: YCbCr in full range (JFIF), colours at half
/// the width, the tables of Annex K. The same bits everywhere.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace gradus {

/// Interleaved red, green, blue, rows from the top without padding: 3 · width · height bytes; width and height from 1
/// to 65535. quality: 1 … 100, as in libjpeg. Replaces `out`.
void encode_jpeg(std::span<const std::uint8_t> rgb, int width, int height, int quality, std::vector<std::uint8_t>& out);

}  // namespace gradus

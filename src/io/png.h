/// Pictures as PNG files.
#pragma once
#include <cstdint>
#include <string>

namespace gradus {

/// 3 bytes, 1 byte, 2 bytes (in the machine's order), 2 × 2 bytes (grey, then 0 or 65535: seen through or not) a pixel.
enum class PngKind { rgb, grey, grey16, grey16_alpha };

/// "" or what went wrong.
std::string write_png(const std::string& path, PngKind kind, int width, int height, const void* pixels);

}  // namespace gradus

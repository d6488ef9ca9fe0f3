/// Pictures as PNG files.
#pragma once
#include <cstdint>
#include <string>

namespace gradus {

enum class PngKind { rgb, grey, grey16 };  // 3 bytes, 1 byte, 2 bytes (in the machine's order) a pixel

/// "" or what went wrong.
std::string write_png(const std::string& path, PngKind kind, int width, int height, const void* pixels);

}  // namespace gradus

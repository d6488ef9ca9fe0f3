#include "io/png.h"

#include <png.h>

namespace gradus {
namespace {

png_uint_32 format_of(PngKind kind) {
  switch (kind) {
    case PngKind::rgb:
      return PNG_FORMAT_RGB;
    case PngKind::grey:
      return PNG_FORMAT_GRAY;
    case PngKind::grey16:
      return PNG_FORMAT_LINEAR_Y;
    case PngKind::grey16_alpha:
      return PNG_FORMAT_LINEAR_Y_ALPHA;
  }
  return PNG_FORMAT_RGB;
}

}  // namespace

std::string write_png(const std::string& path, PngKind kind, int width, int height, const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width), image.height = static_cast<png_uint_32>(height);
  image.format = format_of(kind);
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels, 0, nullptr) != 0) return "";
  return path + ": " + image.message;
}

}  // namespace gradus

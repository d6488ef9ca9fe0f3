#include "io/png.h"

#include <png.h>

namespace gradus {

std::string write_png(const std::string& path, PngKind kind, int width, int height, const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width), image.height = static_cast<png_uint_32>(height);
  image.format = kind == PngKind::rgb ? PNG_FORMAT_RGB : kind == PngKind::grey ? PNG_FORMAT_GRAY : PNG_FORMAT_LINEAR_Y;
  if (png_image_write_to_file(&image, path.c_str(), 0, pixels, 0, nullptr) != 0) return "";
  return path + ": " + image.message;
}

}  // namespace gradus

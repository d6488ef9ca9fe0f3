/// Maps as pictures, through libpng: any kind of PNG becomes rows of 1 to 4 samples of 8 or 16 bits; grey is the
/// luminance.
///
/// libpng reports errors by longjmp, so everything between setjmp and its target lives in plain arrays of PngReading,
/// made before and owned by the caller.
#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <limits>

#include "load/map.h"
#include "load/map_formats.h"

namespace gradus {
namespace {

struct PngReading {
  std::string_view bytes;
  std::size_t at = 0;
  char text[200] = "";  // what went wrong
  std::vector<std::uint8_t> pixels;
  std::vector<png_bytep> rows;
  int width = 0, height = 0, channels = 0, depth = 0;
};

void on_error(png_structp png, png_const_charp text) {
  auto* r = static_cast<PngReading*>(png_get_error_ptr(png));
  std::strncpy(r->text, text, sizeof r->text - 1);
  std::longjmp(png_jmpbuf(png), 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep out, png_size_t count) {
  auto* r = static_cast<PngReading*>(png_get_io_ptr(png));
  if (count > r->bytes.size() - r->at) png_error(png, "the file ends too early");
  std::memcpy(out, r->bytes.data() + r->at, count);
  r->at += count;
}

/// Header and transformations; false after an error.
bool read_info(png_structp png, png_infop info, PngReading& r) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_read_fn(png, &r, on_read);
  png_read_info(png, info);
  if (png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (png_get_bit_depth(png, info) < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (png_get_valid(png, info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  r.width = static_cast<int>(png_get_image_width(png, info));
  r.height = static_cast<int>(png_get_image_height(png, info));
  r.channels = png_get_channels(png, info);
  r.depth = png_get_bit_depth(png, info);
  return true;
}

bool read_pixels(png_structp png, PngReading& r) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_read_image(png, r.rows.data());
  return true;
}

/// Deflate never shrinks by more than 1 : 1032, so a picture that claims more than the file can hold is refused unread.
bool fits_file(const PngReading& r, const Place& file, ProblemList& problems) {
  const std::size_t need = static_cast<std::size_t>(r.width) * r.height * r.channels * (r.depth / 8);
  if (need / 1100 <= r.bytes.size()) return true;
  problems.error(file, fmt::format("byte 16: {} × {} pixels cannot be in {} bytes", r.width, r.height, r.bytes.size()),
                 "");
  return false;
}

void make_room(PngReading& r) {
  const std::size_t row = static_cast<std::size_t>(r.width) * r.channels * (r.depth / 8);
  r.pixels.resize(row * r.height);
  for (int j = 0; j < r.height; ++j) r.rows.push_back(r.pixels.data() + row * static_cast<std::size_t>(j));
}

double sample(const std::uint8_t* p, int depth) { return depth == 16 ? (p[0] * 256 + p[1]) / 65535.0 : p[0] / 255.0; }

/// 0 … 1, NaN where alpha is below one half. Luminance of Rec. 601.
double height_at(const std::uint8_t* p, int channels, int depth) {
  const int width = depth / 8;
  const auto s = [&](int k) { return sample(p + k * width, depth); };
  const bool has_alpha = channels == 2 || channels == 4;
  if (has_alpha && s(channels - 1) < 0.5) return std::numeric_limits<double>::quiet_NaN();
  return channels < 3 ? s(0) : 0.299 * s(0) + 0.587 * s(1) + 0.114 * s(2);
}

void take_pixels(const PngReading& r, RawMap& map) {
  map.nx = r.width, map.ny = r.height;
  map.first_row_is_top = map.is_fraction = true;
  const std::size_t count = static_cast<std::size_t>(r.width) * r.height,
                    step = static_cast<std::size_t>(r.channels) * (r.depth / 8);
  map.z.resize(count);
  for (std::size_t i = 0; i < count; ++i) map.z[i] = height_at(r.pixels.data() + i * step, r.channels, r.depth);
}

}  // namespace

void read_png_map(std::string_view bytes, const Place& file, RawMap& map, ProblemList& problems) {
  PngReading r;
  r.bytes = bytes;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info == nullptr) return problems.error(file, "libpng cannot be set up", "");
  png_set_user_limits(png, static_cast<png_uint_32>(kMapNodeLimit), static_cast<png_uint_32>(kMapNodeLimit));
  bool good = read_info(png, info, r);
  if (good && allowed_size(static_cast<std::size_t>(r.width), static_cast<std::size_t>(r.height), file, problems) &&
      fits_file(r, file, problems)) {
    make_room(r);
    good = read_pixels(png, r);
    if (good) take_pixels(r, map);
  }
  if (!good) problems.error(file, fmt::format("byte {}: {}", r.at, r.text), "the picture is damaged or not a PNG");
  png_destroy_read_struct(&png, &info, nullptr);
}

}  // namespace gradus

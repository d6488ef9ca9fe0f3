/// JPEG: whole files for any size, the same bytes everywhere. That browsers read them is shown by web/tests/browser_engine.mjs.
#include "io/jpeg.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace gradus {
namespace {

std::vector<std::uint8_t> picture(int width, int height) {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int c : {x * 7, y * 5, (x / 9 + y / 7) % 2 * 200}) rgb.push_back(static_cast<std::uint8_t>(c));
  return rgb;
}

/// Markers in order, entropy-coded bytes skipped; "": damaged.
std::string markers(const std::vector<std::uint8_t>& file) {
  std::string out;
  std::size_t at = 0;
  while (at + 1 < file.size()) {
    if (file[at] != 0xFF) return "";
    const int marker = file[at + 1];
    char text[4];
    std::snprintf(text, sizeof text, "%02x ", marker);
    out += text;
    at += 2;
    if (marker == 0xD8) continue;
    if (marker == 0xD9) return at == file.size() ? out : "";
    at += static_cast<std::size_t>(file[at] << 8 | file[at + 1]);
    if (marker != 0xDA) continue;
    while (at + 1 < file.size() && !(file[at] == 0xFF && file[at + 1] != 0)) ++at;
  }
  return "";
}

TEST(Jpeg, every_size_gives_a_whole_file) {
  std::vector<std::uint8_t> out;
  for (const int width : {1, 7, 8, 16, 17, 333})
    for (const int height : {1, 9, 16, 31}) {
      encode_jpeg(width, height, picture(width, height), 80, out);
      EXPECT_EQ(markers(out), "d8 e0 db db c0 c4 c4 c4 c4 da d9 ") << width << " x " << height;
      EXPECT_EQ((out[163] << 8) + out[164], height);
      EXPECT_EQ((out[165] << 8) + out[166], width);
    }
}

TEST(Jpeg, what_cannot_be_is_empty) {
  std::vector<std::uint8_t> out{1};
  encode_jpeg(0, 4, picture(4, 4), 80, out);
  EXPECT_TRUE(out.empty());
  encode_jpeg(5, 4, picture(4, 4), 80, out);  // too few bytes
  EXPECT_TRUE(out.empty());
}

TEST(Jpeg, more_quality_takes_more_bytes_and_bytes_do_not_change) {
  std::vector<std::uint8_t> coarse, fine;
  encode_jpeg(96, 80, picture(96, 80), 30, coarse);
  encode_jpeg(96, 80, picture(96, 80), 95, fine);
  EXPECT_LT(coarse.size(), fine.size());
  std::vector<std::uint8_t> again;
  encode_jpeg(96, 80, picture(96, 80), 95, again);
  EXPECT_EQ(fine, again);
}

}  // namespace
}  // namespace gradus

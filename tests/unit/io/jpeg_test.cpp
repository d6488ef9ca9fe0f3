/// JPEG: structure, and bytes that a decoder not ours was once compared with.
#include "io/jpeg.h"

#include <gtest/gtest.h>

namespace gradus {
namespace {

using Pixels = std::vector<std::uint8_t>;

/// A picture with edges, slopes and colours.
Pixels picture(int width, int height) {
  Pixels out;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      out.push_back(static_cast<std::uint8_t>(255 * x / width));
      out.push_back(static_cast<std::uint8_t>(255 * y / height));
      out.push_back(x / 8 % 2 == y / 8 % 2 ? 200 : 30);
    }
  return out;
}

TEST(Jpeg, BeginsAndEndsAsItShouldAndSaysItsSize) {
  for (const auto& [width, height] : {std::pair{1, 1}, {17, 9}, {64, 48}, {33, 100}}) {
    Pixels out;
    encode_jpeg(picture(width, height), width, height, 85, out);
    ASSERT_GT(out.size(), 600u);
    EXPECT_EQ(out[0], 0xff);
    EXPECT_EQ(out[1], 0xd8);
    EXPECT_EQ(out[out.size() - 2], 0xff);
    EXPECT_EQ(out.back(), 0xd9);
    std::size_t at = 2;  // from marker to marker
    while (out[at + 1] != 0xc0) at += 2 + (out[at + 2] << 8 | out[at + 3]);
    EXPECT_EQ(out[at + 5] << 8 | out[at + 6], height);
    EXPECT_EQ(out[at + 7] << 8 | out[at + 8], width);
  }
}

/// Another decoder (libjpeg) made this picture of these bytes, 0.6 of 255 root mean square from the original in
/// brightness; the sum stands for them.
TEST(Jpeg, BytesAreThoseThatAnotherDecoderUnderstood) {
  Pixels out;
  encode_jpeg(picture(67, 45), 67, 45, 85, out);
  std::uint32_t sum = 2166136261u;  // FNV-1a
  for (const std::uint8_t b : out) sum = (sum ^ b) * 16777619u;
  EXPECT_EQ(out.size(), 1389u);
  EXPECT_EQ(sum, 1891922984u);
}

TEST(Jpeg, WorseIsSmaller) {
  Pixels before, out;
  for (const int quality : {95, 85, 70, 50, 25}) {
    encode_jpeg(picture(160, 120), 160, 120, quality, out);
    if (!before.empty()) {
      EXPECT_LT(out.size(), before.size()) << quality;
    }
    before = out;
  }
}

}  // namespace
}  // namespace gradus

#include "io/jpeg.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace gradus {
namespace {

// ---------------------------------------------------------------- tables of ITU-T T.81, annex K

constexpr std::uint8_t kZigzag[64] = {
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14,
    21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60,
    61, 54, 47, 55, 62, 63};
constexpr std::uint8_t kLuminance[64] = {
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29,
    51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121,
    120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
constexpr std::uint8_t kChrominance[64] = {
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99};

/// How many codes have 1, 2, … 16 bits, and their symbols in order.
struct CodeTable {
  std::array<std::uint8_t, 16> counts;
  std::span<const std::uint8_t> symbols;
};
constexpr std::uint8_t kSizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
constexpr std::uint8_t kRunsY[] = {
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
    0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
    0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
    0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
    0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
    0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
    0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
    0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
    0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa};
constexpr std::uint8_t kRunsC[] = {
    0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
    0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
    0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36,
    0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
    0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a,
    0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a,
    0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba,
    0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
    0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa};
constexpr CodeTable kCodes[4] = {  // DC and AC of luminance, then of chrominance
    {{0, 1, 5, 1, 1, 1, 1, 1, 1}, kSizes},
    {{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125}, kRunsY},
    {{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}, kSizes},
    {{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119}, kRunsC}};

struct Code {
  std::uint16_t bits = 0;
  std::uint8_t size = 0;
};
using Codes = std::array<Code, 256>;

Codes codes_of(const CodeTable& t) {
  Codes out{};
  std::uint16_t code = 0;
  std::size_t next = 0;
  for (int size = 1; size <= 16; ++size, code = static_cast<std::uint16_t>(code << 1))
    for (int i = 0; i < t.counts[static_cast<std::size_t>(size - 1)]; ++i)
      out[t.symbols[next++]] = {code++, static_cast<std::uint8_t>(size)};
  return out;
}

/// Bits, the first one highest; a byte of ones is followed by a zero.
class BitWriter {
 public:
  explicit BitWriter(std::vector<std::uint8_t>& out) : out_(out) {}
  void put(std::uint32_t bits, int size) {
    held_ = held_ << size | bits;
    for (count_ += size; count_ >= 8; count_ -= 8) byte(static_cast<std::uint8_t>(held_ >> (count_ - 8)));
  }
  void put(Code c) { put(c.bits, c.size); }
  void end() {
    if (count_ > 0) put((1u << (8 - count_)) - 1, 8 - count_);
  }

 private:
  void byte(std::uint8_t b) {
    out_.push_back(b);
    if (b == 0xFF) out_.push_back(0);
  }
  std::vector<std::uint8_t>& out_;
  std::uint64_t held_ = 0;
  int count_ = 0;
};

using Block = std::array<std::int32_t, 64>;

/// 4096 · ½ · cos((2x + 1) u π/16), the first row over √2.
constexpr std::int32_t kCosine[8][8] = {
    {1448, 1448, 1448, 1448, 1448, 1448, 1448, 1448},   {2009, 1703, 1138, 400, -400, -1138, -1703, -2009},
    {1892, 784, -784, -1892, -1892, -784, 784, 1892},   {1703, -400, -2009, -1138, 1138, 2009, 400, -1703},
    {1448, -1448, -1448, 1448, 1448, -1448, -1448, 1448}, {1138, -2009, 400, 1703, -1703, -400, 2009, -1138},
    {784, -1892, 1892, -784, -784, 1892, -1892, 784},   {400, -1138, 1703, -2009, 2009, -1703, 1138, -400}};

/// Discrete cosine transform, times 2^15.
void transform(Block& b) {
  Block rows;
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t u = 0; u < 8; ++u) {
      std::int32_t sum = 256;
      for (std::size_t x = 0; x < 8; ++x) sum += kCosine[u][x] * b[8 * y + x];
      rows[8 * y + u] = sum >> 9;
    }
  for (std::size_t v = 0; v < 8; ++v) {
    std::int32_t sums[8] = {};
    for (std::size_t y = 0; y < 8; ++y)
      for (std::size_t u = 0; u < 8; ++u) sums[u] += kCosine[v][y] * rows[8 * y + u];
    for (std::size_t u = 0; u < 8; ++u) b[8 * v + u] = sums[u];
  }
}

/// Bits of a magnitude.
int size_of(int x) {
  int size = 0;
  for (x = std::abs(x); x > 0; x >>= 1) ++size;
  return size;
}

class Encoder {
 public:
  Encoder(int width, int height, std::span<const std::uint8_t> rgb, int quality, std::vector<std::uint8_t>& out)
      : width_(width), height_(height), rgb_(rgb), out_(out), bits_(out) {
    const int q = std::clamp(quality, 1, 100), percent = q < 50 ? 5000 / q : 200 - 2 * q;
    for (std::size_t i = 0; i < 64; ++i) {
      table_[0][i] = std::clamp((kLuminance[i] * percent + 50) / 100, 1, 255);
      table_[1][i] = std::clamp((kChrominance[i] * percent + 50) / 100, 1, 255);
    }
    for (std::size_t i = 0; i < 4; ++i) codes_[i] = codes_of(kCodes[i]);
  }

  void run() {
    header();
    for (int y = 0; y < height_; y += 16)
      for (int x = 0; x < width_; x += 16) square(x, y);
    bits_.end();
    word(0xFFD9);
  }

 private:
  void byte(int x) { out_.push_back(static_cast<std::uint8_t>(x)); }
  void word(int x) { byte(x >> 8), byte(x & 255); }
  void header() {
    word(0xFFD8);
    for (const int x : {0xFFE0, 16, 0x4A46, 0x4946, 0x0001, 0x0100, 0x0001, 0x0001, 0}) word(x);  // JFIF 1.1, square pixels
    for (int t = 0; t < 2; ++t) {
      word(0xFFDB), word(67), byte(t);
      for (const std::uint8_t at : kZigzag) byte(table_[static_cast<std::size_t>(t)][at]);
    }
    word(0xFFC0), word(17), byte(8), word(height_), word(width_), byte(3);
    for (const int x : {1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1}) byte(x);  // number, sampling, table of Y, Cb, Cr
    for (std::size_t i = 0; i < 4; ++i) {
      word(0xFFC4), word(19 + static_cast<int>(kCodes[i].symbols.size()));
      byte(static_cast<int>((i & 1) << 4 | i >> 1));
      for (const std::uint8_t n : kCodes[i].counts) byte(n);
      for (const std::uint8_t s : kCodes[i].symbols) byte(s);
    }
    word(0xFFDA), word(12), byte(3);
    for (const int x : {1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0}) byte(x);
  }

  /// 16 × 16 pixels: four blocks of Y, one of Cb, one of Cr. Beyond the edge the last pixel goes on.
  void square(int x0, int y0) {
    std::array<Block, 4> Y;
    Block Cb{}, Cr{};
    for (int y = 0; y < 16; ++y) {
      const std::uint8_t* row = rgb_.data() + 3 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(std::min(y0 + y, height_ - 1));
      for (int x = 0; x < 16; ++x) {
        const std::uint8_t* p = row + 3 * std::min(x0 + x, width_ - 1);
        const std::int32_t R = p[0], G = p[1], B = p[2];
        Y[static_cast<std::size_t>(y / 8 * 2 + x / 8)][static_cast<std::size_t>(y % 8 * 8 + x % 8)] =
            ((19595 * R + 38470 * G + 7471 * B + 32768) >> 16) - 128;
        const auto at = static_cast<std::size_t>(y / 2 * 8 + x / 2);
        Cb[at] += -11059 * R - 21709 * G + 32768 * B;
        Cr[at] += 32768 * R - 27439 * G - 5329 * B;
      }
    }
    for (std::size_t i = 0; i < 64; ++i) Cb[i] = (Cb[i] + 131072) >> 18, Cr[i] = (Cr[i] + 131072) >> 18;
    for (Block& b : Y) block(b, 0, before_[0]);
    block(Cb, 1, before_[1]);
    block(Cr, 1, before_[2]);
  }

  /// before: the mean of the block before, of which the difference is told.
  void block(Block& b, std::size_t table, int& before) {
    transform(b);
    const auto digit = [&](std::uint8_t at) {  // rounded
      const std::int32_t q = table_[table][at] << 15, half = q >> 1, x = b[at];
      return std::abs(x) < half ? 0 : x < 0 ? -((half - x) / q) : (x + half) / q;
    };
    const Codes &dc = codes_[2 * table], &ac = codes_[2 * table + 1];
    const int mean = digit(0), change = mean - before, size = size_of(change);
    before = mean;
    bits_.put(dc[static_cast<std::size_t>(size)]);
    magnitude(change, size);
    int zeros = 0;
    for (int i = 1; i < 64; ++i) {
      const int x = std::clamp(digit(kZigzag[i]), -1023, 1023);
      if (x == 0) {
        ++zeros;
        continue;
      }
      for (; zeros > 15; zeros -= 16) bits_.put(ac[0xF0]);
      const int n = size_of(x);
      bits_.put(ac[static_cast<std::size_t>(zeros << 4 | n)]);
      magnitude(x, n);
      zeros = 0;
    }
    if (zeros > 0) bits_.put(ac[0]);
  }
  void magnitude(int x, int size) {
    bits_.put(static_cast<std::uint32_t>(x < 0 ? x - 1 : x) & ((1u << size) - 1), size);
  }

  int width_, height_;
  std::span<const std::uint8_t> rgb_;
  std::vector<std::uint8_t>& out_;
  BitWriter bits_;
  std::int32_t table_[2][64];
  Codes codes_[4];
  int before_[3] = {};
};

}  // namespace

void encode_jpeg(int width, int height, std::span<const std::uint8_t> rgb, int quality, std::vector<std::uint8_t>& out) {
  out.clear();
  if (width < 1 || height < 1 || width > 65535 || height > 65535) return;
  if (rgb.size() < 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) return;
  Encoder(width, height, rgb, quality, out).run();
}

}  // namespace gradus

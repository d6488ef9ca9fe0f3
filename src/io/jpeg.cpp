#include "io/jpeg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gradus {
namespace {

using Table = std::array<int, 64>;
using Block = std::array<double, 64>;

/// Order in which the coefficients of a block are sent.
constexpr Table kZigZag{0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                        41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                        30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/// Annex K.1: steps of brightness and colour, row by row.
constexpr Table kBrightness{16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
                            14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
                            18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
                            49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
constexpr Table kColour{17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
                        99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
                        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};

/// Annex K.3: how many codes of each length from 1 to 16, and what they mean.
struct Huffman {
  std::array<std::uint8_t, 16> counts;
  std::span<const std::uint8_t> values;
};
constexpr std::uint8_t kDcValues[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
constexpr std::uint8_t kAcBrightnessValues[] = {
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
    0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
    0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
    0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
    0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
    0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
    0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
    0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
    0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa};
constexpr std::uint8_t kAcColourValues[] = {
    0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
    0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
    0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36,
    0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
    0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a,
    0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a,
    0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba,
    0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
    0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa};
constexpr Huffman kTables[4]{// brightness, colour: first coefficients; then the others
                             {{0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}, kDcValues},
                             {{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, kDcValues},
                             {{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d}, kAcBrightnessValues},
                             {{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77}, kAcColourValues}};

struct Code {
  std::uint16_t bits = 0;
  std::uint8_t length = 0;
};
using Codes = std::array<Code, 256>;

Codes codes_of(const Huffman& h) {
  Codes out{};
  std::uint16_t code = 0;
  std::size_t next = 0;
  for (std::uint8_t length = 1; length <= 16; ++length, code = static_cast<std::uint16_t>(code << 1))
    for (int i = 0; i < h.counts[length - 1u]; ++i) out[h.values[next++]] = {code++, length};
  return out;
}

class Writer {
 public:
  explicit Writer(std::vector<std::uint8_t>& out) : out_(out) {}
  void byte(int x) { out_.push_back(static_cast<std::uint8_t>(x)); }
  void word(int x) { byte(x >> 8), byte(x); }
  void bits(unsigned x, int length) {
    for (int i = length - 1; i >= 0; --i) {
      rest_ = static_cast<std::uint8_t>(rest_ << 1 | (x >> i & 1));
      if (++filled_ < 8) continue;
      byte(rest_);
      if (rest_ == 0xff) byte(0);  // no marker
      rest_ = 0, filled_ = 0;
    }
  }
  void fill() {
    if (filled_ > 0) bits(0x7f, 8 - filled_);
  }

 private:
  std::vector<std::uint8_t>& out_;
  std::uint8_t rest_ = 0;
  int filled_ = 0;
};

/// cos((2 x + 1) u π/16), with the factors of the transform. Numbers, not calls: the same bits everywhere.
std::array<std::array<double, 8>, 8> cosines() {
  constexpr double kCos[] = {1.0,
                             0.9807852804032304,
                             0.9238795325112867,
                             0.8314696123025452,
                             0.7071067811865476,
                             0.5555702330196023,
                             0.38268343236508984,
                             0.19509032201612833,
                             0};  // n π/16, a quarter turn
  std::array<std::array<double, 8>, 8> c;
  for (std::size_t u = 0; u < 8; ++u)
    for (std::size_t x = 0; x < 8; ++x) {
      const std::size_t n = (2 * x + 1) * u % 32, mirrored = n > 16 ? 32 - n : n;
      const double k = mirrored > 8 ? -kCos[16 - mirrored] : kCos[mirrored];
      c[u][x] = 0.5 * k * (u == 0 ? kCos[4] : 1);
    }
  return c;
}

Block transformed(const Block& in) {
  static const auto c = cosines();
  Block half{}, out{};
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t u = 0; u < 8; ++u)
      for (std::size_t x = 0; x < 8; ++x) half[8 * y + u] += c[u][x] * in[8 * y + x];
  for (std::size_t v = 0; v < 8; ++v)
    for (std::size_t u = 0; u < 8; ++u)
      for (std::size_t y = 0; y < 8; ++y) out[8 * v + u] += c[v][y] * half[8 * y + u];
  return out;
}

int size_of(int x) {
  int size = 0;
  for (int a = std::abs(x); a > 0; a >>= 1) ++size;
  return size;
}
unsigned bits_of(int x, int size) { return static_cast<unsigned>(x < 0 ? x + (1 << size) - 1 : x); }

void write_block(Writer& w, const Block& in, const Table& steps, int& before, const Codes& dc, const Codes& ac) {
  const Block f = transformed(in);
  std::array<int, 64> q;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto at = static_cast<std::size_t>(kZigZag[i]);
    q[i] = static_cast<int>(std::lround(f[at] / steps[at]));
  }
  const int change = q[0] - std::exchange(before, q[0]), size = size_of(change);
  w.bits(dc[static_cast<std::size_t>(size)].bits, dc[static_cast<std::size_t>(size)].length);
  w.bits(bits_of(change, size), size);
  int zeros = 0;
  for (std::size_t i = 1; i < 64; ++i) {
    if (q[i] == 0) {
      ++zeros;
      continue;
    }
    for (; zeros > 15; zeros -= 16) w.bits(ac[0xf0].bits, ac[0xf0].length);
    const int n = size_of(q[i]);
    const Code& code = ac[static_cast<std::size_t>(zeros << 4 | n)];
    w.bits(code.bits, code.length), w.bits(bits_of(q[i], n), n);
    zeros = 0;
  }
  if (zeros > 0) w.bits(ac[0].bits, ac[0].length);
}

Table scaled(const Table& table, int quality) {
  const int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  Table out;
  for (std::size_t i = 0; i < 64; ++i) out[i] = std::clamp((table[i] * scale + 50) / 100, 1, 255);
  return out;
}

void write_head(Writer& w, int width, int height, const std::array<Table, 2>& steps) {
  w.word(0xffd8);
  w.word(0xffe0), w.word(16);
  for (const char c : {'J', 'F', 'I', 'F', '\0'}) w.byte(c);
  w.word(0x0101), w.byte(0), w.word(1), w.word(1), w.word(0);
  for (int t = 0; t < 2; ++t) {
    w.word(0xffdb), w.word(67), w.byte(t);
    for (const int at : kZigZag) w.byte(steps[static_cast<std::size_t>(t)][static_cast<std::size_t>(at)]);
  }
  w.word(0xffc0), w.word(17), w.byte(8), w.word(height), w.word(width), w.byte(3);
  for (int c = 0; c < 3; ++c) w.byte(c + 1), w.byte(c == 0 ? 0x21 : 0x11), w.byte(c == 0 ? 0 : 1);
  for (int t = 0; t < 4; ++t) {
    const Huffman& h = kTables[t];
    w.word(0xffc4), w.word(static_cast<int>(19 + h.values.size())), w.byte((t < 2 ? 0x00 : 0x10) | (t & 1));
    for (const std::uint8_t n : h.counts) w.byte(n);
    for (const std::uint8_t v : h.values) w.byte(v);
  }
  w.word(0xffda), w.word(12), w.byte(3);
  for (int c = 0; c < 3; ++c) w.byte(c + 1), w.byte(c == 0 ? 0x00 : 0x11);
  w.byte(0), w.byte(63), w.byte(0);
}

}  // namespace

void encode_jpeg(std::span<const std::uint8_t> rgb, int width, int height, int quality,
                 std::vector<std::uint8_t>& out) {
  static const std::array<Codes, 4> codes{codes_of(kTables[0]), codes_of(kTables[1]), codes_of(kTables[2]),
                                          codes_of(kTables[3])};
  out.clear();
  Writer w(out);
  quality = std::clamp(quality, 1, 100);
  const std::array<Table, 2> steps{scaled(kBrightness, quality), scaled(kColour, quality)};
  write_head(w, width, height, steps);
  const auto pixel = [&](int x, int y) {  // beyond the edge: that of the edge
    const int at = 3 * (std::min(y, height - 1) * width + std::min(x, width - 1));
    return rgb.data() + at;
  };
  std::array<int, 3> before{};
  for (int top = 0; top < height; top += 8)
    for (int left = 0; left < width; left += 16) {  // two blocks of brightness, one of each colour
      std::array<Block, 4> block{};
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 16; ++x) {
          const std::uint8_t* p = pixel(left + x, top + y);
          const double r = p[0], g = p[1], b = p[2];
          const auto at = static_cast<std::size_t>(8 * y + x % 8), half = static_cast<std::size_t>(8 * y + x / 2);
          block[x < 8 ? 0 : 1][at] = 0.299 * r + 0.587 * g + 0.114 * b - 128;
          block[2][half] += 0.5 * (-0.168736 * r - 0.331264 * g + 0.5 * b);
          block[3][half] += 0.5 * (0.5 * r - 0.418688 * g - 0.081312 * b);
        }
      for (std::size_t i = 0; i < 2; ++i) write_block(w, block[i], steps[0], before[0], codes[0], codes[2]);
      for (std::size_t i = 2; i < 4; ++i) write_block(w, block[i], steps[1], before[i - 1], codes[1], codes[3]);
    }
  w.fill();
  w.word(0xffd9);
}

}  // namespace gradus

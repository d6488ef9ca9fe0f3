#include "link/lola/msgpack.h"

#include <bit>

namespace gradus::lola {
namespace {

void append_big_endian(Bytes& out, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

constexpr unsigned kFloat32 = 0xca, kFloat64 = 0xcb, kUint8 = 0xcc, kUint64 = 0xcf, kInt8 = 0xd0, kInt64 = 0xd3;
constexpr unsigned kNil = 0xc0, kNever = 0xc1, kFalse = 0xc2, kTrue = 0xc3, kStr8 = 0xd9, kRaw32 = 0xdb;
constexpr unsigned kArray16 = 0xdc, kMap16 = 0xde;

}  // namespace

void PackWriter::array(std::size_t n) {
  if (n < 16) return small(0x90, n);
  out_.push_back(static_cast<std::byte>(kArray16));
  append_big_endian(out_, n, 2);
}

void PackWriter::text(std::string_view s) {
  small(0xa0, s.size());
  append_bytes(out_, as_byte_view(s));
}

void PackWriter::number(double x) {
  out_.push_back(static_cast<std::byte>(kFloat32));
  append_big_endian(out_, std::bit_cast<std::uint32_t>(static_cast<float>(x)), 4);
}

void PackWriter::numbers(std::string_view key, std::span<const double> values) {
  text(key);
  array(values.size());
  for (const double x : values) number(x);
}

void PackReader::fail(Outcome why) {
  if (fine()) outcome_ = why;
  rest_ = {};
}

ByteView PackReader::take(std::size_t bytes) {
  if (bytes > rest_.size()) return fail(Outcome::incomplete), ByteView{};
  const ByteView b = rest_.first(bytes);
  rest_ = rest_.subspan(bytes);
  return b;
}

std::uint64_t PackReader::big_endian(std::size_t bytes) {
  std::uint64_t value = 0;
  for (const std::byte b : take(bytes)) value = value << 8 | static_cast<std::uint64_t>(b);
  return value;
}

std::size_t PackReader::count(unsigned fixed, unsigned mask, unsigned tag16) {
  const auto tag = static_cast<unsigned>(big_endian(1));
  if (!fine()) return 0;
  if ((tag & mask) == fixed) return tag & ~mask & 0xff;
  if (tag == tag16) return static_cast<std::size_t>(big_endian(2));
  if (tag == tag16 + 1) return static_cast<std::size_t>(big_endian(4));
  return fail(Outcome::malformed), 0;
}

std::size_t PackReader::map() { return count(0x80, 0xf0, kMap16); }
std::size_t PackReader::array() { return count(0x90, 0xf0, kArray16); }

bool PackReader::next_is_array() const {
  if (rest_.empty()) return true;  // more has to come
  const auto tag = static_cast<unsigned>(rest_[0]);
  return (tag & 0xf0) == 0x90 || tag == kArray16 || tag == kArray16 + 1;
}

std::string_view PackReader::text() {
  const auto tag = static_cast<unsigned>(big_endian(1));
  if (!fine()) return {};
  std::size_t bytes = 0;
  if ((tag & 0xe0) == 0xa0)
    bytes = tag & 0x1f;
  else if (tag >= kStr8 && tag <= kRaw32)
    bytes = static_cast<std::size_t>(big_endian(std::size_t{1} << (tag - kStr8)));
  else
    fail(Outcome::malformed);
  return as_text(take(fine() ? bytes : 0));
}

double PackReader::number() {
  const auto tag = static_cast<unsigned>(big_endian(1));
  if (!fine()) return 0;
  if (tag < 0x80) return tag;
  if (tag >= 0xe0) return static_cast<double>(static_cast<int>(tag) - 256);
  if (tag == kFalse || tag == kTrue) return tag == kTrue;
  if (tag == kFloat32) return std::bit_cast<float>(static_cast<std::uint32_t>(big_endian(4)));
  if (tag == kFloat64) return std::bit_cast<double>(big_endian(8));
  if (tag >= kUint8 && tag <= kUint64) return static_cast<double>(big_endian(std::size_t{1} << (tag - kUint8)));
  if (tag >= kInt8 && tag <= kInt64) {
    const std::size_t bytes = std::size_t{1} << (tag - kInt8);
    const std::uint64_t shifted = big_endian(bytes) << (64 - 8 * bytes);
    return static_cast<double>(static_cast<std::int64_t>(shifted) >> (64 - 8 * bytes));
  }
  return fail(Outcome::malformed), 0;
}

void PackReader::skip() { skip(0); }

void PackReader::skip(int depth) {
  if (depth > kDeepest) return fail(Outcome::malformed);
  if (rest_.empty()) return fail(Outcome::incomplete);
  const auto tag = static_cast<unsigned>(rest_[0]);
  if (next_is_array()) {
    for (std::size_t n = array(); n > 0 && fine(); --n) skip(depth + 1);
  } else if ((tag & 0xf0) == 0x80 || tag == kMap16 || tag == kMap16 + 1) {
    for (std::size_t n = 2 * map(); n > 0 && fine(); --n) skip(depth + 1);
  } else if ((tag & 0xe0) == 0xa0 || (tag >= kStr8 && tag <= kRaw32)) {
    text();
  } else if (tag == kNil) {
    take(1);
  } else if (tag == kNever) {
    fail(Outcome::malformed);
  } else {
    number();
  }
}

}  // namespace gradus::lola

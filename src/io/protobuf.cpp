#include "io/protobuf.h"

namespace gradus::protobuf {
namespace {

constexpr int kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5;

}  // namespace

bool Reader::read_varint(std::uint64_t& out) {
  out = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ >= data_.size()) return fail();
    const std::uint8_t b = data_[at_++];
    if (shift == 63 && b > 1) return fail();  // more than 64 bits
    out |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    if (b < 0x80) return true;
  }
  return fail();
}

bool Reader::take(std::size_t size, Data& out) {
  if (size > data_.size() - at_) return fail();
  out = data_.subspan(at_, size);
  at_ += size;
  return true;
}

bool Reader::next() {
  if (pending_) {  // skip what nobody asked for
    std::uint64_t size = 0;
    Data skipped;
    pending_ = false;
    if (type_ == kVarint)
      read_varint(size);
    else if (type_ == kFixed64)
      take(8, skipped);
    else if (type_ == kFixed32)
      take(4, skipped);
    else if (read_varint(size))
      take(size, skipped);
  }
  if (!ok_ || at_ >= data_.size()) return false;
  std::uint64_t tag = 0;
  if (!read_varint(tag)) return false;
  field_ = static_cast<int>(tag >> 3), type_ = static_cast<int>(tag & 7);
  if (tag >> 32 || field_ == 0 || (type_ != kVarint && type_ != kFixed64 && type_ != kLength && type_ != kFixed32))
    return fail();
  return pending_ = true;
}

double Reader::number() {
  Data raw;
  if (!pending_ || type_ != kFixed64 || !take(8, raw)) return fail(), 0;
  pending_ = false;
  std::uint64_t bits = 0;
  for (int i = 7; i >= 0; --i) bits = bits << 8 | raw[i];
  double value;
  std::memcpy(&value, &bits, 8);
  return value;
}

std::uint64_t Reader::varint() {
  std::uint64_t value = 0;
  if (!pending_ || type_ != kVarint || !read_varint(value)) return fail(), 0;
  pending_ = false;
  return value;
}

Data Reader::message() {
  std::uint64_t size = 0;
  Data out;
  if (!pending_ || type_ != kLength || !read_varint(size) || !take(size, out)) return fail(), Data{};
  pending_ = false;
  return out;
}

void Writer::raw_varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<std::uint8_t>(value | 0x80));
  out_.push_back(static_cast<std::uint8_t>(value));
}

void Writer::number(int field, double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, 8);
  if (bits == 0) return;  // proto3 writes −0.0, but not 0.0
  raw_varint(static_cast<std::uint64_t>(field) << 3 | kFixed64);
  std::uint8_t little[8];
  for (int i = 0; i < 8; ++i) little[i] = static_cast<std::uint8_t>(bits >> (8 * i));
  out_.insert(out_.end(), little, little + 8);
}

void Writer::fixed32(int field, std::uint32_t value) {
  if (value == 0) return;
  raw_varint(static_cast<std::uint64_t>(field) << 3 | kFixed32);
  for (int i = 0; i < 4; ++i) out_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void Writer::text(int field, std::string_view value) {
  if (value.empty()) return;
  raw_varint(static_cast<std::uint64_t>(field) << 3 | kLength);
  raw_varint(value.size());
  out_.insert(out_.end(), value.begin(), value.end());
}

void Writer::varint(int field, std::uint64_t value) {
  if (value == 0) return;
  raw_varint(static_cast<std::uint64_t>(field) << 3 | kVarint);
  raw_varint(value);
}

std::size_t Writer::begin(int field) {
  raw_varint(static_cast<std::uint64_t>(field) << 3 | kLength);
  return out_.size();
}

/// Puts the length in front of what was written since begin().
void Writer::end(std::size_t mark) {
  std::size_t size = out_.size() - mark;
  std::uint8_t length[10];
  int count = 0;
  for (; size >= 0x80; size >>= 7) length[count++] = static_cast<std::uint8_t>(size | 0x80);
  length[count++] = static_cast<std::uint8_t>(size);
  out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(mark), length, length + count);
}

}  // namespace gradus::protobuf

/// The part of MessagePack that LoLA speaks. Written is the old form (raw instead of str8, float32); read is all of it
/// that may stand for a map of texts to lists of numbers, in any spelling.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"

namespace gradus::lola {

/// Appends values to a buffer.
class PackWriter {
 public:
  explicit PackWriter(Bytes& out) : out_(out) {}
  void map(std::size_t count) { small(0x80, count); }                       // up to 15 entries
  void array(std::size_t count);                                            // up to 65535
  void text(std::string_view s);                                            // up to 31 bytes
  void number(double x);                                                    // as a 32-bit float
  void small_integer(int x) { out_.push_back(static_cast<std::byte>(x)); }  // 0 … 127
  void numbers(std::string_view key, std::span<const double> values);

 private:
  void small(unsigned tag, std::size_t count) { out_.push_back(static_cast<std::byte>(tag | count)); }
  Bytes& out_;
};

/// Takes values off the front of what has been received. After a fault everything read is zero or empty.
class PackReader {
 public:
  enum class Outcome { fine, incomplete, malformed };
  explicit PackReader(ByteView data) : rest_(data), size_(data.size()) {}
  Outcome outcome() const { return outcome_; }
  bool fine() const { return outcome_ == Outcome::fine; }
  std::size_t used() const { return size_ - rest_.size(); }

  std::size_t map();    // number of entries
  std::size_t array();  // number of values
  std::string_view text();
  double number();  // floats, integers, booleans
  bool next_is_array() const;
  void skip();  // any value

 private:
  std::uint64_t big_endian(std::size_t bytes);
  ByteView take(std::size_t bytes);
  std::size_t count(unsigned fixed, unsigned mask, unsigned tag16);
  void fail(Outcome why);
  void skip(int depth);

  static constexpr int kDeepest = 8;
  ByteView rest_;
  std::size_t size_;
  Outcome outcome_ = Outcome::fine;
};

}  // namespace gradus::lola

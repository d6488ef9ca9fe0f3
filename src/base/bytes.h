/// Bytes of little-endian binary formats: appending to a buffer, and reading with every length checked first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gradus {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

inline ByteView as_byte_view(std::string_view s) { return std::as_bytes(std::span<const char>(s.data(), s.size())); }
inline std::string_view as_text(ByteView b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

inline void append_bytes(Bytes& out, ByteView b) {
  const std::size_t start = out.size();
  out.resize(start + b.size());
  if (!b.empty()) std::memcpy(out.data() + start, b.data(), b.size());
}

template <class UInt>
void append_le(Bytes& out, UInt value) {
  static_assert(std::is_unsigned_v<UInt>);
  std::byte b[sizeof(UInt)];
  for (std::size_t i = 0; i < sizeof(UInt); ++i) b[i] = static_cast<std::byte>(value >> (8 * i));
  append_bytes(out, b);
}

/// Overwrites the value that starts at `offset`; the buffer must already reach that far.
template <class UInt>
void put_le(Bytes& out, std::size_t offset, UInt value) {
  for (std::size_t i = 0; i < sizeof(UInt); ++i) out[offset + i] = static_cast<std::byte>(value >> (8 * i));
}

/// Takes values off the front of a view. After the first one that does not fit, ok() is false and everything read is
/// zero or empty, so that a parser checks once, at its end.
class ByteReader {
 public:
  explicit ByteReader(ByteView data) : rest_(data) {}
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  ByteView rest() const { return rest_; }

  template <class UInt>
  UInt le() {
    const ByteView b = take(sizeof(UInt));
    UInt value = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      value = static_cast<UInt>(value | static_cast<UInt>(static_cast<UInt>(b[i]) << (8 * i)));
    }
    return value;
  }

  ByteView take(std::uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const ByteView b = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(b.size());
    return b;
  }

 private:
  ByteView rest_;
  bool ok_ = true;
};

}  // namespace gradus

/// The protobuf wire format, as much as FIRASim's messages and the poses in a log need: varints, 64-bit numbers, texts,
/// nested messages, unknown fields skipped. Written by hand so that a hostile datagram meets code that can be read at
/// one sitting: every length is checked against what is left before anything is read, and reading allocates nothing.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace gradus::protobuf {

using Data = std::span<const std::uint8_t>;

/// Reads the fields of one message. After an error ok() is false and next() returns false.
class Reader {
 public:
  explicit Reader(Data data) : data_(data) {}

  /// Goes to the next field. False at the end or on an error.
  bool next();
  int field() const { return field_; }
  bool ok() const { return ok_; }

  /// The field as the wanted type; a field of another wire type is an error (as protobuf's own parsers skip it, we are
  /// stricter: no honest client sends one).
  double number();
  std::uint64_t varint();
  Data message();

 private:
  bool fail() { return ok_ = false; }
  bool read_varint(std::uint64_t& out);
  bool take(std::size_t size, Data& out);

  Data data_;
  std::size_t at_ = 0;
  int field_ = 0, type_ = -1;
  bool ok_ = true, pending_ = false;  // pending: the field's value has not been read yet
};

/// Appends fields to a buffer. proto3: values equal to zero are not written.
class Writer {
 public:
  explicit Writer(std::vector<std::uint8_t>& out) : out_(out) {}
  void number(int field, double value);
  void varint(int field, std::uint64_t value);
  void fixed32(int field, std::uint32_t value);
  void text(int field, std::string_view value);  // or bytes
  void flag(int field, bool value) { varint(field, value ? 1 : 0); }
  /// Nested message: begin, write its fields, end. (An empty message is written with length 0: it is present.)
  std::size_t begin(int field);
  void end(std::size_t mark);

 private:
  void raw_varint(std::uint64_t value);
  std::vector<std::uint8_t>& out_;
};

}  // namespace gradus::protobuf

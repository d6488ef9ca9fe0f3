/// What MCAP version 0 files are made of [mcap.dev/spec], shared by writer and reader.
///
///   file    = magic, Header, data section, DataEnd, summary section, summary offset section, Footer, magic
///   record  = opcode (1 byte), content length (8 bytes), content
///
/// All numbers are little-endian; a string is its length (4 bytes) and its UTF-8 bytes; a map or an array is its length
/// in bytes (4 bytes) and its elements one after the other. Times are nanoseconds.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "base/bytes.h"

namespace gradus {

namespace mcap {

inline constexpr std::array<unsigned char, 8> kMagic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum class Op : std::uint8_t {
  header = 0x01,
  footer = 0x02,
  schema = 0x03,
  channel = 0x04,
  message = 0x05,
  chunk = 0x06,
  message_index = 0x07,
  chunk_index = 0x08,
  attachment = 0x09,
  attachment_index = 0x0A,
  statistics = 0x0B,
  metadata = 0x0C,
  metadata_index = 0x0D,
  summary_offset = 0x0E,
  data_end = 0x0F,
};

inline constexpr std::size_t kRecordHeaderBytes = 1 + 8;              // opcode, content length
inline constexpr std::size_t kMessageHeaderBytes = 2 + 4 + 8 + 8;     // channel, sequence, log time, publish time
inline constexpr std::size_t kFooterBytes = kRecordHeaderBytes + 20;  // the one record of fixed size

// Uncompressed size of a chunk beyond which a reader suspects a decompression bomb; the writer stays below it.
inline constexpr std::size_t kMaxChunkBytes = std::size_t{256} << 20;

inline ByteView magic() { return std::as_bytes(std::span<const unsigned char>(kMagic)); }

}  // namespace mcap

using McapMap = std::map<std::string, std::string>;

struct McapSchema {
  std::uint16_t id = 0;  // never 0 in a file
  std::string name;      // "foxglove.FrameTransforms"
  std::string encoding;  // "jsonschema"; empty: no schema
  std::string data;
};

struct McapChannel {
  std::uint16_t id = 0;
  std::uint16_t schema_id = 0;  // 0: none
  std::string topic;
  std::string message_encoding;  // "json"
  McapMap metadata;
};

struct McapMetadata {
  std::string name;
  McapMap values;
};

}  // namespace gradus

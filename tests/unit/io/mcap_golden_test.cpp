/// A tiny log, byte for byte. It was read by @mcap/core 2.2.2 when it was recorded; any change of the writer shows
/// here. (The compressed bytes are those of libzstd 1.5.4; another version may pack differently, which changes sizes
/// and sums.)
#include <gtest/gtest.h>

#include "unit/io/log_fixtures.h"

namespace gradus::test {
namespace {

constexpr const char* kGolden[] = {
    "894d434150300d0a",                                // magic
    "010e000000000000000000000006000000677261647573",  // Header: no profile, library "gradus"
    // Schema 1: "S", "jsonschema", "{}"
    "031b00000000000000010001000000530a0000006a736f6e736368656d61020000007b7d",
    // Channel 1 of schema 1: "t", "json", {"k": "v"}
    "041f00000000000000010001000100000074040000006a736f6e0a000000010000006b0100000076",
    // Chunk: times 1 .. 2, 76 bytes with CRC 0x1fccc7d5, "zstd", 59 bytes packed
    "066700000000000000010000000000000002000000000000004c00000000000000d5c7cc1f040000007a7374643b0000000000000028b52ffd"
    "204c9501004402051d000100010001007b2278223a317d051d00010001000000020002007b2278223a327d071000030f3ed0c083031e86",
    // MessageIndex of channel 1: time 1 at 0, time 2 at 38
    "0726000000000000000100200000000100000000000000000000000000000002000000000000002600000000000000",
    // Attachment: time 3, "a", "text/plain", "hi", CRC
    "0931000000000000000300000000000000000000000000000001000000610a000000746578742f706c61696e020000000000000068696d297c"
    "e2",
    "0c1600000000000000010000006d0d00000004000000736565640100000037",  // Metadata "m": {"seed": "7"}
    "0f04000000000000008da9970f",                                      // DataEnd: CRC
    "031b00000000000000010001000000530a0000006a736f6e736368656d61020000007b7d",
    "041f00000000000000010001000100000074040000006a736f6e0a000000010000006b0100000076",
    // Statistics: 2 messages, 1 schema, 1 channel, 1 attachment, 1 metadata, 1 chunk, times 1 .. 2, {1: 2}
    "0b38000000000000000200000000000000010001000000010000000100000001000000010000000000000002000000000000000a0000000100"
    "0200000000000000",
    // ChunkIndex: times 1 .. 2, at 107, 112 bytes, index of channel 1 at 219, 47 bytes, "zstd", 59 and 76 bytes
    "084e00000000000000010000000000000002000000000000006b0000000000000070000000000000000a0000000100db000000000000002f00"
    "000000000000040000007a7374643b000000000000004c00000000000000",
    // AttachmentIndex: at 266, 58 bytes, times, 2 bytes of data, name, type
    "0a3b000000000000000a010000000000003a0000000000000003000000000000000000000000000000020000000000000001000000610a0000"
    "00746578742f706c61696e",
    "0d150000000000000044010000000000001f00000000000000010000006d",  // MetadataIndex: at 324, 31 bytes, "m"
    "0e11000000000000000370010000000000002400000000000000",          // SummaryOffsets: opcode, start, length
    "0e11000000000000000494010000000000002800000000000000",
    "0e11000000000000000bbc010000000000004100000000000000",
    "0e110000000000000008fd010000000000005700000000000000",
    "0e11000000000000000a54020000000000004400000000000000",
    "0e11000000000000000d98020000000000001e00000000000000",
    "0214000000000000007001000000000000b602000000000000a95bdce6",  // Footer: summary at 368, offsets at 694, CRC
    "894d434150300d0a",
};

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

TEST(McapGolden, ATinyLogHasExactlyTheseBytes) {
  std::string bytes;
  McapWriter writer(std::make_unique<MemorySink>(bytes), {});
  const std::uint16_t schema = writer.schema("S", "jsonschema", "{}");
  const std::uint16_t channel = writer.channel("t", "json", schema, {{"k", "v"}});
  writer.message(channel, 1, as_byte_view("{\"x\":1}"));
  writer.message(channel, 2, as_byte_view("{\"x\":2}"));
  writer.attachment("a", "text/plain", as_byte_view("hi"), 3);
  writer.metadata("m", {{"seed", "7"}});
  ASSERT_TRUE(writer.close());
  std::string expected;
  for (const char* part : kGolden) expected += part;
  EXPECT_EQ(to_hex(bytes), expected);
}

}  // namespace
}  // namespace gradus::test

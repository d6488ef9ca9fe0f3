#include <gtest/gtest.h>
#include <malloc.h>
#include <zstd.h>

#include "base/crc32.h"
#include "unit/io/log_fixtures.h"

namespace gradus::test {
namespace {

TEST(Crc32, GivesThePublishedCheckValueAndContinues) {
  EXPECT_EQ(crc32(as_byte_view("123456789")), 0xCBF43926u);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(crc32({}), 0u);
  const std::string text = "The quick brown fox jumps over the lazy dog";
  EXPECT_EQ(crc32(as_byte_view(text)), 0x414FA339u);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string_view t = text;
    EXPECT_EQ(crc32(as_byte_view(t.substr(cut)), crc32(as_byte_view(t.substr(0, cut)))), 0x414FA339u);
  }
}

TEST(Mcap, RandomMessagesComeBackInOrder) {
  const TempDir dir;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto messages = random_messages(500, seed, seed % 4 == 0 ? 3000 : 60);
    const std::string path = dir.file("a.mcap");
    auto writer = McapWriter::open(path, small_chunks(seed % 2 == 0 ? 1000 : 1 << 20));
    ASSERT_TRUE(writer);
    EXPECT_TRUE(say(*writer, messages));
    EXPECT_TRUE(writer->close());
    EXPECT_EQ(writer->statistics().message_count, 500u);
    EXPECT_EQ(writer->statistics().message_end_time, 499'000'000u);

    auto reader = McapReader::open(path);
    ASSERT_TRUE(reader);
    EXPECT_TRUE(reader->complete());
    EXPECT_EQ(listen(*reader), messages);
    EXPECT_TRUE(reader->verify());
    EXPECT_EQ(listen(*reader), messages) << "verify leaves the reader at the start";
  }
}

TEST(Mcap, EverythingDeclaredIsListed) {
  const TempDir dir;
  write_text(dir.file("a.mcap"), sample_log(random_messages(50, 1), 500));
  auto reader = McapReader::open(dir.file("a.mcap"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->library(), "gradus");
  ASSERT_EQ(reader->schemas().size(), 1u);
  EXPECT_EQ(reader->schemas().at(1).name, "test.Bytes");
  EXPECT_EQ(reader->schemas().at(1).encoding, "jsonschema");
  EXPECT_EQ(reader->schemas().at(1).data, "{}");
  ASSERT_EQ(reader->channels().size(), 3u);
  ASSERT_NE(reader->channel("topic1"), nullptr);
  EXPECT_EQ(reader->channel("topic1")->id, 2);
  EXPECT_EQ(reader->channel("topic1")->message_encoding, "json");
  EXPECT_EQ(reader->channel("topic1")->metadata, (McapMap{{"unit", "m"}}));
  EXPECT_EQ(reader->channel("nothing"), nullptr);
  ASSERT_NE(reader->metadata("run"), nullptr);
  EXPECT_EQ(reader->metadata("run")->values, (McapMap{{"seed", "7"}, {"scene", "levels"}}));
  ASSERT_NE(reader->attachment("scene.toml"), nullptr);
  const auto content = reader->load(*reader->attachment("scene.toml"));
  ASSERT_TRUE(content);
  EXPECT_EQ(as_text(*content), "[world]\nstep = \"1 ms\"\n");
}

TEST(Mcap, SequenceNumbersCountPerChannel) {
  const TempDir dir;
  write_text(dir.file("a.mcap"), sample_log(random_messages(100, 3), 300));
  auto reader = McapReader::open(dir.file("a.mcap"));
  ASSERT_TRUE(reader);
  std::map<std::string, std::uint32_t> next;
  for (McapMessage m; reader->next(m);) {
    EXPECT_EQ(m.sequence, next[m.channel->topic]++);
    EXPECT_EQ(m.publish_time, m.log_time);
  }
}

TEST(Mcap, SeekGoesToTheChunkOfThatTime) {
  const TempDir dir;
  const auto messages = random_messages(1000, 5);
  write_text(dir.file("a.mcap"), sample_log(messages, 2000));
  auto reader = McapReader::open(dir.file("a.mcap"));
  ASSERT_TRUE(reader);
  for (const std::uint64_t ms : {0u, 1u, 500u, 777u, 999u}) {
    reader->seek(ms * 1'000'000);
    const auto rest = listen(*reader);
    ASSERT_FALSE(rest.empty());
    EXPECT_LE(rest.front().time, ms * 1'000'000);
    EXPECT_LE(ms * 1'000'000 - rest.front().time, 100'000'000u) << "no more than a chunk too early";
    EXPECT_TRUE(std::equal(rest.rbegin(), rest.rend(), messages.rbegin())) << "everything after it is there";
  }
  reader->seek(1'000'000'000'000);
  EXPECT_TRUE(listen(*reader).empty());
}

TEST(Mcap, TheSameCallsGiveTheSameBytes) {
  const auto messages = random_messages(300, 9);
  EXPECT_EQ(sample_log(messages, 1000), sample_log(messages, 1000));
}

TEST(Mcap, ADestroyedWriterHasClosedItsFile) {
  std::string bytes;
  {
    McapWriter first(std::make_unique<MemorySink>(bytes), {});
    McapWriter second(std::move(first));
    say(second, random_messages(3, 1));
  }
  EXPECT_TRUE(bytes.ends_with(as_text(mcap::magic())));
}

TEST(Mcap, UnknownChannelsAndSchemasAreRefusedWithoutEndingTheLog) {
  std::string bytes;
  McapWriter writer(std::make_unique<MemorySink>(bytes), {});
  EXPECT_FALSE(writer.message(1, 0, {}));
  EXPECT_EQ(writer.channel("a", "json", 1), 0) << "schema 1 does not exist";
  const std::uint16_t channel = writer.channel("a", "json", 0);
  EXPECT_EQ(channel, 1);
  EXPECT_FALSE(writer.message(0, 0, {}));
  EXPECT_FALSE(writer.message(2, 0, {}));
  EXPECT_TRUE(writer.message(1, 0, {}));
  EXPECT_TRUE(writer.close());
  EXPECT_FALSE(writer.message(1, 0, {})) << "closed";
  EXPECT_EQ(writer.statistics().message_count, 1u);
}

// ---------------------------------------------------------------- damage

TEST(Mcap, AFileCutAnywhereGivesABeginningOfItsMessages) {
  const TempDir dir;
  const auto messages = random_messages(60, 11);
  const std::string whole = sample_log(messages, 400);
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_text(dir.file("cut.mcap"), whole.substr(0, size));
    auto reader = McapReader::open(dir.file("cut.mcap"));
    ASSERT_EQ(static_cast<bool>(reader), size >= mcap::kMagic.size());
    if (!reader) continue;
    EXPECT_FALSE(reader->complete());
    const auto part = listen(*reader);
    ASSERT_TRUE(is_prefix(part, messages)) << size;
    ASSERT_GE(part.size(), most) << "a longer file never gives less";
    most = part.size();
    ASSERT_EQ(reader->notes().size(), 1u) << "a cut is said once, and is no damage to what is left: " << size;
  }
  EXPECT_EQ(most, messages.size()) << "cut in the summary: all messages are there";
}

TEST(Mcap, EveryFlippedBitIsNoticed) {
  const TempDir dir;
  const auto messages = random_messages(12, 13, 20);
  const std::string whole = sample_log(messages, 300);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    write_text(dir.file("flip.mcap"), flipped);
    auto reader = McapReader::open(dir.file("flip.mcap"));
    if (!reader) continue;
    // Messages come out of chunks, and chunks carry their own sum: only an opcode turned into "message" outside of them
    // can give one that nobody wrote, and that takes verify() to notice.
    const bool turned_into_message = flipped[bit / 8] == static_cast<char>(mcap::Op::message);
    for (const Said& s : listen(*reader)) {
      const auto same = [&](const Said& m) { return m.time == s.time && m.data == s.data; };
      ASSERT_TRUE(turned_into_message || std::any_of(messages.begin(), messages.end(), same)) << "bit " << bit;
    }
    ASSERT_FALSE(reader->verify()) << "bit " << bit << " of byte " << bit / 8;
  }
}

TEST(Mcap, RandomBytesAfterTheMagicNeverHurt) {
  const TempDir dir;
  const std::string whole = sample_log(random_messages(30, 17), 400);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const RandomKey key{seed, 0, 0};
    std::string bad = whole;
    for (std::uint32_t i = 0; i < 20; ++i) {
      bad[8 + random_bits(key, i, 0) % (bad.size() - 8)] = static_cast<char>(random_bits(key, i, 1));
    }
    write_text(dir.file("bad.mcap"), bad);
    auto reader = McapReader::open(dir.file("bad.mcap"));
    ASSERT_TRUE(reader);
    listen(*reader);
    EXPECT_FALSE(reader->verify());
  }
}

/// magic, an empty Header, then one chunk with the given claims.
std::string hostile_chunk(std::uint64_t claimed_size, std::string_view compression, std::string_view packed,
                          std::uint64_t claimed_packed_size) {
  Bytes out;
  append_bytes(out, mcap::magic());
  append_le(out, std::uint8_t{0x01});
  append_le(out, std::uint64_t{8});
  append_le(out, std::uint64_t{0});
  append_le(out, std::uint8_t{0x06});
  append_le(out, std::uint64_t{8 + 8 + 8 + 4 + 4 + compression.size() + 8 + packed.size()});
  append_le(out, std::uint64_t{0});
  append_le(out, std::uint64_t{0});
  append_le(out, claimed_size);
  append_le(out, std::uint32_t{0});
  append_le(out, static_cast<std::uint32_t>(compression.size()));
  append_bytes(out, as_byte_view(compression));
  append_le(out, claimed_packed_size);
  append_bytes(out, as_byte_view(packed));
  return std::string(as_text(out));
}

std::string last_note(const std::string& bytes) {
  const TempDir dir;
  write_text(dir.file("hostile.mcap"), bytes);
  auto reader = McapReader::open(dir.file("hostile.mcap"));
  if (!reader) return "not opened";
  EXPECT_TRUE(listen(*reader).empty());
  return reader->notes().empty() ? "" : reader->notes().back().text;
}

TEST(Mcap, HostileChunksAreRefusedBeforeMemoryIsTaken) {
  const std::size_t start = mcap::kMagic.size() + 17;
  const std::string at = "byte " + std::to_string(start) + ": ";
  const auto heap = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::size_t before = heap();
  EXPECT_EQ(last_note(hostile_chunk(1ull << 60, "zstd", "", 0)),
            at + "a chunk of 1152921504606846976 bytes, more than the limit");
  EXPECT_EQ(last_note(hostile_chunk(200u << 20, "zstd", "abcd", 4)), at + "a chunk that does not unpack");
  EXPECT_EQ(last_note(hostile_chunk(4, "zstd", "abcd", 1ull << 40)), at + "a malformed chunk");
  EXPECT_EQ(last_note(hostile_chunk(5, "", "abcd", 4)), at + "a chunk that does not unpack");
  EXPECT_EQ(last_note(hostile_chunk(4, "lz4", "abcd", 4)),
            at + "chunk compression 'lz4' is not known (only zstd and none)");
  EXPECT_LT(heap(), before + (1 << 20));
}

TEST(Mcap, AZstdBombStopsAtTheClaimedSize) {
  const std::string zeros(100 << 20, '\0');
  std::string packed(ZSTD_compressBound(zeros.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), zeros.size(), 3));
  EXPECT_NE(last_note(hostile_chunk(1000, "zstd", packed, packed.size())).find("does not unpack"), std::string::npos);
}

TEST(Mcap, FilesThatAreNoLogsAreNamed) {
  const TempDir dir;
  const auto text_of = [](const Result<McapReader>& r) { return r ? "" : to_string(r.notes().front()); };
  write_text(dir.file("a.csv"), "t,x\n1,2\n");
  EXPECT_EQ(text_of(McapReader::open(dir.file("a.csv"))),
            dir.file("a.csv") + ": error: is not an MCAP file; a log begins with the bytes 0x89 M C A P 0");
  EXPECT_EQ(text_of(McapReader::open(dir.file("none"))),
            dir.file("none") + ": error: cannot be read: No such file or directory");
  EXPECT_EQ(text_of(McapReader::open(dir.path())), dir.path() + ": error: cannot be read: not a regular file");
  const auto writer = McapWriter::open(dir.path() + "/no/such/a.mcap");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.notes().front().text, "cannot be written: No such file or directory");
}

// ---------------------------------------------------------------- size

class CountingSink final : public Sink {
 public:
  std::size_t write(ByteView data) override { return data.size(); }
  bool reserve(std::uint64_t) override { return true; }
  bool truncate(std::uint64_t) override { return true; }
  bool close() override { return true; }
  const std::string& error() const override { return error_; }

 private:
  std::string error_;
};

TEST(Mcap, MemoryStaysFlatOverAMillionMessages) {
  McapWriter writer(std::make_unique<CountingSink>(), {});
  const std::uint16_t channel = writer.channel("poses", "json", 0);
  std::string data(130, 'x');
  std::size_t after_first_chunks = 0;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    data[i % data.size()] = static_cast<char>(i);
    ASSERT_TRUE(writer.message(channel, i, as_byte_view(data)));
    if (i == 50'000) after_first_chunks = mallinfo2().uordblks;
  }
  EXPECT_LT(mallinfo2().uordblks, after_first_chunks + (256 << 10));
  EXPECT_TRUE(writer.close());
  EXPECT_EQ(writer.statistics().message_count, 1'000'000u);
  EXPECT_GT(writer.statistics().chunk_count, 100u);
}

}  // namespace
}  // namespace gradus::test

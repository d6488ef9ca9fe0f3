#include "io/log_thread.h"

#include <gtest/gtest.h>

#include <chrono>

#include "unit/io/log_fixtures.h"

namespace gradus::test {
namespace {

/// Takes its time, so that the producer has to wait.
class SlowSink final : public Sink {
 public:
  explicit SlowSink(std::string& out) : inner_(out) {}
  std::size_t write(ByteView data) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return inner_.write(data);
  }
  bool reserve(std::uint64_t size) override { return inner_.reserve(size); }
  bool truncate(std::uint64_t size) override { return inner_.truncate(size); }
  bool close() override { return inner_.close(); }
  const std::string& error() const override { return inner_.error(); }

 private:
  MemorySink inner_;
};

std::string log_through_thread(const std::vector<Said>& messages, std::size_t buffer_bytes) {
  std::string bytes;
  McapWriter writer(std::make_unique<SlowSink>(bytes), small_chunks(500));
  std::map<std::string, std::uint16_t> channels;
  for (const char* topic : {"topic0", "topic1", "topic2"}) channels[topic] = writer.channel(topic, "json", 0);
  LogThread thread(std::move(writer), buffer_bytes);
  for (const Said& s : messages) EXPECT_TRUE(thread.message(channels[s.topic], s.time, as_byte_view(s.data)));
  McapWriter& ended = thread.finish();
  EXPECT_TRUE(ended.metadata("result", {{"steps", "400"}}));
  EXPECT_TRUE(ended.close());
  return bytes;
}

TEST(LogThread, GivesTheSameBytesWhateverTheBuffer) {
  const auto messages = random_messages(400, 31);
  const std::string one = log_through_thread(messages, 1);
  EXPECT_EQ(one, log_through_thread(messages, 3000));
  EXPECT_EQ(one, log_through_thread(messages, 1 << 20));
  const TempDir dir;
  write_text(dir.file("a.mcap"), one);
  auto reader = McapReader::open(dir.file("a.mcap"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(listen(*reader), messages);
  EXPECT_TRUE(reader->verify());
}

TEST(LogThread, FlushBringsEverythingSoFarIntoTheFile) {
  std::string bytes;
  McapWriter writer(std::make_unique<SlowSink>(bytes), {});
  const std::uint16_t channel = writer.channel("a", "json", 0);
  LogThread thread(std::move(writer));
  for (int i = 0; i < 10; ++i) thread.message(channel, 0, as_byte_view("12345"));
  EXPECT_TRUE(thread.flush());
  const TempDir dir;
  write_text(dir.file("a.mcap"), bytes);
  auto reader = McapReader::open(dir.file("a.mcap"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(listen(*reader).size(), 10u);
}

TEST(LogThread, AFullSinkIsToldToTheProducer) {
  std::string bytes;
  McapWriter writer(std::make_unique<MemorySink>(bytes, 5000), small_chunks(500));
  const std::uint16_t channel = writer.channel("a", "json", 0);
  LogThread thread(std::move(writer), 100);
  bool good = true;
  int count = 0;
  for (const Said& s : random_messages(2000, 33)) {
    good = thread.message(channel, s.time, as_byte_view(s.data));
    if (!good) break;
    ++count;
  }
  EXPECT_FALSE(good);
  EXPECT_LT(count, 2000);
  EXPECT_EQ(thread.finish().error(), "full");
  EXPECT_FALSE(thread.message(channel, 0, {})) << "the thread has ended";
}

}  // namespace
}  // namespace gradus::test

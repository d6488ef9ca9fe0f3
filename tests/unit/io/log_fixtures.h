/// Helpers of the log tests: a directory that cleans up, a sink in memory with a size limit, random messages.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "io/mcap_reader.h"
#include "io/mcap_writer.h"
#include "base/rng.h"
#include "io/sink.h"

namespace gradus::test {

class TempDir {
 public:
  enum class Where { memory, disk };
  explicit TempDir(Where where = Where::memory) {
    // In memory where there is such a place: some tests write thousands of files.
    const bool has_memory = where == Where::memory && access("/dev/shm", W_OK) == 0;
    const auto parent = has_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
    std::string name = (parent / "gradus_log_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Room for `capacity` bytes; with can_reserve unset it answers as a file system that cannot look ahead.
class MemorySink final : public Sink {
 public:
  explicit MemorySink(std::string& out, std::uint64_t capacity = ~0ull, bool can_reserve = true)
      : out_(out), capacity_(capacity), can_reserve_(can_reserve) {}
  std::size_t write(ByteView data) override {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(data.size(), capacity_ - out_.size()));
    out_ += as_text(data.first(n));
    if (n < data.size()) error_ = "full";
    return n;
  }
  bool reserve(std::uint64_t size) override {
    if (!can_reserve_ || size <= capacity_ - out_.size()) return true;
    error_ = "full";
    return false;
  }
  bool truncate(std::uint64_t size) override {
    out_.resize(static_cast<std::size_t>(size));
    return true;
  }
  bool close() override { return error_.empty(); }
  const std::string& error() const override { return error_; }

 private:
  std::string& out_;
  std::uint64_t capacity_;
  bool can_reserve_;
  std::string error_;
};

struct Said {
  std::string topic;
  std::uint64_t time = 0;
  std::string data;
  bool operator==(const Said&) const = default;
};

/// All messages that a reader gives.
inline std::vector<Said> listen(McapReader& reader) {
  std::vector<Said> out;
  for (McapMessage m; reader.next(m);) out.push_back({m.channel->topic, m.log_time, std::string(as_text(m.data))});
  return out;
}

inline bool is_prefix(const std::vector<Said>& part, const std::vector<Said>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

/// `count` messages of random length (0 .. max_size) on three topics, half of the bytes compressible.
inline std::vector<Said> random_messages(int count, std::uint64_t seed, std::size_t max_size = 60) {
  const RandomKey key{seed, 0, 0};
  std::vector<Said> out;
  for (int i = 0; i < count; ++i) {
    const auto step = static_cast<std::uint64_t>(i);
    Said s{"topic" + std::to_string(random_bits(key, step, 0) % 3), 1'000'000 * step, ""};
    s.data.resize(random_bits(key, step, 1) % (max_size + 1));
    for (std::size_t k = 0; k < s.data.size(); ++k) {
      s.data[k] = k % 2 == 0 ? 'a' : static_cast<char>(random_bits(key, step, 2 + static_cast<std::uint32_t>(k)));
    }
    out.push_back(std::move(s));
  }
  return out;
}

/// Declares the three topics and says all messages; false as soon as the writer says so.
inline bool say(McapWriter& writer, const std::vector<Said>& messages) {
  const std::uint16_t schema = writer.schema("test.Bytes", "jsonschema", "{}");
  std::map<std::string, std::uint16_t> channels;
  for (const char* topic : {"topic0", "topic1", "topic2"}) {
    channels[topic] = writer.channel(topic, "json", schema, {{"unit", "m"}});
  }
  bool good = true;
  for (const Said& s : messages) good = writer.message(channels[s.topic], s.time, as_byte_view(s.data)) && good;
  return good;
}

inline McapWriteOptions small_chunks(std::size_t bytes) {
  McapWriteOptions options;
  options.chunk_bytes = bytes;
  return options;
}

/// The bytes of a log with everything in it.
inline std::string sample_log(const std::vector<Said>& messages, std::size_t chunk_bytes) {
  std::string bytes;
  McapWriter writer(std::make_unique<MemorySink>(bytes), small_chunks(chunk_bytes));
  writer.metadata("run", {{"seed", "7"}, {"scene", "levels"}});
  writer.attachment("scene.toml", "text/plain", as_byte_view("[world]\nstep = \"1 ms\"\n"));
  say(writer, messages);
  writer.close();
  return bytes;
}

}  // namespace gradus::test

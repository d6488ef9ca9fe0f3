/// What is left of a log when the disk, or the room given to it, is full.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/io/log_fixtures.h"

namespace gradus::test {
namespace {

TEST(McapFullDisk, EveryCapacityGivesAWholeFileWithSummary) {
  const TempDir dir;
  const auto messages = random_messages(200, 21);
  std::string whole;
  {
    McapWriter writer(std::make_unique<MemorySink>(whole), small_chunks(700));
    say(writer, messages);
  }
  std::size_t most = 0;
  for (std::size_t capacity = 0; capacity <= whole.size() + 200; capacity += 7) {
    std::string bytes;
    McapWriter writer(std::make_unique<MemorySink>(bytes, capacity), small_chunks(700));
    const bool all = say(writer, messages) && writer.flush();
    EXPECT_EQ(writer.close(), all);
    EXPECT_EQ(writer.error(), all ? "" : "full");
    if (bytes.empty()) continue;  // not even the header and the footer fit
    write_text(dir.file("full.mcap"), bytes);
    auto reader = McapReader::open(dir.file("full.mcap"));
    ASSERT_TRUE(reader);
    const auto part = listen(*reader);
    ASSERT_TRUE(is_prefix(part, messages));
    EXPECT_TRUE(reader->verify()) << "closed properly, capacity " << capacity << ": "
                                  << to_string(reader->notes().front());
    EXPECT_GE(part.size(), most);
    EXPECT_EQ(part.size(), writer.statistics().message_count);
    most = part.size();
  }
  EXPECT_EQ(most, messages.size());
}

TEST(McapFullDisk, WithoutReservationTheFileEndsAfterAWholeChunk) {
  const TempDir dir;
  const auto messages = random_messages(200, 22);
  for (std::size_t capacity = 100; capacity < 9000; capacity += 13) {
    std::string bytes;
    McapWriter writer(std::make_unique<MemorySink>(bytes, capacity, false), small_chunks(700));
    say(writer, messages);
    if (writer.close()) continue;
    write_text(dir.file("full.mcap"), bytes);
    auto reader = McapReader::open(dir.file("full.mcap"));
    ASSERT_TRUE(reader);
    const auto part = listen(*reader);
    ASSERT_TRUE(is_prefix(part, messages));
    EXPECT_EQ(part.size(), writer.statistics().message_count);
    ASSERT_LE(reader->notes().size(), 1u);
    if (!reader->complete()) {
      EXPECT_NE(reader->notes().front().text.find("the log was not closed"), std::string::npos);
    }
  }
}

/// Runs `body` in a child process and gives its exit status; what it does to limits and mounts stays there.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr int kGood = 0, kNotAllowed = 77;

/// Writes until the disk is full, then checks what is there. 0: all is as it should be; else the line that was not.
int fill_and_check(const std::string& path, const std::string& expected_error, bool expect_summary) {
  const auto messages = random_messages(20000, 23, 200);
  auto writer = McapWriter::open(path, small_chunks(20000));
  if (!writer) return 1;
  if (say(*writer, messages)) return 2;
  if (writer->close()) return 3;
  if (writer->error() != expected_error) return 4;
  if (writer->statistics().message_count == 0) return 5;
  auto reader = McapReader::open(path);
  if (!reader) return 6;
  const auto part = listen(*reader);
  if (part.size() != writer->statistics().message_count || !is_prefix(part, messages)) return 7;
  return reader->complete() == expect_summary ? kGood : 8;
}

TEST(McapFullDisk, AFileSizeLimitIsAnErrorNotTheEndOfTheProcess) {
  for (const TempDir::Where where : {TempDir::Where::memory, TempDir::Where::disk}) {
    const TempDir dir(where);
    const int status = in_child([&] {
      const rlimit limit{300'000, 300'000};
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return kNotAllowed;
      // Most file systems do not hold a reservation against this limit, so the summary may be missing; messages may
      // not.
      const int with = fill_and_check(dir.file("a.mcap"), "File too large", true);
      return with == 8 ? fill_and_check(dir.file("a.mcap"), "File too large", false) : with;
    });
    EXPECT_EQ(status, kGood) << dir.path();
  }
}

TEST(McapFullDisk, AFullFileSystemKeepsRoomForTheSummary) {
  const TempDir dir;
  const int status = in_child([&] {
    const int spaces = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
    if (unshare(spaces) != 0) return kNotAllowed;
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kNotAllowed;
    if (mount("none", dir.path().c_str(), "tmpfs", 0, "size=512k") != 0) return kNotAllowed;
    return fill_and_check(dir.file("a.mcap"), "No space left on device", true);
  });
  if (status == kNotAllowed) GTEST_SKIP() << "this user may not mount a small file system";
  EXPECT_EQ(status, kGood);
}

TEST(McapFullDisk, ADeviceThatTakesNothingIsReportedWhenOpened) {
  const auto writer = McapWriter::open("/dev/full");
  ASSERT_FALSE(writer);
  EXPECT_EQ(to_string(writer.notes().front()), "/dev/full: error: cannot be written: No space left on device");
}

TEST(McapFullDisk, NothingReservedIsLeftAfterClosing) {
  const TempDir dir(TempDir::Where::disk);
  auto writer = McapWriter::open(dir.file("a.mcap"), small_chunks(1 << 20));
  ASSERT_TRUE(writer);
  for (int i = 0; i < 500; ++i) writer->schema(std::to_string(i), "jsonschema", std::string(1000, 'x'));
  ASSERT_TRUE(writer->close());
  struct stat status {};
  ASSERT_EQ(stat(dir.file("a.mcap").c_str(), &status), 0);
  EXPECT_LE(status.st_blocks * 512, status.st_size + 64 * 1024);
  EXPECT_TRUE(read_text(dir.file("a.mcap")).ends_with(as_text(mcap::magic())));
}

}  // namespace
}  // namespace gradus::test

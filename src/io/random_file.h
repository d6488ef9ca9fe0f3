/// A file read at any place, by offset; small reads are served from a window, so that walking over record headers is
/// cheap. Reading, not mapping: a file that shrinks meanwhile is an error here and would be a fatal signal there.
#pragma once
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace gradus {

class RandomFile {
 public:
  static Result<RandomFile> open(const std::string& path);
  RandomFile(RandomFile&& other) noexcept;
  RandomFile& operator=(RandomFile&& other) noexcept;
  ~RandomFile();

  std::uint64_t size() const { return size_; }
  /// False if the file does not hold all of these bytes or the disk fails.
  bool read(std::uint64_t offset, std::span<std::byte> out);

 private:
  RandomFile(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
  bool read_directly(std::uint64_t offset, std::span<std::byte> out);

  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t window_start_ = 0;
  Bytes window_;
};

}  // namespace gradus

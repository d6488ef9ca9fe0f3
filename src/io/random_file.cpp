#include "io/random_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace gradus {
namespace {

constexpr std::size_t kWindowBytes = 1 << 14;

}  // namespace

Result<RandomFile> RandomFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0) {
    const std::string why = std::generic_category().message(errno);
    if (fd >= 0) ::close(fd);
    return file_error(path, "cannot be read: " + why);
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(fd);
    return file_error(path, "cannot be read: not a regular file");
  }
  return RandomFile(fd, static_cast<std::uint64_t>(status.st_size));
}

RandomFile::RandomFile(RandomFile&& other) noexcept { *this = std::move(other); }

RandomFile& RandomFile::operator=(RandomFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(window_start_, other.window_start_);
  std::swap(window_, other.window_);
  return *this;
}

RandomFile::~RandomFile() {
  if (fd_ >= 0) ::close(fd_);
}

bool RandomFile::read(std::uint64_t offset, std::span<std::byte> out) {
  if (offset > size_ || out.size() > size_ - offset) return false;
  if (out.size() > kWindowBytes / 2) return read_directly(offset, out);
  const bool inside = offset >= window_start_ && offset + out.size() <= window_start_ + window_.size();
  if (!inside) {
    window_start_ = offset;
    window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindowBytes, size_ - offset)));
    if (!read_directly(offset, window_)) {
      window_.clear();
      return false;
    }
  }
  if (!out.empty()) std::memcpy(out.data(), window_.data() + (offset - window_start_), out.size());
  return true;
}

bool RandomFile::read_directly(std::uint64_t offset, std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace gradus

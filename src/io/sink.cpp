#include "io/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace gradus {
namespace {

std::string text_of_errno() { return std::generic_category().message(errno); }

/// Blocks SIGXFSZ in this thread while alive, so that a file-size limit is an error code (EFBIG), as a full disk is,
/// instead of the end of the process. The signal that a refused write leaves pending is taken away.
class FileSizeSignalBlocked {
 public:
  FileSizeSignalBlocked() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~FileSizeSignalBlocked() {
    const timespec no_wait{0, 0};
    while (sigtimedwait(&set_, nullptr, &no_wait) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
  FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;

 private:
  sigset_t set_, before_;
};

class FileSink final : public Sink {
 public:
  explicit FileSink(int fd) : fd_(fd) {}
  ~FileSink() override {
    if (fd_ >= 0) ::close(fd_);
  }

  std::size_t write(ByteView data) override {
    const FileSizeSignalBlocked guard;
    std::size_t done = 0;
    while (done < data.size()) {
      const ssize_t n = ::write(fd_, data.data() + done, data.size() - done);
      if (n > 0) {
        done += static_cast<std::size_t>(n);
      } else if (n == 0 || errno != EINTR) {
        fail();
        break;
      }
    }
    size_ += done;
    return done;
  }

  /// Allocates blocks behind the end of the file. Only "no room" counts: where the file system cannot reserve, or the
  /// sink is a pipe, a write that fails will tell.
  bool reserve(std::uint64_t size) override {
    const FileSizeSignalBlocked guard;
    if (fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(size_), static_cast<off_t>(size)) == 0) return true;
    if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) return true;
    fail();
    return false;
  }

  bool truncate(std::uint64_t size) override {
    if (ftruncate(fd_, static_cast<off_t>(size)) != 0 || lseek(fd_, static_cast<off_t>(size), SEEK_SET) < 0) {
      fail();
      return false;
    }
    size_ = size;
    return true;
  }

  /// Some file systems report a failed write only here.
  bool close() override {
    if (fd_ < 0) return error_.empty();
    // Gives back what reserve() took. A device or pipe has no size to cut: not an error.
    if (ftruncate(fd_, static_cast<off_t>(size_)) != 0 && errno != EINVAL) fail();
    if (::close(fd_) != 0) fail();
    fd_ = -1;
    return error_.empty();
  }

  const std::string& error() const override { return error_; }

 private:
  void fail() {
    if (error_.empty()) error_ = text_of_errno();
  }

  int fd_;
  std::uint64_t size_ = 0;  // bytes written so far
  std::string error_;
};

}  // namespace

Result<std::unique_ptr<Sink>> open_file_sink(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return file_error(path, "cannot be written: " + text_of_errno());
  return std::unique_ptr<Sink>(std::make_unique<FileSink>(fd));
}

}  // namespace gradus

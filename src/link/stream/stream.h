/// Stream sockets of links: TCP and UNIX, never blocking. What a program at the other end does (send half a message,
/// nothing, garbage, too much; stop reading; vanish) is seen here as bytes, a full buffer or an end, never as waiting.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

namespace gradus {

/// A descriptor with an owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// One connection. Messages go out whole or not at all; what comes in waits in a buffer of limited size.
class Wire {
 public:
  Wire() = default;
  explicit Wire(Descriptor fd) : fd_(std::move(fd)) {}

  bool open() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  void close() { fd_ = Descriptor(), in_.clear(), out_.clear(), taken_ = 0; }
  /// False: the last message has not left yet (the program reads too slowly), and nothing of this one was sent.
  bool send(ByteView message);
  bool send(std::string_view text) { return send(as_byte_view(text)); }
  void flush();  // the rest of a message that did not fit at once
  bool unsent() const { return !out_.empty(); }
  /// Waits until it has left, at most `seconds` of wall time. False: it has not, or the other side has gone.
  bool drain(double seconds);
  /// Reads what is there, as long as the buffer has room. False: the other side has gone; received() still counts.
  bool fill();
  ByteView received() const { return ByteView(in_).subspan(taken_); }
  void take(std::size_t bytes);  // of received(), done with
  bool full() const { return received().size() >= kRoom; }

  static constexpr std::size_t kRoom = 1 << 20;  // bytes that may wait to be understood

 private:
  Descriptor fd_;
  Bytes in_, out_;
  std::size_t taken_ = 0;  // of in_
};

/// Where programs connect.
class Listener {
 public:
  Listener() = default;
  ~Listener();
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&& other) noexcept;
  /// "4000" (loopback), "0.0.0.0:4000"; port 0: the system chooses.
  static Result<Listener> tcp(const std::string& address);
  /// A socket in the file system. One that nobody listens to any more is replaced, any other file is left alone.
  static Result<Listener> local(const std::string& path);

  Wire accept();                                           // not open: nobody waits
  const std::string& address() const { return address_; }  // "127.0.0.1:4000", or the path
  std::uint16_t port() const { return port_; }
  int fd() const { return fd_.get(); }

 private:
  Descriptor fd_;
  std::string address_, path_;
  std::uint16_t port_ = 0;
};

/// "4000" or "127.0.0.1:4000" as host and port; or what is wrong.
std::string split_address(const std::string& text, std::string& host, std::uint16_t& port);

/// Waits until one of the descriptors can be read, at most `seconds` of wall time. False: none can, or a signal came
/// (Ctrl-C), which ends the wait.
enum class Woken { readable, timeout, signal };
Woken wait_readable(std::span<const int> descriptors, double seconds);

double wall_time();  // of a clock that never jumps  [s]

/// Programs that come and go a hundred times a second are not worth a line each.
class NoticeLimit {
 public:
  bool allows() {
    const double now = wall_time();
    if (now > since_ + 1) since_ = now, count_ = 0;
    return ++count_ <= kMost;
  }

 private:
  static constexpr int kMost = 10;  // a second
  double since_ = -1;               // [s]
  int count_ = 0;
};

}  // namespace gradus

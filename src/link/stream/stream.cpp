#include "link/stream/stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

namespace gradus {
namespace {

constexpr int kDoor = 512;  // connections that may wait to be taken

Diagnostics refused(const std::string& what, const std::string& suggestion = "") {
  return {{{}, Severity::error, what, suggestion}};
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

bool Wire::send(ByteView message) {
  flush();
  if (!open() || !out_.empty()) return false;
  const ssize_t n = ::send(fd(), message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  const std::size_t sent = n > 0 ? static_cast<std::size_t>(n) : 0;
  if (n < 0 && errno != EAGAIN && errno != EINTR) return false;  // its end is noticed when reading
  if (sent == 0) return false;
  out_.assign(message.begin() + static_cast<std::ptrdiff_t>(sent), message.end());
  return true;
}

void Wire::flush() {
  if (out_.empty() || !open()) return;
  const ssize_t n = ::send(fd(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n > 0) out_.erase(out_.begin(), out_.begin() + n);
}

bool Wire::drain(double seconds) {
  const double end = wall_time() + seconds;
  for (flush(); unsent() && open(); flush()) {
    const double left = end - wall_time();
    pollfd one{fd(), POLLOUT, 0};
    if (left <= 0 || poll(&one, 1, static_cast<int>(std::ceil(left * 1000))) <= 0 || (one.revents & (POLLERR | POLLHUP)) != 0)
      return false;
  }
  return !unsent();
}

bool Wire::fill() {
  if (!open()) return false;
  if (taken_ == in_.size()) in_.clear(), taken_ = 0;
  while (received().size() < kRoom) {
    std::byte bytes[16384];
    const ssize_t n = recv(fd(), bytes, std::min(sizeof bytes, kRoom - received().size()), MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    in_.insert(in_.end(), bytes, bytes + n);
    if (static_cast<std::size_t>(n) < sizeof bytes) return true;
  }
  return true;
}

void Wire::take(std::size_t bytes) {
  taken_ += std::min(bytes, received().size());
  if (taken_ == in_.size()) {
    in_.clear(), taken_ = 0;
  } else if (taken_ > kRoom) {
    in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(taken_)), taken_ = 0;
  }
}

Listener::~Listener() {
  if (fd_ && !path_.empty()) unlink(path_.c_str());
}

Listener& Listener::operator=(Listener&& other) noexcept {
  std::swap(fd_, other.fd_), std::swap(path_, other.path_);
  std::swap(address_, other.address_), std::swap(port_, other.port_);
  return *this;
}

std::string split_address(const std::string& text, std::string& host, std::uint16_t& port) {
  const std::size_t colon = text.rfind(':');
  host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  const std::string digits = colon == std::string::npos ? text : text.substr(colon + 1);
  const bool number = !digits.empty() && digits.size() <= 5 && digits.find_first_not_of("0123456789") == digits.npos;
  const int value = number ? std::stoi(digits) : -1;
  in_addr unused;
  if (value < 0 || value > 65535) return "'" + text + "' has no port within 0 … 65535";
  if (inet_pton(AF_INET, host.c_str(), &unused) != 1) return "'" + host + "' is not a numeric address as in 127.0.0.1";
  port = static_cast<std::uint16_t>(value);
  return "";
}

Result<Listener> Listener::tcp(const std::string& address) {
  std::string host;
  Listener l;
  if (const std::string fault = split_address(address, host, l.port_); !fault.empty())
    return refused(fault, "write 4000, or 127.0.0.1:4000");
  l.fd_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  setsockopt(l.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in at{};
  at.sin_family = AF_INET, at.sin_port = htons(l.port_);
  inet_pton(AF_INET, host.c_str(), &at.sin_addr);
  if (bind(l.fd(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 || listen(l.fd(), kDoor) != 0)
    return refused("cannot listen on " + host + ":" + std::to_string(l.port_) + ": " + std::strerror(errno),
                   errno == EADDRINUSE ? "another program has this port; 0 finds a free one" : "");
  socklen_t size = sizeof at;
  getsockname(l.fd(), reinterpret_cast<sockaddr*>(&at), &size);
  l.port_ = ntohs(at.sin_port);
  l.address_ = host + ":" + std::to_string(l.port_);
  return l;
}

Result<Listener> Listener::local(const std::string& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof at.sun_path)
    return refused("the path of a socket has 1 to " + std::to_string(sizeof at.sun_path - 1) + " characters, not '" +
                   path + "'");
  std::copy(path.begin(), path.end(), at.sun_path);
  const auto* where = reinterpret_cast<const sockaddr*>(&at);
  struct stat there;
  if (lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) return refused("'" + path + "' is there already, and is no socket");
    const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(probe.get(), where, sizeof at) == 0)
      return refused("another program listens on '" + path + "'", "end it, or give another path");
    unlink(path.c_str());
  }
  Listener l;
  l.fd_ = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (bind(l.fd(), where, sizeof at) != 0 || listen(l.fd(), kDoor) != 0)
    return refused("cannot listen on '" + path + "': " + std::strerror(errno));
  l.address_ = l.path_ = path;
  return l;
}

Wire Listener::accept() {
  const int fd = accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return Wire();
  const int yes = 1;
  if (path_.empty()) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return Wire(Descriptor(fd));
}

Woken wait_readable(std::span<const int> descriptors, double seconds) {
  constexpr std::size_t kMost = 256;
  pollfd set[kMost];
  const std::size_t n = std::min(descriptors.size(), kMost);
  for (std::size_t i = 0; i < n; ++i) set[i] = {descriptors[i], POLLIN, 0};
  // A program in lock-step answers within some ten microseconds, and to be woken on another core takes as long again or
  // longer: the first moment is waited out awake. Who shares this core gets it at once.
  constexpr double kAwake = 50e-6;  // [s]
  int got = 0;
  for (const double end = wall_time() + std::min(seconds, kAwake); (got = poll(set, n, 0)) == 0 && wall_time() < end;) sched_yield();
  if (got == 0) got = poll(set, n, static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 1e6) * 1000)));
  return got > 0 ? Woken::readable : got == 0 ? Woken::timeout : Woken::signal;
}

double wall_time() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace gradus

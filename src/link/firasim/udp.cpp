#include "link/firasim/udp.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace gradus::firasim {
namespace {

Diagnostics problem(std::string text, std::string suggestion = "") {
  Diagnostic d;
  d.text = std::move(text), d.suggestion = std::move(suggestion);
  return {d};
}

bool to_system(const Address& a, sockaddr_in& out) {
  std::memset(&out, 0, sizeof out);
  out.sin_family = AF_INET;
  out.sin_port = htons(a.port);
  return inet_pton(AF_INET, a.host.c_str(), &out.sin_addr) == 1;
}

const sockaddr* generic(const sockaddr_in& a) { return reinterpret_cast<const sockaddr*>(&a); }

Diagnostics system_problem(const std::string& doing) {
  const bool taken = errno == EADDRINUSE;
  return problem(
      fmt::format("{}: {}", doing, std::strerror(errno)),
      taken
          ? "another gradus or FIRASim listens there; end it, or choose another port: --firasim=commands=127.0.0.1:PORT"
          : "");
}

}  // namespace

bool Address::is_multicast() const {
  in_addr a;
  return inet_pton(AF_INET, host.c_str(), &a) == 1 && IN_MULTICAST(ntohl(a.s_addr));
}

Result<Address> parse_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return problem(fmt::format("'{}' has no port", text), "write HOST:PORT");
  Address a{text.substr(0, colon), 0};
  char* end = nullptr;
  const long port = std::strtol(text.c_str() + colon + 1, &end, 10);
  if (*end != 0 || colon + 1 == text.size() || port < 0 || port > 65535)
    return problem(fmt::format("'{}' is not a port", text.substr(colon + 1)), "0 to 65535");
  a.port = static_cast<std::uint16_t>(port);
  sockaddr_in s;
  if (!to_system(a, s)) return problem(fmt::format("'{}' is not a numeric IPv4 address", a.host));
  return a;
}

UdpSocket::~UdpSocket() {
  if (fd_ >= 0) close(fd_);
}
UdpSocket::UdpSocket(UdpSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
UdpSocket& UdpSocket::operator=(UdpSocket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Result<UdpSocket> UdpSocket::receiver(const Address& at, const std::string& interface) {
  sockaddr_in local;
  if (!to_system(at, local)) return problem(fmt::format("'{}' is not a numeric IPv4 address", at.host));
  UdpSocket s(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (s.fd_ < 0) return system_problem("opening a UDP socket");
  if (at.is_multicast()) {
    const int yes = 1;  // several receivers of one group share the port
    setsockopt(s.fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  }
  if (bind(s.fd_, generic(local), sizeof local) != 0)
    return system_problem(fmt::format("receiving on {}:{}", at.host, at.port));
  if (at.is_multicast()) {
    ip_mreq request{};
    inet_pton(AF_INET, at.host.c_str(), &request.imr_multiaddr);
    inet_pton(AF_INET, interface.c_str(), &request.imr_interface);
    if (setsockopt(s.fd_, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) != 0)
      return system_problem(fmt::format("joining {} on {}", at.host, interface));
  }
  return s;
}

Result<UdpSocket> UdpSocket::sender(const std::string& interface) {
  UdpSocket s(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (s.fd_ < 0) return system_problem("opening a UDP socket");
  in_addr out{};
  if (inet_pton(AF_INET, interface.c_str(), &out) != 1)
    return problem(fmt::format("'{}' is not a numeric IPv4 address", interface));
  const bool local = (ntohl(out.s_addr) >> 24) == 127;
  const unsigned char ttl = local ? 0 : 1, loop = 1;
  if (setsockopt(s.fd_, IPPROTO_IP, IP_MULTICAST_IF, &out, sizeof out) != 0)
    return system_problem(fmt::format("sending multicast through {}", interface));
  setsockopt(s.fd_, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof ttl);
  setsockopt(s.fd_, IPPROTO_IP, IP_MULTICAST_LOOP, &loop, sizeof loop);
  return s;
}

std::uint16_t UdpSocket::port() const {
  sockaddr_in a{};
  socklen_t size = sizeof a;
  getsockname(fd_, reinterpret_cast<sockaddr*>(&a), &size);
  return ntohs(a.sin_port);
}

std::size_t UdpSocket::receive(std::span<std::uint8_t> buffer) {
  const ssize_t n = recv(fd_, buffer.data(), buffer.size(), MSG_TRUNC | MSG_DONTWAIT);
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

bool UdpSocket::wait(double seconds) const {
  pollfd p{fd_, POLLIN, 0};
  return poll(&p, 1, static_cast<int>(seconds * 1000)) > 0;
}

bool UdpSocket::send(const Address& to, std::span<const std::uint8_t> data) {
  sockaddr_in a;
  if (!to_system(to, a)) return false;
  return sendto(fd_, data.data(), data.size(), 0, generic(a), sizeof a) == static_cast<ssize_t>(data.size());
}

}  // namespace gradus::firasim

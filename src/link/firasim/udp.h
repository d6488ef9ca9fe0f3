/// UDP sockets for FIRASim's protocol. Everything stays on the loopback interface unless told otherwise.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace gradus::firasim {

struct Address {
  std::string host = "127.0.0.1";  // numeric IPv4
  std::uint16_t port = 0;
  bool is_multicast() const;
};
/// "127.0.0.1:10002" or an error that says what is wrong.
Result<Address> parse_address(const std::string& text);

/// A socket that owns its descriptor.
class UdpSocket {
 public:
  UdpSocket() = default;
  ~UdpSocket();
  UdpSocket(UdpSocket&& other) noexcept;
  UdpSocket& operator=(UdpSocket&& other) noexcept;

  /// Receives on an address. A multicast group is joined on `interface`; port 0: the system chooses.
  static Result<UdpSocket> receiver(const Address& at, const std::string& interface = "127.0.0.1");
  /// Sends; multicast leaves through `interface` only (with 127.0.0.1 nothing leaves the machine).
  static Result<UdpSocket> sender(const std::string& interface = "127.0.0.1");

  std::uint16_t port() const;
  /// One waiting datagram, without blocking. Returns its size, 0 if there is none (or it was empty); a datagram longer
  /// than the buffer is reported with its true size and its content must not be used.
  std::size_t receive(std::span<std::uint8_t> buffer);
  /// Waits until something can be read, at most `seconds`.
  bool wait(double seconds) const;
  bool send(const Address& to, std::span<const std::uint8_t> data);

 private:
  explicit UdpSocket(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace gradus::firasim

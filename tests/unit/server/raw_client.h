/// A browser's end of HTTP and WebSocket on plain sockets, written without the library that the server uses, so that a
/// mistake of that library does not cancel out. Can misbehave at will.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradus::view {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer = 0) : port_(port), fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  bool is_open() const { return is_open_; }
  bool send(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<std::size_t>(n);
    }
    return true;
  }

  /// More bytes into the buffer; false at the end of the stream or after `seconds`.
  bool receive(double seconds = 5) {
    pollfd p{fd_, POLLIN, 0};
    if (poll(&p, 1, static_cast<int>(seconds * 1000)) <= 0) return false;
    char chunk[65536];
    const ssize_t n = recv(fd_, chunk, sizeof chunk, 0);
    if (n <= 0) return has_ended_ = true, false;
    buffer_.append(chunk, static_cast<std::size_t>(n));
    return true;
  }
  /// Does the server close the connection within so many seconds?
  bool is_closed_within(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!has_ended_ && std::chrono::steady_clock::now() < end) {
      receive(std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count() + 0.001);
      buffer_.clear();
    }
    return has_ended_;
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

  /// Everything that the server says to a request until it closes; "" if nothing.
  std::string request(const std::string& text) {
    send(text);
    while (receive()) {
    }
    return std::exchange(buffer_, "");
  }
  std::string get(const std::string& target, const std::string& more_headers = "") {
    return request("GET " + target + " HTTP/1.1\r\nHost: " + host() + "\r\n" + more_headers + "\r\n");
  }

  static std::string upgrade_headers() {
    return "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  }
  /// Opens /stream; the status line of the answer.
  std::string open_stream(const std::string& token, const std::string& more_headers = "") {
    ask_for_stream(token, more_headers);
    return status_line();
  }
  void ask_for_stream(const std::string& token, const std::string& more_headers = "") {
    send("GET /stream?token=" + token + " HTTP/1.1\r\nHost: " + host() + "\r\n" + upgrade_headers() + more_headers +
         "\r\n");
  }
  std::string status_line() {
    std::size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == buffer_.npos)
      if (!receive()) return "";
    const std::string head = buffer_.substr(0, end);
    buffer_.erase(0, end + 4);
    return head.substr(0, head.find("\r\n"));
  }

  struct Message {
    int opcode = 0;  // 1 text, 2 binary, 8 close, 9 ping
    std::string data;
    bool is_whole = true;  // not a fragment
  };
  /// The next WebSocket message; pings are answered.
  std::optional<Message> next(double seconds = 5) {
    for (;;) {
      if (auto m = take()) {
        if (m->opcode != 9) return m;
        send_message(10, m->data);
      } else if (!receive(seconds)) {
        return {};
      }
    }
  }
  /// The next text message of a type, e.g. "reply"; other messages are skipped.
  std::string next_text(const std::string& type, double seconds = 5) {
    while (auto m = next(seconds))
      if (m->opcode == 1 && m->data.find("\"type\":\"" + type + "\"") != std::string::npos) return m->data;
    return "";
  }
  bool send_message(int opcode, const std::string& data, bool is_masked = true) {
    std::string bytes(1, static_cast<char>(0x80 | opcode));
    const int mask_bit = is_masked ? 0x80 : 0;
    if (data.size() < 126) {
      bytes += static_cast<char>(mask_bit | static_cast<int>(data.size()));
    } else {
      const bool is_short = data.size() < 65536;
      bytes += static_cast<char>(mask_bit | (is_short ? 126 : 127));
      for (int shift = is_short ? 8 : 56; shift >= 0; shift -= 8)
        bytes += static_cast<char>((data.size() >> shift) & 255);
    }
    if (is_masked) bytes += std::string(4, '\0');  // a mask of zeros changes nothing
    return send(bytes + data);
  }
  bool command(const std::string& json) { return send_message(1, json); }

 private:
  /// A complete message out of the buffer.
  std::optional<Message> take() {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(buffer_[i]); };
    if (buffer_.size() < 2) return {};
    std::size_t size = byte(1) & 127, head = 2;
    if (size >= 126) {
      head = size == 126 ? 4 : 10;
      if (buffer_.size() < head) return {};
      size = 0;
      for (std::size_t i = 2; i < head; ++i) size = size << 8 | byte(i);
    }
    if (buffer_.size() < head + size) return {};
    Message m{byte(0) & 15, buffer_.substr(head, size), (byte(0) & 0x80) != 0};
    buffer_.erase(0, head + size);
    return m;
  }

  std::uint16_t port_;
  int fd_;
  bool is_open_ = false, has_ended_ = false;
  std::string buffer_;
};

}  // namespace gradus::view

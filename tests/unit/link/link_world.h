/// Worlds and clients for tests of links.
#pragma once
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "link/link.h"
#include "load/scene_toml.h"
#include "world/world.h"

namespace gradus {

inline const std::string kPlane = "[world]\nstep = \"1 ms\"\ninclude = [\"fields/plane.toml\"]\n";

inline SceneSpec scene_of(const std::string& text) {
  auto scene = parse_scene(text, std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml");
  for (const Diagnostic& d : scene.notes()) ADD_FAILURE() << to_string(d);
  return std::move(*scene);
}

/// A world with a link, stepped as a Session does.
struct LinkedWorld {
  std::unique_ptr<World> world;
  std::unique_ptr<ProtocolLink> link;
  std::vector<LinkNotice> notices;

  LinkedWorld(const std::string& scene_text, const std::string& name, const std::string& options) {
    SceneSpec scene = scene_of(scene_text);
    const LinkTable* table = find_link(name);
    for (const Diagnostic& d : table->prepare(options, scene)) ADD_FAILURE() << to_string(d);
    auto model = compile(scene);
    for (const Diagnostic& d : model.notes()) ADD_FAILURE() << to_string(d);
    auto made = World::make(std::move(*model));
    world = std::move(*made);
    auto opened = table->open(options, *world);
    for (const Diagnostic& d : opened.notes()) ADD_FAILURE() << to_string(d);
    if (opened) link = std::move(*opened);
  }
  void step(int times = 1) {
    for (int i = 0; i < times; ++i) {
      for (const Command& c : link->receive(*world)) EXPECT_EQ(apply(*world, c), "");
      world->step();
      link->publish(*world);
      for (LinkNotice& n : link->take_notices()) notices.push_back(std::move(n));
    }
  }
  bool was_told(const std::string& what) const {
    for (const LinkNotice& n : notices)
      if (n.what.find(what) != std::string::npos) return true;
    return false;
  }
  std::int64_t figure(const std::string& name) const {
    for (const auto& [key, value] : link->figures())
      if (key == name) return value;
    ADD_FAILURE() << "no figure " << name;
    return -1;
  }
};

/// A blocking client.
class Client {
 public:
  static Client tcp(int port) {
    Client c(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET, at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(c.fd_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    return c;
  }
  static Client local(const std::string& path) {
    Client c(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    EXPECT_EQ(connect(c.fd_, reinterpret_cast<sockaddr*>(&at), sizeof at), 0) << path;
    return c;
  }
  Client(Client&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  ~Client() { hang_up(); }
  void hang_up() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  void send(const std::string& bytes) { ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  std::string line() {
    std::string out;
    for (char c = 0; recv(fd_, &c, 1, 0) == 1 && c != '\n';) out += c;
    return out;
  }
  std::string read(std::size_t bytes) {
    std::string out(bytes, '\0');
    const ssize_t n = recv(fd_, out.data(), bytes, MSG_WAITALL);
    out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return out;
  }
  std::string available() {  // what is there now
    std::string out(1 << 16, '\0');
    const ssize_t n = recv(fd_, out.data(), out.size(), MSG_DONTWAIT);
    out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return out;
  }
  bool is_closed() {  // by the other side, all of it read
    char c;
    while (recv(fd_, &c, 1, MSG_DONTWAIT) == 1) {
    }
    return recv(fd_, &c, 1, MSG_DONTWAIT) == 0;
  }

 private:
  explicit Client(int fd) : fd_(fd) {
    const timeval patience{10, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  int fd_;
};

}  // namespace gradus

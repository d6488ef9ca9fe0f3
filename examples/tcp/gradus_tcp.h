// Drives a robot of gradus over TCP, from this or another machine. One header, C++17, POSIX, no library: copy it.
//
//   gradus_tcp::Robot robot("127.0.0.1", 4000);                  // gradus run nao --tcp=4000
//   while (robot.see()) {                                         // until the run ends
//     std::vector<double> target(robot.part("q"), robot.part("q") + robot.joints.size());
//     robot.answer(target);                                       // in lock-step, simulated time waits for this
//   }
#pragma once
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace gradus_tcp {

class Robot {
 public:
  std::string name;
  std::vector<std::string> joints;

  /// One format of an image that has arrived since the last state.
  struct Image {
    std::string camera, format;  // rgb, grey, yuyv, depth (floats, m), segmentation (16-bit numbers)
    std::uint32_t width, height, row_bytes;
    std::int64_t frame;
    double time;
    std::vector<std::uint8_t> bytes;  // rows from the top
  };
  std::vector<Image> images;

  /// cameras: whose images are to come with the states.
  Robot(const std::string& host, int port, const std::string& robot = "", const std::string& token = "",
        const std::vector<std::string>& cameras = {})
      : cameras_(cameras) {
    fd_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    if (inet_pton(AF_INET, host.c_str(), &at.sin_addr) != 1 ||
        connect(fd_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0)
      throw std::runtime_error("nobody listens on " + host + ":" + std::to_string(port));
    const int yes = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    std::string hello = "{\"form\": \"binary\"";
    if (!robot.empty()) hello += ", \"robot\": \"" + robot + "\"";
    if (!token.empty()) hello += ", \"token\": \"" + token + "\"";
    for (std::size_t i = 0; i < cameras.size(); ++i)
      hello += std::string(i == 0 ? ", \"images\": [\"" : ", \"") + cameras[i] + (i + 1 == cameras.size() ? "\"]" : "\"");
    send_all(hello + "}\n");
    read_schema(line());
  }
  ~Robot() { close(fd_); }
  Robot(const Robot&) = delete;
  Robot& operator=(const Robot&) = delete;

  /// Waits for the next state. False: the run is over.
  bool see() {
    std::uint32_t bytes = 0;
    if (!receive(&bytes, sizeof bytes)) return false;  // little-endian, as this machine is
    const std::size_t numbers = state_.size() * sizeof(double);
    if (cameras_.empty() ? bytes != numbers : bytes < numbers) throw std::runtime_error("gradus hung up: see its messages");
    if (!receive(state_.data(), numbers)) return false;
    if (cameras_.empty()) return true;
    std::vector<char> rest(bytes - numbers);
    return receive(rest.data(), rest.size()) && (read_images(rest), true);
  }
  double time() const { return *part("time"); }
  /// The numbers of a part of the state: "q", "gyro", "foot_force"; "sensors.NAME": time, sample, values.
  const double* part(const std::string& part_name) const { return state_.data() + parts_.at(part_name).first; }
  std::size_t size(const std::string& part_name) const { return parts_.at(part_name).second; }

  void answer() { answer_masked(0, nullptr, 0); }  // all stays as it is
  void answer(const std::vector<double>& target) { answer_masked(1, target.data(), target.size()); }
  void answer(const std::vector<double>& target, const std::vector<double>& stiffness) {
    std::vector<double> both(target);
    both.insert(both.end(), stiffness.begin(), stiffness.end());
    answer_masked(3, both.data(), both.size());
  }

 private:
  void read_images(const std::vector<char>& from) {
    std::size_t at = 0;
    const auto take = [&](auto& x) { std::memcpy(&x, &from.at(at + sizeof x - 1) - (sizeof x - 1), sizeof x), at += sizeof x; };
    images.clear();
    std::uint32_t count = 0, camera = 0, formats = 0, size = 0;
    for (take(count); count > 0; --count) {
      Image image{};
      take(camera), take(formats), take(image.frame), take(image.time);
      image.camera = cameras_.at(camera);
      for (; formats > 0; --formats) {
        char name[16];
        take(name), take(image.width), take(image.height), take(image.row_bytes), take(size);
        image.format = name;
        if (size > from.size() - at) throw std::runtime_error("an image is cut off");
        image.bytes.assign(from.begin() + static_cast<std::ptrdiff_t>(at), from.begin() + static_cast<std::ptrdiff_t>(at + size));
        at += size;
        images.push_back(image);
      }
    }
  }
  void answer_masked(std::uint32_t mask, const double* numbers, std::size_t count) {
    std::string frame(8 + count * sizeof(double), '\0');
    const auto bytes = static_cast<std::uint32_t>(frame.size() - 4);
    std::memcpy(&frame[0], &bytes, 4);
    std::memcpy(&frame[4], &mask, 4);
    if (count > 0) std::memcpy(&frame[8], numbers, count * sizeof(double));
    send_all(frame);
  }
  void send_all(const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t n = send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;  // the next see() tells
      sent += static_cast<std::size_t>(n);
    }
  }
  // The next state comes within some ten microseconds, and to be woken on another core takes as long again or longer: the
  // first 50 µs are waited out awake.
  bool receive(void* to, std::size_t bytes) {
    using clock = std::chrono::steady_clock;
    for (char* at = static_cast<char*>(to); bytes > 0;) {
      ssize_t n = recv(fd_, at, bytes, MSG_DONTWAIT);
      for (const auto end = clock::now() + std::chrono::microseconds(50); n < 0 && clock::now() < end;)
        sched_yield(), n = recv(fd_, at, bytes, MSG_DONTWAIT);
      if (n < 0) n = recv(fd_, at, bytes, 0);
      if (n <= 0) return false;
      at += n, bytes -= static_cast<std::size_t>(n);
    }
    return true;
  }
  std::string line() {
    std::string out;
    for (char c = 0; receive(&c, 1) && c != '\n';) out += c;
    return out;
  }
  // The schema is one line of JSON; of it only "robot", "joints" and "state" are wanted here.
  void read_schema(const std::string& text) {
    if (text.empty() || text.find("\"error\":") != text.npos) throw std::runtime_error("gradus refused: " + text);
    name = texts(text, "\"robot\":", 1).at(0);
    joints = texts(text, "\"joints\":[", 0);
    std::size_t at = text.find("\"state\":[") + 9, offset = 0;
    while (text[at] == '[' || text[at] == ',') {  // ["q",25],["v",25],…
      const std::size_t open = text.find('"', at), end = text.find('"', open + 1), close = text.find(']', end);
      const std::size_t count = std::stoul(text.substr(end + 2, close - end - 2));
      parts_[text.substr(open + 1, end - open - 1)] = {offset, count};
      offset += count;
      at = close + 1;
    }
    state_.resize(offset);
  }
  /// The texts after a key; most 0: up to the end of the list.
  static std::vector<std::string> texts(const std::string& text, const std::string& key, std::size_t most) {
    std::vector<std::string> out;
    std::size_t at = text.find(key) + key.size();
    while (text[at] != ']' && (most == 0 || out.size() < most)) {
      const std::size_t open = text.find('"', at), end = text.find('"', open + 1);
      out.push_back(text.substr(open + 1, end - open - 1));
      at = end + 1;
    }
    return out;
  }

  int fd_ = -1;
  std::vector<std::string> cameras_;
  std::vector<double> state_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> parts_;
};

}  // namespace gradus_tcp

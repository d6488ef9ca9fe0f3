/// The simulator's end of FIRASim's protocol: vision out, commands and replacements in. Knows no physics: it hands over
/// decoded orders and takes an Environment. Hostile or broken datagrams are counted and dropped, never trusted.
#pragma once
#include <memory>
#include <vector>

#include "link/firasim/messages.h"
#include "link/firasim/udp.h"

namespace gradus::firasim {

struct ServerOptions {
  std::vector<Address> vision = {{"224.0.0.1", 10002}};
  Address commands = {"127.0.0.1", 20011};
  std::string interface = "127.0.0.1";  // of multicast: with loopback nothing leaves the machine
  int robots_per_team = 5;
  double watchdog = 0;  // a team silent for this long is stopped [s]; 0: never, as FIRASim
};

struct ServerCounters {
  std::int64_t packets = 0;  // accepted
  std::int64_t frames = 0;   // vision sent
  std::int64_t send_failures = 0;
  std::int64_t malformed = 0;  // not a Packet
  std::int64_t oversized = 0;  // longer than any honest packet
  std::int64_t flooded = 0;    // beyond what one step may bring
  std::int64_t stale = 0;      // commands overtaken by a newer one before they were read
  std::int64_t refused = 0;    // entries: not finite, or no such robot
  std::int64_t watchdog_stops = 0;
};

/// Wheel speeds per robot, as last commanded [rad/s].
struct Wheels {
  double left = 0, right = 0;
};

/// What arrived since the last poll: replacements to carry out, in order. Angles already in radians.
struct Orders {
  bool has_ball = false;
  BallReplacement ball;
  std::vector<RobotReplacement> robots;
};

/// Merges packets into the standing wheel commands. Separate from the sockets, so that it can be tested without them.
class CommandBoard {
 public:
  CommandBoard(int robots_per_team, double watchdog);
  /// One packet at simulated time `now`.
  void accept(const Packet& packet, double now, Orders& orders, ServerCounters& counters);
  /// Stops teams that have been silent for too long.
  void watch(double now, ServerCounters& counters);
  const std::vector<Wheels>& blue() const { return wheels_[0]; }
  const std::vector<Wheels>& yellow() const { return wheels_[1]; }
  std::int64_t heard(int team) const { return heard_[team]; }  // packets with a command for this team, 0 blue, 1 yellow
  void begin_poll();  // from here on, a second command to the same robot makes the first one stale

 private:
  std::vector<Wheels> wheels_[2];
  std::vector<char> fresh_[2];
  std::int64_t heard_[2] = {0, 0};

  void accept_commands(const Packet& packet, double now, ServerCounters& counters);
  void accept_replacements(const Packet& packet, Orders& orders, ServerCounters& counters);
  double last_[2] = {0, 0}, watchdog_ = 0;
};

class Server {
 public:
  static Result<Server> open(const ServerOptions& options);
  /// Reads what has arrived (at most kMostDatagrams), updates wheels and orders.
  void poll(double now, Orders& orders);
  /// Waits until a datagram is there, at most `seconds` of wall time.
  bool wait(double seconds) const { return in_.wait(seconds); }
  /// also_loopback: to 127.0.0.1 at the ports of the multicast groups too, for clients that are bound to it.
  void send(const Environment& environment, bool also_loopback = false);
  const CommandBoard& board() const { return board_; }
  const ServerCounters& counters() const { return counters_; }
  std::uint16_t command_port() const { return in_.port(); }

  static constexpr int kMostDatagrams = 64;            // in one poll; the rest is dropped
  static constexpr std::size_t kLargestPacket = 8192;  // bytes

 private:
  explicit Server(const ServerOptions& o) : options_(o), board_(o.robots_per_team, o.watchdog) {}
  ServerOptions options_;
  CommandBoard board_;
  UdpSocket in_, out_;
  std::vector<UdpSocket> own_groups_;  // joined so that Linux delivers loopback multicast to clients joined elsewhere
  ServerCounters counters_;
  Packet packet_;
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(kLargestPacket);
  std::vector<std::uint8_t> encoded_;
};

}  // namespace gradus::firasim

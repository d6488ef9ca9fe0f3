#include "link/firasim/server.h"

#include <cmath>

namespace gradus::firasim {
namespace {

bool finite(const Robot& r) { return std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.orientation); }

}  // namespace

CommandBoard::CommandBoard(int robots_per_team, double watchdog) : watchdog_(watchdog) {
  for (int t = 0; t < 2; ++t) wheels_[t].resize(robots_per_team), fresh_[t].resize(robots_per_team);
}

void CommandBoard::begin_poll() {
  for (auto& team : fresh_) std::fill(team.begin(), team.end(), 0);
}

void CommandBoard::accept(const Packet& packet, double now, Orders& orders, ServerCounters& counters) {
  ++counters.packets;
  accept_commands(packet, now, counters);
  accept_replacements(packet, orders, counters);
}

void CommandBoard::accept_commands(const Packet& packet, double now, ServerCounters& counters) {
  bool for_team[2] = {false, false};
  for (const Command& c : packet.commands) {
    const int team = c.yellow ? 1 : 0;
    const bool known = c.id < wheels_[team].size();
    if (!known || !std::isfinite(c.wheel_left) || !std::isfinite(c.wheel_right)) {
      ++counters.refused;
      continue;
    }
    if (fresh_[team][c.id]) ++counters.stale;
    fresh_[team][c.id] = 1;
    wheels_[team][c.id] = {c.wheel_left, c.wheel_right};
    last_[team] = now;
    for_team[team] = true;
  }
  for (int team = 0; team < 2; ++team) heard_[team] += for_team[team];
}

void CommandBoard::accept_replacements(const Packet& packet, Orders& orders, ServerCounters& counters) {
  if (packet.has_ball) {
    const BallReplacement& b = packet.ball;
    const bool ok = std::isfinite(b.x) && std::isfinite(b.y) && std::isfinite(b.vx) && std::isfinite(b.vy);
    if (ok)
      orders.has_ball = true, orders.ball = b;
    else
      ++counters.refused;
  }
  for (RobotReplacement r : packet.robots) {
    const int team = r.yellow ? 1 : 0;
    if (r.position.id >= wheels_[team].size() || !finite(r.position) || orders.robots.size() >= kMostEntries) {
      ++counters.refused;
      continue;
    }
    r.position.orientation *= M_PI / 180;  // degrees on the wire
    if (!r.turn_on) wheels_[team][r.position.id] = {};
    orders.robots.push_back(r);
  }
}

void CommandBoard::watch(double now, ServerCounters& counters) {
  if (watchdog_ <= 0) return;
  for (int t = 0; t < 2; ++t) {
    if (now - last_[t] <= watchdog_) continue;
    bool moving = false;
    for (Wheels& w : wheels_[t]) moving |= w.left != 0 || w.right != 0, w = {};
    counters.watchdog_stops += moving;
  }
}

Result<Server> Server::open(const ServerOptions& options) {
  Server server(options);
  Diagnostics errors;
  auto keep = [&](Result<UdpSocket>&& socket, UdpSocket& into) {
    if (socket)
      into = std::move(*socket);
    else
      errors.insert(errors.end(), socket.notes().begin(), socket.notes().end());
  };
  keep(UdpSocket::receiver(options.commands, options.interface), server.in_);
  keep(UdpSocket::sender(options.interface), server.out_);
  for (const Address& a : options.vision) {
    if (!a.is_multicast()) continue;
    keep(UdpSocket::receiver(a, options.interface), server.own_groups_.emplace_back());
  }
  if (!errors.empty()) return errors;
  return server;
}

void Server::poll(double now, Orders& orders) {
  orders.has_ball = false;
  orders.robots.clear();
  board_.begin_poll();
  for (UdpSocket& own : own_groups_)  // our own vision comes back: throw it away
    for (int k = 0; k < kMostDatagrams && own.receive(buffer_) > 0; ++k) {
    }
  for (int k = 0;; ++k) {
    const std::size_t size = in_.receive(buffer_);
    if (size == 0) break;
    if (k >= 4 * kMostDatagrams) break;  // a flood faster than we read: the kernel drops the rest
    if (k >= kMostDatagrams) {
      ++counters_.flooded;
    } else if (size > buffer_.size()) {
      ++counters_.oversized;
    } else if (!decode(Bytes(buffer_).first(size), packet_)) {
      ++counters_.malformed;
    } else {
      board_.accept(packet_, now, orders, counters_);
    }
  }
  board_.watch(now, counters_);
}

void Server::send(const Environment& environment, bool also_loopback) {
  encode(environment, encoded_);
  ++counters_.frames;
  for (const Address& a : options_.vision) {
    if (!out_.send(a, encoded_)) ++counters_.send_failures;
    if (also_loopback && a.is_multicast()) (void)out_.send({"127.0.0.1", a.port}, encoded_);  // perhaps nobody is there
  }
}

}  // namespace gradus::firasim

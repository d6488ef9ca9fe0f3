/// A whole match: two built-in teams, and one driven by a client over FIRASim's protocol on real sockets.
#include "control/wheels_match.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/hash.h"

namespace gradus::control {
namespace {

using namespace wheels;

WheelsMatch make(const WheelsMatchOptions& o) {
  auto m = WheelsMatch::make(o);
  for (const auto& d : m.notes()) ADD_FAILURE() << to_string(d);
  return std::move(*m);
}

TEST(WheelsMatch, TheBuiltInTeamsScoreGoalsAndTheGameNeverStops) {
  WheelsMatch m = make({});
  double gap = 1;
  int kicks = 0;
  for (int f = 0; f < 10 * 60 * 60; ++f) {
    kicks += m.step(nullptr) == MatchEvent::kick_off;
    gap = std::min(gap, smallest_gap(m.model(), m.state()));
  }
  EXPECT_GE(m.score()[kGoalsBlue] + m.score()[kGoalsYellow], 3);
  EXPECT_EQ(kicks, static_cast<int>(m.score()[kGoalsBlue] + m.score()[kGoalsYellow]) - (m.score()[kRestartIn] > 0));
  EXPECT_GT(gap, -1e-4);
  EXPECT_EQ(m.report().stalled + m.report().not_finite, 0);
  EXPECT_NEAR(m.score()[kClock], 600, 1e-6);
}

TEST(WheelsMatch, AMatchIsRepeatable) {
  for (const League league : {League::three_a_side, League::eleven_a_side}) {
    WheelsMatchOptions o;
    o.league = league;
    WheelsMatch a = make(o), b = make(o);
    for (int f = 0; f < 1200; ++f) a.step(nullptr), b.step(nullptr);
    EXPECT_EQ(hash_doubles(a.state()), hash_doubles(b.state()));
    EXPECT_GT(a.report().impacts, 0);
  }
}

TEST(WheelsMatch, OrdersReplaceRobotsAndBallAndSwitchRobotsOff) {
  WheelsMatchOptions o;
  o.blue = o.yellow = Driver::remote;
  WheelsMatch m = make(o);
  firasim::Orders orders;
  orders.has_ball = true;
  orders.ball = {0.3, 0.2, 0.5, 0};
  firasim::RobotReplacement r;
  r.position.id = 2, r.position.x = -0.4, r.position.y = 0.3, r.position.orientation = 1.0, r.yellow = r.turn_on = true;
  orders.robots = {r};
  r.position.id = 1, r.yellow = r.turn_on = false;
  orders.robots.push_back(r);
  EXPECT_EQ(m.apply(orders), 0);
  firasim::Environment e;
  m.picture(e);
  EXPECT_EQ(e.blue.size(), 4u) << "one is switched off";
  EXPECT_EQ(e.yellow.size(), 5u);
  EXPECT_EQ(e.yellow[2].x, -0.4);
  EXPECT_EQ(e.yellow[2].orientation, 1.0);
  EXPECT_EQ(e.ball.x, 0.3);
  EXPECT_EQ(e.field.length, 2.2);
  r.position.id = 77;
  orders.robots = {r}, orders.has_ball = false;
  EXPECT_EQ(m.apply(orders), 1);
}

TEST(WheelsMatch, TheRefereesStopHoldsUntilGameOn) {
  WheelsMatch m = make({});
  m.apply(firasim::RefereeCommand{firasim::Foul::stop, firasim::Color::none, 0, 0, 1});
  const std::uint64_t before = hash_doubles(m.state());
  for (int f = 0; f < 30; ++f) m.step(nullptr);
  EXPECT_EQ(hash_doubles(m.state()), before) << "nobody moves";
  m.apply(firasim::RefereeCommand{firasim::Foul::game_on, firasim::Color::none, 0, 0, 1});
  for (int f = 0; f < 30; ++f) m.step(nullptr);
  EXPECT_NE(hash_doubles(m.state()), before);
}

/// A client that knows nothing but the packets plays yellow with the same strategy, at 60 Hz.
TEST(WheelsMatch, AClientPlaysOverRealSockets) {
  auto ear = firasim::UdpSocket::receiver({"127.0.0.1", 0});
  ASSERT_TRUE(ear);
  firasim::ServerOptions so;
  so.commands.port = 0;
  so.vision = {{"127.0.0.1", ear->port()}};
  auto server = firasim::Server::open(so);
  ASSERT_TRUE(server);
  WheelsMatchOptions o;
  o.yellow = Driver::remote;
  WheelsMatch m = make(o);
  constexpr int kFrames = 120;
  int heard = 0;
  std::thread client([&] {
    auto mouth = firasim::UdpSocket::sender();
    std::vector<std::uint8_t> buffer(8192), bytes;
    firasim::Environment e;
    std::vector<PlayerPose> poses(5);
    std::vector<WheelOrder> orders(5);
    while (heard < kFrames && ear->wait(2)) {
      const std::size_t size = ear->receive(buffer);
      if (size == 0 || !decode(firasim::Bytes(buffer).first(size), e)) continue;
      ++heard;
      for (const auto& r : e.yellow) poses[r.id] = {r.x, r.y, r.orientation};
      play({}, {e.ball.x, e.ball.y, e.ball.vx, e.ball.vy, poses, 1}, orders);
      firasim::Packet p;
      for (std::uint32_t i = 0; i < 5; ++i) p.commands.push_back({i, true, orders[i].left, orders[i].right});
      encode(p, bytes);
      mouth->send({"127.0.0.1", server->command_port()}, bytes);
    }
  });
  const auto start = std::chrono::steady_clock::now();
  firasim::Orders orders;
  firasim::Environment e;
  for (int f = 1; f <= kFrames; ++f) {
    server->poll(m.score()[kClock], orders);
    m.apply(orders);
    m.step(&server->board());
    m.picture(e);
    server->send(e);
    std::this_thread::sleep_until(start + std::chrono::nanoseconds(16666667) * f);
  }
  client.join();
  EXPECT_EQ(heard, kFrames) << "no frame is lost";
  EXPECT_EQ(e.step, 2000u) << "simulated time in milliseconds";
  EXPECT_GE(server->counters().packets, kFrames - 10);
  EXPECT_EQ(server->counters().malformed + server->counters().refused, 0);
  double travelled = 0;
  for (const auto& r : e.yellow) travelled += std::hypot(r.vx, r.vy);
  EXPECT_GT(travelled, 0) << "yellow moves on the client's commands";
}

}  // namespace
}  // namespace gradus::control

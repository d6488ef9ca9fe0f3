/// FIRASim's protocol: golden bytes (made with protoc from the field numbers), hostile datagrams, real sockets.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <thread>

#include "base/rng.h"
#include "link/firasim/server.h"

namespace gradus::firasim {
namespace {

std::vector<std::uint8_t> from_hex(const std::string& hex) {
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return out;
}

const char* const kEnvironmentHex =
    "08c00c12620a1b09000000000000d03f11000000000000e0bf21000000000000f03f121d080111000000000000e8bf21000000000000f83f39"
    "00000000000000c01a2411000000000000e03f19000000000000c03f29000000000000d03f31000000000000d0bf1a4809cdccccccccccfc3f"
    "119a99999999990140199a9999999999d93f21333333333333c33f29000000000000d03f31000000000000e03f39333333333333c33f410000"
    "00000000d83f200228ac02";
const char* const kPacketHex =
    "0a1a0a16080210013100000000000044403900000000000029c00a0012390a1209000000000000e03f21000000000000f0bf12230a1d080311"
    "000000000000d03f19000000000000d0bf21000000000080564028013001";
const char* const kRefereeHex = "0806100218032100000000000029402801";
const char* const kPlacementHex = "0a210801121d080411000000000000e03f19000000000000e0bf210000000000805640";

Environment golden_environment() {
  Environment e;
  e.step = 1600;
  e.ball = {0.25, -0.5, 0, 1, 0, 0};
  e.yellow = {{1, -0.75, 0, 1.5, 0, 0, -2}};
  e.blue = {{0, 0.5, 0.125, 0, 0.25, -0.25, 0}};
  e.field = {1.8, 2.2, 0.4, 0.15, 0.25, 0.5, 0.15, 0.375};
  e.goals_blue = 2, e.goals_yellow = 300;
  return e;
}
Packet golden_packet() {
  Packet p;
  p.commands = {{2, true, 40, -12.5}, {}};
  p.has_ball = true;
  p.ball = {0.5, 0, 0, -1};
  RobotReplacement r;
  r.position.id = 3, r.position.x = 0.25, r.position.y = -0.25, r.position.orientation = 90;
  r.yellow = r.turn_on = true;
  p.robots = {r};
  return p;
}

TEST(Firasim, MessagesHaveTheBytesOfProtobuf) {
  std::vector<std::uint8_t> out;
  encode(golden_environment(), out);
  EXPECT_EQ(out, from_hex(kEnvironmentHex));
  encode(golden_packet(), out);
  EXPECT_EQ(out, from_hex(kPacketHex));
  encode(RefereeCommand{Foul::game_on, Color::none, 3, 12.5, 1}, out);
  EXPECT_EQ(out, from_hex(kRefereeHex));
  encode(RefereePlacement{Color::yellow, {{4, 0.5, -0.5, 90, 0, 0, 0}}}, out);
  EXPECT_EQ(out, from_hex(kPlacementHex));
}

TEST(Firasim, GoldenBytesDecodeToTheirValues) {
  Environment e;
  ASSERT_TRUE(decode(from_hex(kEnvironmentHex), e));
  EXPECT_EQ(e.step, 1600u);
  EXPECT_EQ(e.ball.y, -0.5);
  ASSERT_EQ(e.yellow.size(), 1u);
  EXPECT_EQ(e.yellow[0].vorientation, -2);
  ASSERT_EQ(e.blue.size(), 1u);
  EXPECT_EQ(e.blue[0].y, 0.125);
  EXPECT_EQ(e.field.penalty_point, 0.375);
  EXPECT_EQ(e.goals_yellow, 300u);
  Packet p;
  ASSERT_TRUE(decode(from_hex(kPacketHex), p));
  ASSERT_EQ(p.commands.size(), 2u);
  EXPECT_TRUE(p.commands[0].yellow);
  EXPECT_EQ(p.commands[0].wheel_right, -12.5);
  EXPECT_TRUE(p.has_ball);
  ASSERT_EQ(p.robots.size(), 1u);
  EXPECT_TRUE(p.robots[0].turn_on);
  RefereeCommand c;
  ASSERT_TRUE(decode(from_hex(kRefereeHex), c));
  EXPECT_EQ(c.foul, Foul::game_on);
  EXPECT_EQ(c.timestamp, 12.5);
  RefereePlacement w;
  ASSERT_TRUE(decode(from_hex(kPlacementHex), w));
  EXPECT_EQ(w.team, Color::yellow);
  EXPECT_EQ(w.robots[0].id, 4u);
}

TEST(Firasim, UnknownFieldsAreSkipped) {
  // field 15 varint, field 9 fixed32, field 10 bytes, then a command
  std::vector<std::uint8_t> bytes = from_hex("78014d010203045203616263");
  const auto packet = from_hex(kPacketHex);
  bytes.insert(bytes.end(), packet.begin(), packet.end());
  Packet p;
  ASSERT_TRUE(decode(bytes, p));
  EXPECT_EQ(p.commands.size(), 2u);
}

TEST(Firasim, EveryTruncationAndWrongTypeIsRefused) {
  const auto good = from_hex(kPacketHex);
  Packet p;
  int accepted = 0;
  for (std::size_t n = 1; n < good.size(); ++n) accepted += decode(Bytes(good).first(n), p);
  EXPECT_EQ(accepted, 1) << "only the cut between the two top-level fields is a message";
  EXPECT_FALSE(decode(from_hex("0801"), p)) << "cmd as a number";
  EXPECT_FALSE(decode(from_hex("0affffffffffffffffff01"), p)) << "a length of 2^64 - 1";
  EXPECT_FALSE(decode(from_hex("0b"), p)) << "a group";
  EXPECT_FALSE(decode(from_hex("00"), p)) << "field 0";
  EXPECT_FALSE(decode(from_hex("80808080808080808080808001"), p)) << "an endless varint";
  RefereeCommand c;
  EXPECT_FALSE(decode(from_hex("0809"), c)) << "no such foul";
}

TEST(Firasim, RandomAndMutatedBytesNeverHurt) {
  const auto good = from_hex(kPacketHex);
  Packet p;
  Environment e;
  long accepted = 0;
  for (std::uint64_t n = 0; n < 200000; ++n) {
    const RandomKey key{n, 0, 1};
    std::vector<std::uint8_t> bytes = good;
    if (n % 2) bytes.resize(random_bits(key, 0, 0) % 64);
    const int changes = 1 + static_cast<int>(random_bits(key, 0, 1) % 8);
    for (int k = 0; k < changes && !bytes.empty(); ++k)
      bytes[random_bits(key, 1, static_cast<std::uint32_t>(k)) % bytes.size()] =
          static_cast<std::uint8_t>(random_bits(key, 2, static_cast<std::uint32_t>(k)));
    accepted += decode(bytes, p);
    accepted += decode(bytes, e);
    ASSERT_LE(p.commands.size(), kMostEntries);
  }
  EXPECT_GT(accepted, 0);
}

TEST(Firasim, TooManyEntriesAreRefused) {
  Packet p;
  p.commands.resize(kMostEntries + 1);
  std::vector<std::uint8_t> bytes;
  encode(p, bytes);
  Packet q;
  EXPECT_FALSE(decode(bytes, q));
}

TEST(Firasim, TheBoardHoldsCommandsRefusesNonsenseAndConvertsDegrees) {
  CommandBoard board(5, 0);
  ServerCounters n;
  Orders orders;
  Packet p = golden_packet();
  p.commands.push_back({9, false, 1, 1});
  p.commands.push_back({1, false, std::numeric_limits<double>::quiet_NaN(), 1});
  board.begin_poll();
  board.accept(p, 0, orders, n);
  EXPECT_EQ(n.refused, 2);
  EXPECT_EQ(board.yellow()[2].left, 40);
  EXPECT_EQ(board.yellow()[2].right, -12.5);
  ASSERT_EQ(orders.robots.size(), 1u);
  EXPECT_NEAR(orders.robots[0].position.orientation, M_PI / 2, 1e-15);
  board.accept(p, 0, orders, n);
  EXPECT_EQ(n.stale, 2) << "two commands overtaken in one poll";
  board.watch(100, n);
  EXPECT_EQ(board.yellow()[2].left, 40) << "FIRASim has no watchdog";
}

TEST(Firasim, TheWatchdogStopsASilentTeamOnly) {
  CommandBoard board(3, 0.5);
  ServerCounters n;
  Orders orders;
  Packet yellow, blue;
  yellow.commands = {{0, true, 5, 5}}, blue.commands = {{0, false, 7, 7}};
  board.accept(yellow, 0.0, orders, n);
  board.accept(blue, 0.4, orders, n);
  board.watch(0.6, n);
  EXPECT_EQ(board.yellow()[0].left, 0);
  EXPECT_EQ(board.blue()[0].left, 7);
  EXPECT_EQ(n.watchdog_stops, 1);
}

ServerOptions test_options() {
  ServerOptions o;
  o.commands.port = 0;
  return o;
}

TEST(Firasim, HostileDatagramsOverRealSocketsAreCountedAndDropped) {
  ServerOptions o = test_options();
  o.vision.clear();
  auto server = Server::open(o);
  ASSERT_TRUE(server) << to_string(server.notes()[0]);
  auto client = UdpSocket::sender();
  ASSERT_TRUE(client);
  const Address to{"127.0.0.1", server->command_port()};
  std::vector<std::uint8_t> good;
  encode(golden_packet(), good);
  EXPECT_TRUE(client->send(to, good));
  EXPECT_TRUE(client->send(to, std::vector<std::uint8_t>(20000, 0x0a)));
  EXPECT_TRUE(client->send(to, from_hex("0affff")));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  Orders orders;
  server->poll(0, orders);
  EXPECT_EQ(server->counters().packets, 1);
  EXPECT_EQ(server->counters().oversized, 1);
  EXPECT_EQ(server->counters().malformed, 1);
  EXPECT_TRUE(orders.has_ball);
  EXPECT_EQ(server->board().yellow()[2].left, 40);
  for (int i = 0; i < 200; ++i) client->send(to, from_hex("0a00"));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server->poll(0, orders);
  EXPECT_GT(server->counters().flooded, 0);
  EXPECT_LE(server->counters().packets, 1 + Server::kMostDatagrams);
}

/// A client that answers every frame, over real sockets at 60 Hz, unicast and multicast.
TEST(Firasim, AClientPlaysAtTheRealRateWithoutLosingAFrame) {
  for (const bool multicast : {false, true}) {
    const Address heard{multicast ? "224.0.0.1" : "127.0.0.1", 0};
    auto ear = UdpSocket::receiver(heard);
    ASSERT_TRUE(ear) << to_string(ear.notes()[0]);
    ServerOptions o = test_options();
    o.vision = {{heard.host, ear->port()}};
    auto server = Server::open(o);
    ASSERT_TRUE(server) << to_string(server.notes()[0]);
    const Address to{"127.0.0.1", server->command_port()};
    constexpr int kFrames = 90;
    int seen = 0;
    std::thread client([&] {
      auto mouth = UdpSocket::sender();
      std::vector<std::uint8_t> buffer(8192), bytes;
      Environment e;
      std::uint32_t last = 0;
      while (last < kFrames * 16 && ear->wait(2)) {
        const std::size_t size = ear->receive(buffer);
        if (size == 0 || !decode(Bytes(buffer).first(size), e)) continue;
        EXPECT_EQ(e.step, last + 16) << "no frame is lost";
        last = e.step, ++seen;
        Packet p;
        p.commands = {{0, false, static_cast<double>(e.step), 1}};
        encode(p, bytes);
        mouth->send(to, bytes);
      }
    });
    const auto start = std::chrono::steady_clock::now();
    Orders orders;
    Environment e = golden_environment();
    for (int f = 1; f <= kFrames; ++f) {
      e.step = static_cast<std::uint32_t>(16 * f);
      server->send(e);
      std::this_thread::sleep_until(start + std::chrono::microseconds(16667) * f);
      server->poll(0.016 * f, orders);
    }
    client.join();
    EXPECT_EQ(seen, kFrames);
    EXPECT_EQ(server->counters().send_failures, 0);
    EXPECT_GE(server->counters().packets, kFrames - 5);
    EXPECT_GE(server->board().blue()[0].left, 16 * (kFrames - 5));
  }
}

TEST(Firasim, AddressesAreCheckedAndATakenPortIsSaid) {
  EXPECT_TRUE(parse_address("127.0.0.1:20011"));
  EXPECT_FALSE(parse_address("127.0.0.1"));
  EXPECT_FALSE(parse_address("localhost:1"));
  EXPECT_FALSE(parse_address("127.0.0.1:70000"));
  EXPECT_FALSE(parse_address("127.0.0.1:"));
  ServerOptions o = test_options();
  o.vision.clear();
  auto first = Server::open(o);
  ASSERT_TRUE(first);
  o.commands.port = first->command_port();
  const auto second = Server::open(o);
  EXPECT_FALSE(second);
  EXPECT_NE(to_string(second.notes()[0]).find(std::to_string(o.commands.port)), std::string::npos);
}

}  // namespace
}  // namespace gradus::firasim

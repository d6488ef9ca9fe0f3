/// The Dynamixel bus without a terminal: golden packets of the maker's manual, rules of access, timing, servos, any bytes.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/rng.h"
#include "link/dynamixel/bus.h"
#include "unit/link/dynamixel_bytes.h"
#include "unit/link/link_world.h"

namespace gradus::dynamixel {
namespace {

ByteView view(const Data& d) { return std::as_bytes(std::span(d)); }

Bus bus_of(const char* model, int servos) {
  const Model& m = *find_model(model);
  Bus bus(m.protocol, 1e6);
  for (int i = 1; i <= servos; ++i)
    bus.servos().emplace_back(m, static_cast<std::uint8_t>(i), value_of_baud(m.protocol, 1e6));
  for (Servo& s : bus.servos()) s.see({}, 0, 0.001);
  return bus;
}

/// What the bus answers to these bytes, all statuses in a row.
Data answer(Bus& bus, const Data& instruction, double t = 0) {
  std::vector<Reply> replies;
  bus.receive(view(instruction), t);
  while (bus.serve(t, replies)) {
  }
  Data out;
  for (const Reply& r : replies) out.insert(out.end(), r.bytes.begin(), r.bytes.end());
  return out;
}

TEST(DynamixelPackets, TheManualsExamplesOfProtocol2) {
  Bus bus = bus_of("xm430", 2);
  // Ping of id 1; the manual's servo has firmware 38, ours 45, so the last parameter and the CRC differ.
  EXPECT_EQ(instruction_packet(Protocol::two, 1, kPing, {}), from_hex("fffffd0001030001194e"));
  EXPECT_EQ(instruction_packet(Protocol::two, kBroadcast, kPing, {}), from_hex("fffffd00fe0300013142"));
  EXPECT_EQ(status_packet(Protocol::two, 1, 0, {0x06, 0x04, 0x26}), from_hex("fffffd0001070055000604"
                                                                             "26655d"));
  EXPECT_EQ(status_packet(Protocol::two, 2, 0, {0x06, 0x04, 0x26}), from_hex("fffffd0002070055000604"
                                                                             "266f6d"));
  // Read of the present position, 166; write of the goal position, 512; reg write of the goal velocity, 200.
  EXPECT_EQ(instruction_packet(Protocol::two, 1, kRead, {0x84, 0, 4, 0}), from_hex("fffffd000107000284000400"
                                                                                   "1d15"));
  EXPECT_EQ(status_packet(Protocol::two, 1, 0, {0xa6, 0, 0, 0}), from_hex("fffffd0001080055"
                                                                          "00a60000008cc0"));
  EXPECT_EQ(write_two(1, 116, {0, 2, 0, 0}), from_hex("fffffd00010900037400"
                                                      "00020000ca89"));
  EXPECT_EQ(instruction_packet(Protocol::two, 1, kRegWrite, {0x68, 0, 0xc8, 0, 0, 0}), from_hex("fffffd0001090004"
                                                                                                "6800c8000000ae8e"));
  // and what a servo answers to the write
  EXPECT_EQ(answer(bus, from_hex("fffffd0001090003740000020000ca89")), from_hex("fffffd000104005500a10c"));
  // present position 166: 166 − 2048 pulses
  bus.servos()[0].see({(166 - 2048) * 2 * std::numbers::pi / 4096}, 0, 0.001);
  EXPECT_EQ(answer(bus, from_hex("fffffd0001070002840004001d15")), from_hex("fffffd000108005500a60000008cc0"));
}

TEST(DynamixelPackets, AHeaderInsideIsStuffedAndComesOutAgain) {
  const Data parameters{0x74, 0, 0xff, 0xff, 0xfd, 0x00, 0xff, 0xff, 0xfd};
  const Data wire = instruction_packet(Protocol::two, 1, kWrite, parameters);
  EXPECT_EQ(wire.size(), 10 + parameters.size() + 2);
  PacketReader reader(Protocol::two);
  reader.add(view(wire));
  Packet p;
  ASSERT_TRUE(reader.next(p));
  EXPECT_TRUE(p.sound);
  EXPECT_EQ(p.parameters, parameters);
}

TEST(DynamixelPackets, Protocol1HasAnInvertedSum) {
  EXPECT_EQ(instruction_packet(Protocol::one, 1, kPing, {}), from_hex("ffff010201fb"));  // the manual's ping
  EXPECT_EQ(instruction_packet(Protocol::one, 1, kRead, {0x2b, 1}), from_hex("ffff0104022b01cc"));
  EXPECT_EQ(status_packet(Protocol::one, 1, 0, {0x20}), from_hex("ffff01030020db"));
  Bus bus = bus_of("ax12", 1);
  EXPECT_EQ(answer(bus, from_hex("ffff010201fb")), from_hex("ffff010200fc"));
  EXPECT_EQ(answer(bus, from_hex("ffff0104022b01cc")), from_hex("ffff0103001"
                                                                "9e2"));  // 25 °C
}

TEST(DynamixelBus, PingsFindAllServosAndNobodyElseAnswers) {
  Bus bus = bus_of("xm430", 5);
  EXPECT_EQ(answer(bus, instruction_packet(Protocol::two, kBroadcast, kPing, {})).size(), 5u * 14);
  EXPECT_EQ(answer(bus, instruction_packet(Protocol::two, 3, kPing, {})).size(), 14u);
  EXPECT_TRUE(answer(bus, instruction_packet(Protocol::two, 9, kPing, {})).empty());
}

TEST(DynamixelBus, ErrorsAreThoseOfTheManual) {
  Bus bus = bus_of("xm430", 1);
  const auto error = [&](const Data& packet) { return error_of_two(answer(bus, packet)); };
  EXPECT_EQ(error(write_two(1, 64, {1})), 0);
  EXPECT_EQ(error(write_two(1, 7, {2})), 7);                // EEPROM while torque is on: access
  EXPECT_EQ(error(write_two(1, 132, {0, 0, 0, 0})), 7);     // read only
  EXPECT_EQ(error(write_two(1, 14, {0})), 7);               // not defined
  EXPECT_EQ(error(write_two(1, 64, {2})), 4);               // range
  EXPECT_EQ(error(write_two(1, 116, {0, 0x20, 0, 0})), 6);  // beyond the position limit
  EXPECT_EQ(error(write_two(1, 104, {0x4b, 1, 0, 0})), 6);  // 331 beyond the velocity limit 330
  EXPECT_EQ(error(write_two(1, 116, {0, 8})), 5);           // half a goal position
  EXPECT_EQ(error(instruction_packet(Protocol::two, 1, 0x77, {})), 2);
  EXPECT_EQ(error(instruction_packet(Protocol::two, 1, kAction, {})), 2);  // without reg write
  Data damaged = write_two(1, 64, {0});
  damaged.back() ^= 1;
  EXPECT_EQ(error(damaged), 3);
  EXPECT_TRUE(bus.servos()[0].is_on());  // it was not carried out
  Bus old = bus_of("ax12", 1);
  EXPECT_EQ(answer(old, from_hex("ffff010201fa"))[4], 1 << 4);                               // sum
  EXPECT_EQ(answer(old, instruction_packet(Protocol::one, 1, 0x77, {}))[4], 1 << 6);         // instruction
  EXPECT_EQ(answer(old, instruction_packet(Protocol::one, 1, kWrite, {25, 2}))[4], 1 << 3);  // range
  answer(old, instruction_packet(Protocol::one, 1, kWrite, {6, 100, 0, 200, 0}));
  EXPECT_EQ(answer(old, instruction_packet(Protocol::one, 1, kWrite, {30, 0xf4, 1}))[4], 1 << 1);  // angle limit
}

TEST(DynamixelBus, RegWriteWaitsForActionAndStatusLevelsAreKept) {
  Bus bus = bus_of("xm430", 2);
  for (const std::uint8_t id : {std::uint8_t{1}, std::uint8_t{2}}) {
    answer(bus, write_two(id, 64, {1}));
    EXPECT_EQ(error_of_two(answer(bus, instruction_packet(Protocol::two, id, kRegWrite, {116, 0, 0, 4, 0, 0}))), 0);
  }
  EXPECT_EQ(bus.servos()[0].get(Register::goal_position), 2048);
  EXPECT_EQ(bus.servos()[0].get(Register::registered), 1);
  EXPECT_TRUE(answer(bus, instruction_packet(Protocol::two, kBroadcast, kAction, {})).empty());
  for (const Servo& s : bus.servos()) EXPECT_EQ(s.get(Register::goal_position), 1024);
  answer(bus, write_two(1, 68, {1}));  // reads and pings only
  EXPECT_TRUE(answer(bus, write_two(1, 65, {1})).empty());
  EXPECT_FALSE(answer(bus, instruction_packet(Protocol::two, 1, kRead, {65, 0, 1, 0})).empty());
  answer(bus, write_two(1, 68, {0}));  // pings only
  EXPECT_TRUE(answer(bus, instruction_packet(Protocol::two, 1, kRead, {65, 0, 1, 0})).empty());
  EXPECT_FALSE(answer(bus, instruction_packet(Protocol::two, 1, kPing, {})).empty());
}

TEST(DynamixelBus, SyncAndBulkReachManyAtOnce) {
  Bus bus = bus_of("xm430", 3);
  answer(bus, instruction_packet(Protocol::two, kBroadcast, kSyncWrite, {64, 0, 1, 0, 1, 1, 3, 1}));
  EXPECT_TRUE(bus.servos()[0].is_on() && !bus.servos()[1].is_on() && bus.servos()[2].is_on());
  EXPECT_EQ(answer(bus, instruction_packet(Protocol::two, kBroadcast, kSyncRead, {132, 0, 4, 0, 3, 1, 2})).size(),
            3u * 15);
  answer(bus, instruction_packet(Protocol::two, kBroadcast, kBulkWrite, {1, 65, 0, 1, 0, 1, 2, 12, 0, 1, 0, 7}));
  EXPECT_EQ(
      answer(bus, instruction_packet(Protocol::two, kBroadcast, kBulkRead, {1, 65, 0, 1, 0, 2, 144, 0, 2, 0})).size(),
      12u + 13u);
  Bus old = bus_of("mx28", 2);
  answer(old, instruction_packet(Protocol::one, kBroadcast, kSyncWrite, {30, 2, 1, 0, 4, 2, 0, 8}));
  EXPECT_EQ(old.servos()[0].get(Register::goal_position), 1024);
  EXPECT_EQ(old.servos()[1].get(Register::goal_position), 2048);
  EXPECT_EQ(answer(old, instruction_packet(Protocol::one, kBroadcast, kBulkRead, {0, 2, 1, 36, 1, 2, 42})).size(),
            8u + 7u);
}

TEST(DynamixelBus, IndirectDataAreTheBytesThatTheirAddressesName) {
  Bus bus = bus_of("xm430", 1);
  for (std::uint8_t i = 0; i < 4; ++i)  // indirect 1 … 4: the goal position
    EXPECT_EQ(error_of_two(answer(
                  bus, write_two(1, static_cast<std::uint16_t>(168 + 2 * i), {static_cast<std::uint8_t>(116 + i), 0}))),
              0);
  EXPECT_EQ(error_of_two(answer(bus, write_two(1, 224, {0, 4, 0, 0}))), 0);
  EXPECT_EQ(bus.servos()[0].get(Register::goal_position), 1024);
  Data read;
  EXPECT_EQ(bus.servos()[0].read(224, 4, read), Fault::none);
  EXPECT_EQ(read, (Data{0, 4, 0, 0}));
}

TEST(DynamixelBus, BytesAndReturnDelaysTakeTheirTime) {
  Bus bus = bus_of("xm430", 4);
  std::vector<Reply> replies;
  const Data ping = instruction_packet(Protocol::two, 1, kPing, {});
  bus.receive(view(ping), 0.5);
  ASSERT_TRUE(bus.serve(0.5, replies));
  // 10 bytes, 250 · 2 µs, 14 bytes, at 1 MBd 10 µs each
  EXPECT_NEAR(replies[0].due, 0.5 + 10 * 10e-6 + 500e-6 + 14 * 10e-6, 1e-12);
  replies.clear();
  const Data sync = instruction_packet(Protocol::two, kBroadcast, kSyncRead, {132, 0, 4, 0, 1, 2, 3, 4});
  bus.receive(view(sync), 0.6);
  ASSERT_TRUE(bus.serve(0.6, replies));
  EXPECT_NEAR(replies.back().due, 0.6 + (18 + 4 * 15) * 10e-6 + 4 * 500e-6, 1e-12);
}

TEST(DynamixelBus, HalfAPacketIsForgottenWhenItsRestDoesNotFollow) {
  Bus bus = bus_of("xm430", 1);
  Data half = instruction_packet(Protocol::two, 1, kPing, {});
  half.resize(7);
  EXPECT_TRUE(answer(bus, half, 0).empty());
  EXPECT_EQ(answer(bus, instruction_packet(Protocol::two, 1, kPing, {}), 0.1).size(), 14u);
  EXPECT_EQ(bus.noise(), 7);
}

TEST(DynamixelServo, ProfilesLimitSpeedAndAcceleration) {
  Servo s(*find_model("xm430"), 1, 3);
  const double h = 0.001, goal = 1024 * 2 * std::numbers::pi / 4096;  // a quarter turn
  s.see({}, 0, h);
  EXPECT_EQ(s.write(64, Data{1}), Fault::none);
  EXPECT_EQ(s.write(112, Data{100, 0, 0, 0}), Fault::none);  // 22.9 rev/min
  EXPECT_EQ(s.write(108, Data{20, 0, 0, 0}), Fault::none);   // 4291.5 rev/min²
  EXPECT_EQ(s.write(116, Data{0, 12, 0, 0}), Fault::none);   // 3072
  const double fastest = 22.9 * 2 * std::numbers::pi / 60, harshest = 4291.54 * 2 * std::numbers::pi / 3600;
  double before = 0, speed = 0;
  int steps = 0;
  for (; std::fabs(s.target() - goal) > 1e-9 && steps < 5000; ++steps) {
    s.see({}, steps * h, h);
    const double v = (s.target() - before) / h;
    ASSERT_LE(std::fabs(v), fastest * (1 + 1e-9));
    ASSERT_LE(v - speed, harshest * h * (1 + 1e-6));
    before = s.target(), speed = v;
  }
  // trapezium: way/v + v/a, to a few steps
  EXPECT_NEAR(steps * h, goal / fastest + fastest / harshest, 0.01);
}

TEST(DynamixelPackets, FastReadsAnswerInOneStatusWhoseSumsCoverAllBefore) {
  Bus bus = bus_of("xm430", 4);
  // The sums were computed by the maker's own SDK.
  const Data ask = from_hex("fffffd00fe0a008a840004000102031aec");
  EXPECT_EQ(instruction_packet(Protocol::two, kBroadcast, kFastSyncRead, {132, 0, 4, 0, 1, 2, 3}), ask);
  EXPECT_EQ(answer(bus, ask), from_hex("fffffd00fe190055000100080000e770000200080000676d000300080000b72a"));
  // bulk: a position and a voltage
  const Data bulk =
      answer(bus, instruction_packet(Protocol::two, kBroadcast, kFastBulkRead, {1, 132, 0, 4, 0, 2, 144, 0, 2, 0}));
  ASSERT_EQ(bulk.size(), 8u + 8 + 6);
  EXPECT_EQ(bulk[5], 1 + 8 + 6);
  EXPECT_EQ(bulk[18] | bulk[19] << 8, 120);
  const std::uint16_t crc = crc16(std::span(bulk).first(bulk.size() - 2));
  EXPECT_EQ(bulk[20] | bulk[21] << 8, crc);
  // Behind a servo that is not there nobody speaks; an address that is not there is an error with all its bytes.
  EXPECT_EQ(answer(bus, instruction_packet(Protocol::two, kBroadcast, kFastSyncRead, {132, 0, 4, 0, 1, 9, 2})).size(),
            8u + 8);
  EXPECT_TRUE(answer(bus, instruction_packet(Protocol::two, kBroadcast, kFastSyncRead, {132, 0, 4, 0, 9, 1})).empty());
  const Data wrong = answer(bus, instruction_packet(Protocol::two, kBroadcast, kFastSyncRead, {0xff, 0x7f, 4, 0, 1}));
  ASSERT_EQ(wrong.size(), 16u);
  EXPECT_EQ(wrong[8], 7);
  // one return delay, not one each
  std::vector<Reply> replies;
  bus.receive(view(ask), 10);
  const double busy = std::max(10.0, bus.busy_until());
  ASSERT_TRUE(bus.serve(10, replies));
  EXPECT_NEAR(replies[0].due - busy, (17 + 32) * 10e-6 + 500e-6, 1e-12);
}

TEST(DynamixelBus, TheWatchdogStopsAServoThatIsNotSpokenTo) {
  Bus bus = bus_of("xm430", 1);
  Servo& s = bus.servos()[0];
  const auto error = [&](const Data& packet, double t) { return error_of_two(answer(bus, packet, t)); };
  EXPECT_EQ(error(write_two(1, 64, {1}), 0), 0);
  EXPECT_EQ(error(write_two(1, 98, {5}), 0), 0);  // 100 ms
  EXPECT_EQ(error(write_two(1, 116, {0, 10, 0, 0}), 0), 0);
  s.see({0.1}, 0.09, 0.001);
  EXPECT_EQ(s.get(Register::bus_watchdog), 5);
  answer(bus, instruction_packet(Protocol::two, 1, kPing, {}), 0.09);  // any instruction will do
  s.see({0.1}, 0.15, 0.001);
  EXPECT_EQ(s.get(Register::bus_watchdog), 5);
  s.see({0.2}, 0.2, 0.001);
  EXPECT_EQ(s.get(Register::bus_watchdog), 255);  // −1
  EXPECT_DOUBLE_EQ(s.target(), 0.2);              // it stays where it is
  s.see({0.2}, 0.3, 0.001);
  EXPECT_NEAR(s.target(), 0.2, 1e-3);
  EXPECT_TRUE(s.is_on());
  EXPECT_EQ(error(write_two(1, 116, {0, 8, 0, 0}), 0.3), 4);  // goals are refused: range
  EXPECT_EQ(error(write_two(1, 98, {0}), 0.3), 0);
  EXPECT_EQ(error(write_two(1, 116, {0, 8, 0, 0}), 0.3), 0);
}

TEST(DynamixelBus, AlarmsAreThoseOfTheManualAndSwitchOffWhatTheMaskSays) {
  Bus bus = bus_of("xm430", 1);
  Servo& s = bus.servos()[0];
  const auto error = [&](const Data& packet) { return error_of_two(answer(bus, packet)); };
  EXPECT_EQ(error(write_two(1, 64, {1})), 0);
  JointSight sight;
  sight.supply = 9;  // below 9.5 V: an alarm, but not one that the mask 52 switches off for
  s.see(sight, 0.1, 0.001);
  EXPECT_EQ(s.get(Register::hardware_error), kVoltageAlarm);
  EXPECT_TRUE(s.is_on());
  sight.supply = 12;
  s.see(sight, 0.2, 0.001);
  EXPECT_EQ(error(instruction_packet(Protocol::two, 1, kPing, {})), 0x80);  // kept until it is rebooted
  sight.effort = 1;
  for (int k = 0; k < 1100; ++k) s.see(sight, 0.2 + k * 0.001, 0.001);  // a second at full output without moving
  EXPECT_EQ(s.get(Register::hardware_error), kVoltageAlarm | kOverloadAlarm);
  EXPECT_FALSE(s.is_on());
  EXPECT_EQ(error(write_two(1, 64, {1})), 0x80 | 1);
  EXPECT_EQ(error(instruction_packet(Protocol::two, 1, kReboot, {})), 0x80);
  sight.effort = 0;
  s.see(sight, 1.4, 0.001);
  EXPECT_EQ(error(write_two(1, 64, {1})), 0);
  sight.temperature = 81;
  s.see(sight, 1.5, 0.001);
  EXPECT_EQ(s.get(Register::hardware_error), kHeatAlarm);
  EXPECT_FALSE(s.is_on());
  // Full output while it moves is no overload.
  Servo fast(*find_model("xm430"), 1, 3);
  fast.see({}, 0, 0.001);
  EXPECT_EQ(fast.write(64, Data{1}), Fault::none);
  JointSight moving;
  moving.velocity = 3, moving.effort = 1;
  for (int k = 0; k < 3000; ++k) fast.see(moving, k * 0.001, 0.001);
  EXPECT_EQ(fast.get(Register::hardware_error), 0);
}

TEST(DynamixelBus, AlarmsOfProtocol1AreBitsOfEveryStatus) {
  Bus bus = bus_of("mx28", 1);
  Servo& s = bus.servos()[0];
  const Data ping = instruction_packet(Protocol::one, 1, kPing, {});
  answer(bus, instruction_packet(Protocol::one, 1, kWrite, {24, 1}));
  JointSight sight;
  sight.supply = 17;
  s.see(sight, 0.1, 0.001);
  EXPECT_EQ(answer(bus, ping)[4], 1);
  sight.supply = 12, sight.effort = 1;
  s.see(sight, 0.2, 0.001);
  EXPECT_EQ(answer(bus, ping)[4], 0);  // it lasts as long as its cause
  for (int k = 0; k < 1100; ++k) s.see(sight, 0.2 + k * 0.001, 0.001);
  EXPECT_EQ(answer(bus, ping)[4], 1 << 5);
  EXPECT_FALSE(s.is_on());
  EXPECT_EQ(s.get(Register::torque_limit), 0);
  sight.effort = 0;
  s.see(sight, 1.4, 0.001);
  EXPECT_EQ(answer(bus, ping)[4], 1 << 5);
  answer(bus, instruction_packet(Protocol::one, 1, kWrite, {30, 0, 8}));  // a goal does not wake it
  EXPECT_FALSE(s.is_on());
  answer(bus, instruction_packet(Protocol::one, 1, kWrite, {34, 0xff, 3}));  // a torque limit does
  EXPECT_EQ(answer(bus, ping)[4], 0);
  answer(bus, instruction_packet(Protocol::one, 1, kWrite, {30, 0, 8}));
  EXPECT_TRUE(s.is_on());
}

TEST(DynamixelBus, AServoHearsOnlyItsOwnSpeed) {
  Bus bus = bus_of("xm430", 2);
  const Data ping = instruction_packet(Protocol::two, 1, kPing, {});
  bus.set_speed(57600);
  EXPECT_TRUE(answer(bus, ping).empty());
  EXPECT_EQ(bus.counters().wrong_speed, 10);
  bus.set_speed(1e6);
  EXPECT_EQ(error_of_two(answer(bus, write_two(1, 8, {1}))), 0);  // servo 1 to 57,600 Bd; it answers at the old speed
  EXPECT_TRUE(answer(bus, ping).empty());
  EXPECT_FALSE(answer(bus, instruction_packet(Protocol::two, 2, kPing, {})).empty());
  bus.set_speed(57600);
  std::vector<Reply> replies;
  bus.receive(view(ping), 1);
  ASSERT_TRUE(bus.serve(1, replies));
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_NEAR(replies[0].due, 1 + 24 * 10 / 57600.0 + 500e-6, 1e-9);
  EXPECT_TRUE(answer(bus, instruction_packet(Protocol::two, 2, kPing, {}), 2).empty());
}

TEST(DynamixelServo, GainsAreThoseOfTheTables) {
  // MX-28, protocol 1.0: P/8, I · 1000/2048, D · 4/1000; first P 32.
  Servo mx(*find_model("mx28"), 1, 1);
  mx.see({}, 0, 0.001);
  EXPECT_EQ(mx.write(26, Data{10, 20, 64}), Fault::none);  // D, I, P
  EXPECT_DOUBLE_EQ(mx.gain(), 2);
  EXPECT_DOUBLE_EQ(mx.damping(), 0.040 / 4);
  EXPECT_EQ(mx.write(30, Data{0, 12}), Fault::none);  // 3072: a quarter turn
  const double quarter = 1024 * 2 * std::numbers::pi / 4096, rate = 20 * 1000.0 / 2048 / 8;
  mx.see({}, 0.001, 0.001);
  mx.see({}, 0.002, 0.001);
  mx.see({}, 0.003, 0.001);
  EXPECT_NEAR(mx.target() - quarter, 2 * 0.001 * rate * quarter, 1e-12);  // from the step after it knows its target
  JointSight full;
  full.effort = 1;
  const double before = mx.target();
  mx.see(full, 0.004, 0.001);
  EXPECT_EQ(mx.target(), before);  // no wind-up
  // protocol 2.0: P/128, D/16 a millisecond
  Servo xm(*find_model("xm430"), 1, 3);
  xm.see({}, 0, 0.001);
  EXPECT_EQ(xm.write(80, Data{100, 0, 0, 0, 0x90, 1}), Fault::none);
  EXPECT_DOUBLE_EQ(xm.gain(), 0.5);
  EXPECT_DOUBLE_EQ(xm.damping(), 100 / 16.0 * 1e-3 / 6.25);
  // AX-12: 32 pulses at first, powers of two
  Servo ax(*find_model("ax12"), 1, 1);
  ax.see({}, 0, 0.001);
  EXPECT_DOUBLE_EQ(ax.gain(), 1);
  EXPECT_EQ(ax.write(28, Data{70, 70}), Fault::none);
  EXPECT_DOUBLE_EQ(ax.gain(), 0.5);
}

TEST(DynamixelServo, LimitsOfPwmAndCurrentAreThoseOfTheMode) {
  Bus bus = bus_of("xm430", 1);
  Servo& s = bus.servos()[0];
  const auto error = [&](std::uint16_t address, std::int32_t x, int size) {
    Data d;
    for (int i = 0; i < size; ++i) d.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(x) >> (8 * i)));
    return error_of_two(answer(bus, write_two(1, address, d)));
  };
  EXPECT_DOUBLE_EQ(s.most_output(), 1);  // goal PWM begins at the limit
  EXPECT_TRUE(std::isinf(s.most_current()));
  EXPECT_EQ(error(36, 600, 2), 0);
  EXPECT_DOUBLE_EQ(s.most_output(), 600 / 885.0);
  EXPECT_EQ(error(100, 601, 2), 6);
  EXPECT_EQ(error(100, -300, 2), 0);
  EXPECT_DOUBLE_EQ(s.most_output(), 300 / 885.0);
  EXPECT_EQ(error(11, 5, 1), 0);  // current-based position: goals become the limits again
  EXPECT_DOUBLE_EQ(s.most_output(), 600 / 885.0);
  EXPECT_NEAR(s.most_current(), 1193 * 2.69e-3, 1e-12);
  EXPECT_EQ(error(102, 100, 2), 0);
  EXPECT_NEAR(s.most_current(), 0.269, 1e-12);
  EXPECT_EQ(error(11, 16, 1), 0);  // PWM: its goal begins at rest
  EXPECT_DOUBLE_EQ(s.wanted_pwm(), 0);
  EXPECT_DOUBLE_EQ(s.most_output(), 600 / 885.0);
  EXPECT_EQ(error(11, 0, 1), 0);
  EXPECT_DOUBLE_EQ(s.wanted_current(), 0);
  EXPECT_EQ(error(44, 50, 4), 0);
  EXPECT_EQ(error(112, 51, 4), 6);  // profile velocity beyond the velocity limit
  Servo mx(*find_model("mx28"), 1, 1);
  EXPECT_EQ(mx.write(34, Data{0, 2}), Fault::none);
  EXPECT_DOUBLE_EQ(mx.most_output(), 512 / 1023.0);
}

TEST(DynamixelServo, FeedForwardGainsLeadTheProfile) {
  Servo s(*find_model("xm430"), 1, 3);
  const double h = 0.001;
  s.see({}, 0, h);
  EXPECT_EQ(s.write(90, Data{100, 0}), Fault::none);  // velocity: 100/4 of an output a pulse and millisecond
  EXPECT_EQ(s.write(88, Data{200, 0}), Fault::none);  // acceleration
  EXPECT_EQ(s.write(64, Data{1}), Fault::none);
  EXPECT_EQ(s.write(112, Data{100, 0, 0, 0}), Fault::none);
  EXPECT_EQ(s.write(108, Data{20, 0, 0, 0}), Fault::none);
  EXPECT_EQ(s.write(116, Data{0, 12, 0, 0}), Fault::none);
  const double P = 800 / 128.0, top = 22.9 * 2 * std::numbers::pi / 60, rise = 4291.54 * 2 * std::numbers::pi / 3600;
  double way = 0;
  for (int k = 0; k < 500; ++k) {
    s.see({}, k * h, h);
    way += s.target_speed() * h;
    const double lead = s.target() - way;
    if (k == 50) {
      EXPECT_NEAR(lead, (0.025 * s.target_speed() + 50e-6 * rise) / P, 1e-6);
    } else if (k == 499) {
      EXPECT_NEAR(lead, 0.025 * top / P, 1e-6);
    }
  }
}

TEST(DynamixelServo, TheDriveModeTurnsItRoundTimesItsProfilesAndSwitchesItOn) {
  Servo s(*find_model("xm430"), 1, 3);
  const double pulse = 2 * std::numbers::pi / 4096;
  s.see({100 * pulse, 1}, 0, 0.001);
  EXPECT_EQ(s.get(Register::present_position), 2148);
  EXPECT_EQ(s.write(10, Data{1 | 4 | 8}), Fault::none);
  s.see({100 * pulse, 1}, 0.001, 0.001);
  EXPECT_EQ(s.get(Register::present_position), 1948);
  EXPECT_LT(s.get(Register::present_velocity), 0);
  EXPECT_EQ(s.write(112, Data{0xe8, 3, 0, 0}), Fault::none);  // a second
  EXPECT_EQ(s.write(108, Data{200, 0, 0, 0}), Fault::none);   // of which 0.2 s are its beginning, and its end
  EXPECT_FALSE(s.is_on());
  EXPECT_EQ(s.write(116, Data{0, 12, 0, 0}), Fault::none);  // 3072: 1124 pulses from 1948
  EXPECT_TRUE(s.is_on());
  double fastest = 0, before = s.target();
  int steps = 0;
  for (; std::fabs(s.target() + 1024 * pulse) > 1e-9 && steps < 2000; ++steps) {
    s.see({100 * pulse}, 0.002 + 0.001 * steps, 0.001);
    fastest = std::max(fastest, std::fabs(s.target() - before) / 0.001);
    before = s.target();
  }
  EXPECT_NEAR(fastest, 1124 * pulse / 0.8, 1e-3);
  EXPECT_NEAR(steps * 0.001, 1, 0.005);
  // Velocity mode: the profile's acceleration leads to the goal.
  Servo wheel(*find_model("xm430"), 1, 3);
  wheel.see({}, 0, 0.001);
  EXPECT_EQ(wheel.write(11, Data{1}), Fault::none);
  EXPECT_EQ(wheel.write(108, Data{20, 0, 0, 0}), Fault::none);
  EXPECT_EQ(wheel.write(64, Data{1}), Fault::none);
  EXPECT_EQ(wheel.write(104, Data{100, 0, 0, 0}), Fault::none);
  for (int k = 0; k < 100; ++k) wheel.see({}, k * 0.001, 0.001);
  EXPECT_NEAR(wheel.wanted_velocity(), 0.1 * 4291.54 * 2 * std::numbers::pi / 3600, 1e-4);
}

TEST(DynamixelServo, MovingStatusTellsWhereInAMoveItIs) {
  Servo s(*find_model("xm430"), 1, 3);
  s.see({}, 0, 0.001);
  EXPECT_EQ(s.get(Register::moving_status), 1);
  EXPECT_EQ(s.write(64, Data{1}), Fault::none);
  EXPECT_EQ(s.write(112, Data{100, 0, 0, 0}), Fault::none);
  EXPECT_EQ(s.write(116, Data{0, 12, 0, 0}), Fault::none);
  for (int k = 0; k < 50; ++k) s.see({}, k * 0.001, 0.001);
  EXPECT_EQ(s.get(Register::moving_status), 0x12);  // on its way, a rectangle
  for (int k = 0; k < 300; ++k) s.see({}, k * 0.001, 0.001);
  EXPECT_EQ(s.get(Register::moving_status), 0x1a);  // and far behind
}

TEST(DynamixelServo, OldServosHaveMarginsManyTurnsAndWheels) {
  Servo ax(*find_model("ax12"), 1, 1);
  const double pulse = 300.0 / 1023 * std::numbers::pi / 180;
  ax.see({}, 0, 0.001);
  EXPECT_EQ(ax.write(26, Data{3, 5}), Fault::none);  // clockwise, the other way
  EXPECT_EQ(ax.write(30, Data{0x58, 2}), Fault::none);  // 600
  const double goal = 88 * pulse;
  for (const auto& [at, target] : {std::pair{goal - 10 * pulse, goal - 3 * pulse},
                                   {goal - 2 * pulse, goal - 2 * pulse},
                                   {goal + 4 * pulse, goal + 4 * pulse},
                                   {goal + 9 * pulse, goal + 5 * pulse}}) {
    ax.see({at}, 0, 0.001);
    EXPECT_NEAR(ax.target(), target, 1e-12);
  }
  EXPECT_EQ(ax.write(24, Data{0}), Fault::none);
  EXPECT_EQ(ax.write(6, Data{0, 0, 0, 0}), Fault::none);  // a wheel: its output is told, not its speed
  EXPECT_EQ(ax.mode(), kPwmMode);
  EXPECT_EQ(ax.write(32, Data{0, 6}), Fault::none);  // 1536: half of it, the other way round
  EXPECT_DOUBLE_EQ(ax.wanted_pwm(), -512 / 1023.0);
  Servo mx(*find_model("mx28"), 1, 1);
  mx.see({}, 0, 0.001);
  EXPECT_EQ(mx.write(30, Data{0, 32}), Fault::range);                     // 8192
  EXPECT_EQ(mx.write(6, Data{0xff, 15, 0xff, 15}), Fault::none);          // both limits 4095
  EXPECT_EQ(mx.write(20, Data{100, 0, 2}), Fault::none);                  // offset 100, two pulses are one
  EXPECT_EQ(mx.mode(), kExtendedMode);
  mx.see({4 * std::numbers::pi}, 0, 0.001);
  EXPECT_EQ(mx.get(Register::present_position), (2048 + 2 * 4096) / 2 + 100);
  EXPECT_EQ(mx.write(30, Data{static_cast<std::uint8_t>(-3996 & 255), static_cast<std::uint8_t>((-3996 >> 8) & 255)}),
            Fault::none);
  mx.see({0}, 0, 0.001);
  EXPECT_NEAR(mx.target(), (-4096 * 2 - 2048) * 2 * std::numbers::pi / 4096, 1e-9);
}

TEST(DynamixelBus, ShadowsDoWhatTheirSecondaryIdIsToldAndSayNothing) {
  Bus bus = bus_of("xm430", 3);
  EXPECT_EQ(error_of_two(answer(bus, write_two(2, 12, {9}))), 0);
  EXPECT_EQ(error_of_two(answer(bus, write_two(3, 12, {1}))), 0);
  EXPECT_TRUE(answer(bus, write_two(9, 64, {1})).empty());
  EXPECT_TRUE(bus.servos()[1].is_on());
  EXPECT_EQ(bus.counters().unheard, 0);
  EXPECT_EQ(answer(bus, write_two(1, 65, {1})).size(), 11u);  // 1 answers, 3 follows
  EXPECT_EQ(bus.servos()[2].get(Register::led), 1);
  EXPECT_TRUE(answer(bus, instruction_packet(Protocol::two, 9, kPing, {})).empty());
  // Startup: torque is on after a reboot.
  EXPECT_EQ(error_of_two(answer(bus, write_two(1, 60, {1}))), 0);
  answer(bus, instruction_packet(Protocol::two, 1, kReboot, {}));
  EXPECT_TRUE(bus.servos()[0].is_on());
}

TEST(DynamixelServo, AFailedEncoderStandsStillAndAShockSwitchesOff) {
  Servo s(*find_model("xm430"), 1, 3);
  s.fail(kEncoderAlarm, 0.1);
  s.see({0.2}, 0.05, 0.001);
  EXPECT_EQ(s.write(64, Data{1}), Fault::none);
  const std::int32_t there = s.get(Register::present_position);
  s.see({0.9, 2}, 0.15, 0.001);
  EXPECT_EQ(s.get(Register::present_position), there);
  EXPECT_EQ(s.get(Register::present_velocity), 0);
  EXPECT_EQ(s.get(Register::hardware_error), kEncoderAlarm);
  EXPECT_TRUE(s.is_on());  // not in the maker's mask
  JointSight weak;
  weak.supply = 4.7;  // below half of 9.5 V
  s.see(weak, 0.2, 0.001);
  EXPECT_EQ(s.get(Register::hardware_error), kEncoderAlarm | kShockAlarm | kVoltageAlarm);
  EXPECT_FALSE(s.is_on());
  Servo shocked(*find_model("xl330"), 1, 3);
  shocked.fail(kShockAlarm, 1);
  shocked.see({}, 0.5, 0.001);
  EXPECT_EQ(shocked.get(Register::hardware_error), 0);
  shocked.see({}, 1, 0.001);
  EXPECT_EQ(shocked.get(Register::hardware_error), kShockAlarm);
}

TEST(DynamixelServo, AnMx28OfProtocol2HasNoCurrent) {
  Bus bus = bus_of("mx28-2", 1);
  Servo& s = bus.servos()[0];
  EXPECT_EQ(s.get(Register::model_number), 30);
  EXPECT_EQ(s.get(Register::position_p_gain), 850);
  EXPECT_EQ(error_of_two(answer(bus, write_two(1, 11, {0}))), 4);       // current mode
  EXPECT_EQ(error_of_two(answer(bus, write_two(1, 102, {10, 0}))), 7);  // goal current
  EXPECT_EQ(error_of_two(answer(bus, write_two(1, 11, {16}))), 0);      // PWM
  JointSight sight;
  sight.torque = 1.25;
  s.see(sight, 0, 0.001);
  EXPECT_EQ(s.get(Register::present_load), 500);  // per mille of the stall torque
}

TEST(DynamixelBus, ASubControllerGivesPowerAndShowsHowItTilts) {
  Bus bus = bus_of("mx28", 2);
  bus.servos().emplace_back(*find_board("cm730"), kBoardId, value_of_baud(Protocol::one, 1e6));
  Servo& board = bus.servos().back();
  EXPECT_TRUE(answer(bus, instruction_packet(Protocol::one, 1, kPing, {})).empty());  // servos have no power yet
  EXPECT_EQ(answer(bus, instruction_packet(Protocol::one, kBoardId, kPing, {})), from_hex("ffffc8020035"));
  EXPECT_EQ(answer(bus, instruction_packet(Protocol::one, kBoardId, kWrite, {24, 1})), from_hex("ffffc8020035"));
  EXPECT_FALSE(answer(bus, instruction_packet(Protocol::one, 1, kPing, {})).empty());
  const auto words = [&] {  // gyro z, y, x, acceleration x, y, z, and the voltage
    const Data d = answer(bus, instruction_packet(Protocol::one, kBoardId, kRead, {38, 13}));
    std::vector<int> out;
    for (std::size_t i = 5; i + 1 < 17; i += 2) out.push_back(d[i] | d[i + 1] << 8);
    out.push_back(d[17]);
    return out;
  };
  board.see(BoardSight{{0, 0, 0}, {0, 0, 9.80665}, 11.1});
  EXPECT_EQ(words(), (std::vector<int>{512, 512, 512, 512, 512, 640, 111}));  // upright
  board.see(BoardSight{{0, 0, 0}, {-9.80665, 0, 0}, 11.1});                   // on its face
  EXPECT_EQ(words()[4], 384);                               // programs take below 390 as fallen forward
  board.see(BoardSight{{0, 0, 0}, {0, 9.80665, 0}, 11.1});  // on its right side
  EXPECT_EQ(words()[3], 384);
  const double turn = 100 * std::numbers::pi / 180;  // 100°/s are 32 digits
  board.see(BoardSight{{turn, -turn, 99}, {0, 0, 0}, 0});
  EXPECT_EQ(words(), (std::vector<int>{1023, 480, 544, 512, 512, 512, 120}));
  // a bulk read of board and servos, as Darwin's framework does
  EXPECT_EQ(answer(bus, instruction_packet(Protocol::one, kBroadcast, kBulkRead, {0, 13, 200, 38, 2, 1, 36, 2, 2, 36}))
                .size(),
            19u + 8 + 8);
}

TEST(DynamixelBus, AnyBytesAreServedOrSkipped) {
  for (const char* model : {"xm430", "xl330", "mx28-2", "mx28", "ax12"}) {
    Bus bus = bus_of(model, 3);
    const Protocol protocol = find_model(model)->protocol;
    const auto random = [](std::uint64_t i, std::uint64_t what) { return mix64(i * 7919 + what); };
    std::vector<Reply> replies;
    for (std::uint64_t i = 0; i < 50'000; ++i) {
      constexpr std::uint8_t kInstructions[] = {1, 2, 3, 4, 5, 8, 0x10, 0x82, 0x83, 0x92, 0x93, 6, 0x8a, 0x9a};
      Data parameters;
      for (std::uint64_t n = random(i, 0) % 14; n > 0; --n)
        parameters.push_back(static_cast<std::uint8_t>(random(i, n) % (random(i, 50 + n) % 2 ? 256 : 5)));
      Data wire = instruction_packet(protocol, static_cast<std::uint8_t>(random(i, 30) % 5),
                                     kInstructions[random(i, 31) % 14], parameters);
      if (random(i, 32) % 3 == 0) wire[random(i, 33) % wire.size()] = static_cast<std::uint8_t>(random(i, 34));
      bus.receive(view(wire), 0);
      replies.clear();
      while (bus.serve(0, replies)) {
      }
      ASSERT_LE(replies.size(), 3u * 15);
    }
    EXPECT_GT(bus.counters().statuses, 1000) << model;
    for (Servo& s : bus.servos()) s.see({0.1, 0.2}, 1, 0.001);
  }
}

}  // namespace
}  // namespace gradus::dynamixel

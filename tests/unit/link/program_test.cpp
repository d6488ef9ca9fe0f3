/// What programs are told and may ask: both forms, golden bytes, refusals, any bytes.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "link/program/lines.h"

namespace gradus {
namespace {

const std::vector<std::string> kJoints{"a", "b"};

Orders two_joints() {
  Orders o;
  o.target = {0.5, -0.25};
  o.stiffness = {1, 1};
  return o;
}

RobotOutput small_output() {
  static const double q[] = {1, -2}, force[] = {5};
  RobotOutput o{};
  o.k = 3, o.time = 0.25;
  o.q = o.v = o.tau = o.q_motor = o.current = o.voltage = q;
  o.q_WB = {1, 0, 0, 0};
  o.foot_force = force;
  return o;
}

TEST(ProgramLines, AStateIsOneLineOfJsonWithAllItsParts) {
  std::string line;
  append_state_line(small_output(), line);
  EXPECT_EQ(line,
            "{\"k\":3,\"time\":0.25,\"q\":[1,-2],\"v\":[1,-2],\"tau\":[1,-2],\"q_motor\":[1,-2],\"current\":[1,-2],"
            "\"voltage\":[1,-2],\"position\":[0,0,0],\"orientation\":[1,0,0,0],\"velocity\":[0,0,0],\"gyro\":[0,0,0],"
            "\"accelerometer\":[0,0,0],\"foot_force\":[5]}\n");
}

TEST(ProgramLines, SensorsAreThereByNameAndWhatIsNoNumberIsNull) {
  static const std::string channels[] = {"x \"quoted\""};
  static const double values[] = {std::numeric_limits<double>::infinity()};
  const SensorReading s[] = {{"imu", "gyroscope", channels, values, values, 0.5, -1}};
  RobotOutput o = small_output();
  o.sensors = s;
  std::string line;
  append_state_line(o, line);
  const auto j = nlohmann::json::parse(line);
  EXPECT_EQ(j["sensors"]["imu"]["channels"][0], "x \"quoted\"");
  EXPECT_EQ(j["sensors"]["imu"]["sample"], -1);
  EXPECT_TRUE(j["sensors"]["imu"]["values"][0].is_null());
}

TEST(ProgramFrames, AStateIsItsLengthAndLittleEndianDoubles) {
  Bytes frame;
  append_state_frame(small_output(), frame);
  const std::size_t numbers = 2 + 6 * 2 + 3 + 4 + 3 * 3 + 1;
  ASSERT_EQ(frame.size(), 4 + 8 * numbers);
  const std::string head(as_text(ByteView(frame).first(28)));
  EXPECT_EQ(head, std::string("\xf8\0\0\0"            // 248 bytes follow
                              "\0\0\0\0\0\0\x08\x40"  // k = 3
                              "\0\0\0\0\0\0\xd0\x3f"  // time = 0.25
                              "\0\0\0\0\0\0\xf0\x3f",
                              28));  // q[0] = 1
}

std::string take(const std::string& line, Orders& o) {
  std::string end;
  return take_line(line, kJoints, o, end);
}

TEST(ProgramLines, AnAnswerByListOrByName) {
  Orders o = two_joints();
  EXPECT_EQ(take("{\"target\": [1, 2]}", o), "");
  EXPECT_EQ(o.target, (std::vector<double>{1, 2}));
  EXPECT_EQ(take("{\"target\": {\"b\": 3}, \"stiffness\": {\"a\": 0}}", o), "");
  EXPECT_EQ(o.target, (std::vector<double>{1, 3}));
  EXPECT_EQ(o.stiffness, (std::vector<double>{0, 1}));
  EXPECT_EQ(take("{}", o), "");
}

TEST(ProgramLines, AWrongAnswerChangesNothing) {
  for (const char* line : {"", "[]", "null", "{\"target\": [1]}", "{\"target\": {\"c\": 1}}", "{\"target\": 1}",
                           "{\"no\": 1}", "{\"target\": [1, 2], \"stiffness\": [1, 2]}", "{\"target\": [1, 1e999]}",
                           "{\"kp\": [1, 1]}", "{\"target\": [1, 2], \"torque\": [0, 0]}", "{\"target\": [null, 2]}"}) {
    Orders o = two_joints();
    EXPECT_NE(take(line, o), "") << line;
    EXPECT_EQ(o.target, two_joints().target) << line;
    EXPECT_EQ(o.stiffness, two_joints().stiffness) << line;
  }
}

Bytes frame_of(std::uint32_t mask, const std::vector<double>& numbers) {
  Bytes b;
  append_le(b, mask);
  for (const double x : numbers) append_le(b, std::bit_cast<std::uint64_t>(x));
  return b;
}

TEST(ProgramFrames, AnAnswerHoldsTheListsOfItsMask) {
  Orders o = two_joints();
  EXPECT_EQ(take_frame(frame_of(0, {}), o), "");
  EXPECT_EQ(take_frame(frame_of(3, {1, 2, 0.5, 0.25}), o), "");
  EXPECT_EQ(o.target, (std::vector<double>{1, 2}));
  EXPECT_EQ(o.stiffness, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(longest_answer(o), 4u + 4 * 8);
}

TEST(ProgramFrames, AWrongFrameChangesNothing) {
  for (const Bytes& b : {Bytes{}, frame_of(1, {1}), frame_of(1, {1, 2, 3}), frame_of(4, {1, 2}), frame_of(64, {1, 2}),
                         frame_of(2, {0, 2}), frame_of(1, {std::nan(""), 0}), frame_of(0xffffffff, {})}) {
    Orders o = two_joints();
    EXPECT_NE(take_frame(b, o), "");
    EXPECT_EQ(o.target, two_joints().target);
  }
}

TEST(ProgramForms, AnyBytesAreTakenWholeOrRefused) {
  const std::string seeds[] = {"{\"target\": [1, 2]}", "{\"target\": {\"a\": 1e3}, \"stiffness\": {\"b\": 0.5}}",
                               "{\"end\": \"over\"}", std::string(as_text(frame_of(3, {1, 2, 0.5, 0.25})))};
  const auto random = [](std::uint64_t i, std::uint64_t what) { return mix64(i * 7919 + what); };
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    std::string text = seeds[i % 4];
    for (std::uint64_t n = 0; n <= random(i, 0) % 4; ++n) {
      const std::size_t at = random(i, 1 + n) % text.size();
      text[at] = static_cast<char>(random(i, 10 + n));
      if (random(i, 20 + n) % 8 == 0) text.resize(at + 1);
    }
    Orders o = two_joints();
    std::string end;
    const std::string fault = i % 4 == 3 ? take_frame(as_byte_view(text), o) : take_line(text, kJoints, o, end);
    ASSERT_EQ(o.target.size(), 2u);
    ASSERT_EQ(o.stiffness.size(), 2u);
    ASSERT_EQ(o.fault(), "");
    if (!fault.empty()) {
      ASSERT_EQ(o.target, two_joints().target);
    }
  }
}

}  // namespace
}  // namespace gradus

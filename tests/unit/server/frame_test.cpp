#include "server/frame.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

namespace gradus::view {
namespace {

std::string hex(const std::vector<std::uint8_t>& bytes) {
  std::string s;
  for (std::uint8_t b : bytes) {
    s += "0123456789abcdef"[b >> 4];
    s += "0123456789abcdef"[b & 15];
  }
  return s;
}

/// Every field has its own value, so that two exchanged ones are seen.
Frame full_frame() {
  Frame f;
  f.scene_revision = 7;
  f.k = 0x0000000123456789;
  f.time = 12.625;
  f.t_min = 2.5;
  f.t_max = 14.75;
  f.hash = 0xfedcba9876543210;
  f.paused = f.past = true;
  f.speed_target = 0.5;
  f.speed_actual = 0.4375;
  f.bodies = {{{1.5, -2.25, 0.75}, {0.5, -0.5, 0.5, -0.5}}, {{-4, 8, 16}, {1, 0, 0, 0}}};
  f.ghosts = {{{3, 2, 1}, {0, 1, 0, 0}}, {{6, 5, 4}, {0, 0, 0, 1}}};
  f.robots = {{2, true, 1.25, 0.0625, {0.25, 0.5, 1}, {-1, -2, -4}, {0.125, -0.125, 0}},
              {0, false, kUnknown, kUnknown, {9, 10, 11}, {12, 13, 14}, {kUnknown, kUnknown, kUnknown}}};
  f.contacts = {{{1, 2, 3}, {4, 5, 6}, 1, kStaticWorld}, {{-1, -2, -3}, {-4, -5, -6}, 0, kUserPush}};
  f.signals = {{3, 0.75f}, {65534, -1.5f}};
  f.ghost_signals = {{3, 0.5f}};
  f.volumes = {{{1, 2, 3}, {0.5, 0.25, 0.125}, 0}, {{4, 5, 6}, {0.0625, 2, 8}, 3}};
  return f;
}

nlohmann::json vector_json(Vec3 a) {
  const auto number = [](double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr); };
  return {number(a.x), number(a.y), number(a.z)};
}

/// What TypeScript must read out of the bytes, written by this side from the frame itself.
nlohmann::json expected_json(const Frame& f) {
  const auto finite = [](double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr); };
  nlohmann::json j = {{"scene_revision", f.scene_revision},
                      {"k", f.k},
                      {"time", f.time},
                      {"t_min", f.t_min},
                      {"t_max", f.t_max},
                      {"hash", fmt::format("{:016x}", f.hash)},
                      {"paused", f.paused},
                      {"behind", f.behind},
                      {"replay", f.replay},
                      {"past", f.past},
                      {"speed_target", finite(f.speed_target)},
                      {"speed_actual", f.speed_actual}};
  for (const char* key : {"bodies", "ghosts", "robots", "contacts", "signals", "ghost_signals", "volumes"})
    j[key] = nlohmann::json::array();
  for (const auto& [key, list] : {std::pair{"bodies", &f.bodies}, std::pair{"ghosts", &f.ghosts}})
    for (const BodyPose& b : *list)
      j[key].push_back({{"p", vector_json(b.p_WB)}, {"q", {b.q_WB.x, b.q_WB.y, b.q_WB.z, b.q_WB.w}}});
  for (const RobotStatus& r : f.robots)
    j["robots"].push_back({{"level", r.level},
                           {"fallen", r.fallen},
                           {"us_per_step", finite(r.us_per_step)},
                           {"error", finite(r.error)},
                           {"com", vector_json(r.com_W)},
                           {"com_velocity", vector_json(r.com_velocity_W)},
                           {"centre_of_pressure", vector_json(r.centre_of_pressure_W)}});
  for (const Contact& c : f.contacts)
    j["contacts"].push_back(
        {{"point", vector_json(c.point_W)}, {"force", vector_json(c.force_W)}, {"body", c.body}, {"other", c.other}});
  for (const auto& [key, list] : {std::pair{"signals", &f.signals}, std::pair{"ghost_signals", &f.ghost_signals}})
    for (const Signal& s : *list) j[key].push_back({{"property", s.property}, {"value", s.value}});
  for (const Volume& v : f.volumes)
    j["volumes"].push_back({{"centre", vector_json(v.centre_W)}, {"half", vector_json(v.half)}, {"depth", v.depth}});
  return j;
}

Frame random_frame(std::mt19937& random) {
  const auto in = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); };
  const auto vector = [&] {
    return Vec3{static_cast<float>(in(-50, 50)), static_cast<float>(in(-50, 50)), static_cast<float>(in(-50, 50))};
  };
  const auto count = [&](int max) { return std::uniform_int_distribution<int>(0, max)(random); };
  Frame f;
  f.scene_revision = static_cast<std::uint32_t>(count(1000));
  f.k = static_cast<std::uint64_t>(in(0, 9e15));
  f.time = in(0, 1e5);
  f.t_min = in(0, 1e5);
  f.t_max = in(0, 1e5);
  f.hash = (static_cast<std::uint64_t>(random()) << 32) | random();
  f.paused = count(1);
  f.behind = count(1);
  f.replay = count(1);
  f.past = count(1);
  f.speed_target = count(3) == 0 ? INFINITY : static_cast<float>(in(0, 8));
  f.speed_actual = static_cast<float>(in(0, 8));
  const auto pose = [&] { return BodyPose{vector(), normalized(Quat{in(-1, 1), in(-1, 1), in(-1, 1), in(-1, 1)})}; };
  for (int i = count(12); i > 0; --i) f.bodies.push_back(pose());
  if (count(1)) f.ghosts.resize(f.bodies.size(), pose());
  for (int i = count(4); i > 0; --i)
    f.robots.push_back(
        {count(255), count(1) == 1, static_cast<float>(in(0, 9)), kUnknown, vector(), vector(), vector()});
  for (int i = count(9); i > 0; --i)
    f.contacts.push_back(
        {vector(), vector(), static_cast<std::uint16_t>(count(500)), static_cast<std::uint16_t>(count(65535))});
  for (int i = count(9); i > 0; --i)
    f.signals.push_back({static_cast<std::uint16_t>(count(65535)), static_cast<float>(in(-9, 9))});
  for (int i = count(4); i > 0; --i)
    f.ghost_signals.push_back({static_cast<std::uint16_t>(count(65535)), static_cast<float>(in(-9, 9))});
  for (int i = count(4); i > 0; --i) f.volumes.push_back({vector(), vector(), count(9)});
  return f;
}

std::vector<std::pair<std::string, Frame>> golden_frames() {
  std::vector<std::pair<std::string, Frame>> all = {{"empty", {}}, {"full", full_frame()}};
  all[0].second.speed_target = INFINITY;
  std::mt19937 random(20261115);
  for (int i = 0; i < 6; ++i) all.push_back({"random " + std::to_string(i), random_frame(random)});
  return all;
}

void expect_near(Vec3 a, Vec3 b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Frame, bytes_are_those_of_the_golden_file) {
  const std::string path = std::string(GRADUS_SOURCE_DIR) + "/tests/golden/view_frames.json";
  nlohmann::json now = nlohmann::json::array();
  std::uint32_t sequence = 40;
  for (const auto& [name, frame] : golden_frames()) {
    std::vector<std::uint8_t> bytes;
    encode(frame, ++sequence, bytes);
    nlohmann::json expected = expected_json(frame);
    expected["sequence"] = sequence;
    now.push_back({{"name", name}, {"bytes", hex(bytes)}, {"frame", expected}});
  }
  if (std::getenv("GRADUS_WRITE_GOLDEN")) std::ofstream(path) << now.dump(1) << '\n';
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  const nlohmann::json golden = nlohmann::json::parse(file);
  ASSERT_EQ(golden.size(), now.size());
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(golden[i]["bytes"], now[i]["bytes"]) << now[i]["name"];
}

/// The layout by hand, so that the golden file cannot be wrong unnoticed.
TEST(Frame, header_fields_are_where_the_table_says) {
  std::vector<std::uint8_t> b;
  encode(full_frame(), 0x0a0b0c0d, b);
  ASSERT_EQ(b.size(), 80u + 2 * 2 * 20 + 2 * 48 + 2 * 28 + 3 * 8 + 2 * 28);
  const std::vector<std::uint8_t> start(b.begin(), b.begin() + 16);
  EXPECT_EQ(start, (std::vector<std::uint8_t>{2, 1, 1 | 8 | 16, 0, 7, 0, 0, 0, 0x89, 0x67, 0x45, 0x23, 0x01, 0, 0, 0}));
  EXPECT_EQ(b[40], 0x10);  // hash, lowest byte first
  EXPECT_EQ(b[47], 0xfe);
  EXPECT_EQ(b[56], 2);     // bodies
  EXPECT_EQ(b[60], 2);     // contacts
  EXPECT_EQ(b[64], 2);     // robots
  EXPECT_EQ(b[66], 2);     // signals
  EXPECT_EQ(b[68], 0x0d);  // sequence
  EXPECT_EQ(b[72], 1);     // ghost signals
  EXPECT_EQ(b[74], 2);     // volumes
  // 1.5f = 0x3fc00000; qx of (w, x, y, z) = (0.5, −0.5, 0.5, −0.5) is −16384 (rounded away from zero) = 0xc000
  EXPECT_EQ(std::vector<std::uint8_t>(b.begin() + 80, b.begin() + 84), (std::vector<std::uint8_t>{0, 0, 0xc0, 0x3f}));
  EXPECT_EQ(std::vector<std::uint8_t>(b.begin() + 92, b.begin() + 100),
            (std::vector<std::uint8_t>{0x00, 0xc0, 0x00, 0x40, 0x00, 0xc0, 0x00, 0x40}));
}

TEST(Frame, decoding_gives_back_what_was_encoded_within_quantisation) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const Frame a = random_frame(random);
    std::vector<std::uint8_t> bytes;
    encode(a, 1, bytes);
    const auto b = decode(bytes);
    ASSERT_TRUE(b);
    EXPECT_EQ(a.k, b->k);
    EXPECT_EQ(a.time, b->time);
    EXPECT_EQ(a.hash, b->hash);
    EXPECT_EQ(a.paused, b->paused);
    EXPECT_EQ(a.behind, b->behind);
    EXPECT_EQ(a.replay, b->replay);
    EXPECT_EQ(a.past, b->past);
    EXPECT_EQ(a.speed_target, b->speed_target);
    ASSERT_EQ(a.bodies.size(), b->bodies.size());
    ASSERT_EQ(a.ghosts.size(), b->ghosts.size());
    for (std::size_t j = 0; j < a.bodies.size(); ++j) {
      expect_near(a.bodies[j].p_WB, b->bodies[j].p_WB, 0);
      const double quantum = 0.5 / 32767 + 1e-12;
      EXPECT_NEAR(a.bodies[j].q_WB.w, b->bodies[j].q_WB.w, quantum);
      EXPECT_NEAR(a.bodies[j].q_WB.x, b->bodies[j].q_WB.x, quantum);
      EXPECT_NEAR(a.bodies[j].q_WB.z, b->bodies[j].q_WB.z, quantum);
    }
    ASSERT_EQ(a.robots.size(), b->robots.size());
    for (std::size_t j = 0; j < a.robots.size(); ++j) {
      EXPECT_EQ(a.robots[j].level, b->robots[j].level);
      EXPECT_EQ(a.robots[j].fallen, b->robots[j].fallen);
      EXPECT_TRUE(std::isnan(b->robots[j].error));
      expect_near(a.robots[j].centre_of_pressure_W, b->robots[j].centre_of_pressure_W, 0);
    }
    ASSERT_EQ(a.contacts.size(), b->contacts.size());
    for (std::size_t j = 0; j < a.contacts.size(); ++j) {
      expect_near(a.contacts[j].force_W, b->contacts[j].force_W, 0);
      EXPECT_EQ(a.contacts[j].other, b->contacts[j].other);
    }
    ASSERT_EQ(a.signals.size(), b->signals.size());
    for (std::size_t j = 0; j < a.signals.size(); ++j) EXPECT_EQ(a.signals[j].value, b->signals[j].value);
    ASSERT_EQ(a.ghost_signals.size(), b->ghost_signals.size());
    for (std::size_t j = 0; j < a.ghost_signals.size(); ++j) {
      EXPECT_EQ(a.ghost_signals[j].property, b->ghost_signals[j].property);
      EXPECT_EQ(a.ghost_signals[j].value, b->ghost_signals[j].value);
    }
    ASSERT_EQ(a.volumes.size(), b->volumes.size());
    for (std::size_t j = 0; j < a.volumes.size(); ++j) {
      expect_near(a.volumes[j].centre_W, b->volumes[j].centre_W, 0);
      expect_near(a.volumes[j].half, b->volumes[j].half, 0);
      EXPECT_EQ(a.volumes[j].depth, b->volumes[j].depth);
    }
  }
}

TEST(Frame, truncated_at_every_byte_or_with_false_counts_is_refused) {
  std::vector<std::uint8_t> bytes;
  encode(full_frame(), 1, bytes);
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decode(std::span(bytes).first(n))) << n;
  for (std::size_t at : {56u, 59u, 60u, 63u, 64u, 65u, 66u, 67u, 72u, 73u, 74u, 75u}) {
    auto wrong = bytes;
    wrong[at] = 0xff;
    EXPECT_FALSE(decode(wrong)) << at;
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_FALSE(decode(longer));
  auto newer = bytes;
  newer[0] = 3;
  EXPECT_FALSE(decode(newer));
}

}  // namespace
}  // namespace gradus::view

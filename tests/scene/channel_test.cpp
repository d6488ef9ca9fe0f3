// What the common channel does to a truth, for every kind of sensor alike: noise, offset, digits, saturation, delay.
#include <gtest/gtest.h>

#include <cmath>

#include "load/scene_toml.h"
#include "scene/scene_world.h"

namespace gradus {
namespace {

constexpr const char* kScene = R"(
[world]
step    = "1 ms"
include = ["fields/plane.toml"]

[field.wall]
shape = { box = ["10 cm", "2 m", "1 m"] }
pose  = { x = "55 cm", z = "50 cm" }

[robot.nao]
model = "robots/nao_h25_v6.toml"
servo = { all = "servos/nao_v6_leg_131.toml" }
pose  = { pitch = "2 deg" }
)";

SensorSetting number(std::string key, std::vector<double> x) { return {std::move(key), std::move(x), {}, {}, {}}; }

/// A sensor of the kind with all that it must have, and these settings besides.
SensorSpec make(std::string_view kind, const char* suffix, std::vector<SensorSetting> settings) {
  SensorSpec s{std::string(kind) + suffix, std::string(kind), "Torso", identity_pose(), {}, {}};
  if (kind == "pads") s.on = "RAnkleRoll", s.settings.push_back(number("pads", {0.07, 0.03, 0.07, -0.02, -0.03, 0.03, -0.03, -0.02}));
  if (kind == "touch") s.on = "RAnkleRoll";
  if (kind == "force" || kind == "torque") s.on = "RKneePitch";
  if (kind == "laser") s.settings.push_back(number("rays", {9}));
  if (kind == "height_scan") s.settings.push_back(number("points", {3, 3}));
  if (kind == "ground") s.settings.push_back({"under", {}, {"RAnkleRoll"}, {}, {}});
  if (kind == "encoder" || kind == "wheel_encoder" || kind == "joint_torque" || kind == "current" || kind == "temperature")
    s.settings.push_back({"joints", {}, {"RKneePitch", "HeadYaw"}, {}, {}});
  for (SensorSetting& x : settings) s.settings.push_back(std::move(x));
  return s;
}

/// Kinds whose samples come through the common channel.
std::vector<std::string_view> kinds() {
  std::vector<std::string_view> out;
  for (const sense::SensorTable& t : sense::all_sensors())
    if (!t.perceive && !t.images) out.push_back(t.name);
  return out;
}

std::unique_ptr<World> world_with(std::string_view kind) {
  auto scene = parse_scene(kScene, std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", {});
  EXPECT_TRUE(scene) << (scene ? "" : scene.notes()[0].text);
  if (!scene) return nullptr;
  auto& sensors = scene->robots[0].robot.sensors;
  sensors.push_back(make(kind, "_true", {number("ideal", {1})}));
  sensors.push_back(make(kind, "_noisy", {number("noise", {0.5}), number("offset.value", {2}), number("resolution", {0.25})}));
  sensors.push_back(make(kind, "_narrow", {number("offset.value", {5}), number("range", {-0.5, 0.5})}));
  sensors.push_back(make(kind, "_late", {number("delay", {0.007})}));
  sensors.push_back(make(kind, "_rare", {number("rate", {100}), number("phase", {0.003})}));
  return make_world(*scene);
}

enum { kTrue, kNoisy, kNarrow, kLate, kRare };

TEST(Channels, there_is_no_kind_that_is_not_tested) { EXPECT_GE(kinds().size(), 17u); }

TEST(Channels, of_every_kind_are_noisy_saturated_late_and_rare_as_asked) {
  for (const std::string_view kind : kinds()) {
    SCOPED_TRACE(kind);
    const auto w = world_with(kind);
    ASSERT_TRUE(w);
    const std::size_t channels = w->sensors(0)[kTrue].channels.size();
    std::vector<std::vector<double>> truth;
    double sum = 0, squares = 0, count = 0;
    for (int k = 0; k < 400; ++k) {
      const auto t = w->read(0, kTrue).values;
      truth.emplace_back(t.begin(), t.end());
      for (std::size_t c = 0; c < channels; ++c) {
        const double noisy = w->read(0, kNoisy).values[c], error = noisy - t[c] - 2;
        ASSERT_NEAR(noisy / 0.25, std::round(noisy / 0.25), 1e-6) << "digits";
        sum += error, squares += error * error, ++count;
        ASSERT_LE(std::fabs(w->read(0, kNarrow).values[c]), 0.5) << "saturation";
        if (k >= 7) { ASSERT_EQ(w->read(0, kLate).values[c], truth[static_cast<std::size_t>(k - 7)][c]) << "delay, step " << k; }
        if (k >= 3) { ASSERT_EQ(w->read(0, kRare).values[c], truth[static_cast<std::size_t>(k - (k - 3) % 10)][c]) << "rate, step " << k; }
      }
      w->step();
    }
    // σ² of the noise, and of digits; samples of a channel are independent
    const double due = 0.25 + 0.25 * 0.25 / 12, mean = sum / count;
    EXPECT_NEAR(mean, 0, 5 * std::sqrt(due / count));
    EXPECT_NEAR(squares / count - mean * mean, due, 5 * due * std::sqrt(2 / count));
  }
}

}  // namespace
}  // namespace gradus

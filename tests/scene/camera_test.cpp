// Cameras of robots in the step: when images are taken, when they arrive, and that nothing depends on who looks when.
#include <gtest/gtest.h>

#include <cmath>

#include "base/hash.h"
#include "load/scene_toml.h"
#include "scene/scene_world.h"

namespace gradus {
namespace {

constexpr const char* kScene = R"(
[world]
step    = "1 ms"
include = ["fields/plane.toml"]

[robot.nao]
model   = "robots/nao_h25_v6.toml"
sensors = "nao_cameras"
sensor.camera_top    = { size = [160, 120], format = ["yuyv", "depth"] }
sensor.camera_bottom = { size = [80, 60], detail = "ideal" }

[robot.ball]
model    = "robots/orange_ball.toml"
motion   = "free_body"
pose     = { x = "1.6 m", z = "42.5 mm" }
velocity = { y = "0.3 m/s" }
)";

std::unique_ptr<World> seeing(const std::string& change = "") {
  std::string text = kScene;
  if (!change.empty()) text += change;
  auto scene = parse_scene(text, std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", {});
  EXPECT_TRUE(scene) << (scene ? "" : scene.notes()[0].text);
  return scene ? make_world(*scene) : nullptr;
}

constexpr int kTop = 0, kBottom = 1;

std::uint64_t hash_of(std::span<const SensorImage> images) {
  std::uint64_t h = 0;
  for (const SensorImage& i : images) h = hash_bytes(i.bytes.data(), i.bytes.size(), h);
  return h;
}

TEST(Camera, images_arrive_late_with_the_time_of_their_exposure) {
  const auto w = seeing();
  // frame n: middle of the exposure at n/30 s, seen (30 + 10)/2 + 33 ms later
  for (int k = 0; k < 200; ++k) {
    const auto images = w->image(0, kTop);
    const int arrived = static_cast<int>(std::floor((k * 1e-3 - 0.053 + 1e-9) * 30));  // n with n/30 + 53 ms ≤ t
    if (k * 1e-3 < 0.053 - 1e-9) {
      ASSERT_TRUE(images.empty()) << k;
    } else {
      ASSERT_EQ(images.size(), 2u);
      ASSERT_EQ(images[0].frame, arrived) << k;
      ASSERT_NEAR(images[0].time, arrived / 30.0, 1e-12);
      EXPECT_STREQ(images[0].format, "yuyv");
      EXPECT_STREQ(images[1].format, "depth");
    }
    w->step();
  }
}

TEST(Camera, what_is_seen_is_the_world_of_the_frames_own_step) {
  const auto w = seeing();
  while (w->k() < 100) w->step();  // frame 1 of step 34 is the newest: 34 + 53 < 100 < 67 + 53
  const auto images = w->image(0, kTop);
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].frame, 1);
  // the bottom camera without delay: the state as it is at frame 3 = step 100
  EXPECT_EQ(w->image(0, kBottom)[0].frame, 3);
  double nearest = 1e9, sum = 0, count = 0;
  const auto* depth = reinterpret_cast<const float*>(images[1].bytes.data());
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 160; ++x) {
      const std::uint8_t* p = images[0].bytes.data() + static_cast<std::size_t>(y) * images[0].row_bytes + static_cast<std::size_t>(x / 2 * 4);
      if (p[3] - p[1] < 60) continue;  // orange
      const double d = depth[static_cast<std::size_t>(y * 160 + x)];
      nearest = std::min(nearest, d);
      sum += x, ++count;
    }
  ASSERT_GT(count, 20);
  EXPECT_NEAR(nearest, 1.6 - 0.06, 0.08) << "the camera is some 6 cm before the robot's middle";
  // at 34 ms the ball is 10 mm to the left
  const double focal = 160 / (2 * std::tan(0.98262 / 2));
  EXPECT_NEAR(sum / count, 79.5 - 0.010 / 1.55 * focal, 0.7);
}

TEST(Camera, images_do_not_depend_on_who_asked_before) {
  const auto eager = seeing(), lazy = seeing();
  for (int k = 0; k < 180; ++k) {
    eager->image(0, kTop), eager->image(0, kBottom);
    eager->step(), lazy->step();
  }
  EXPECT_EQ(eager->hash(), lazy->hash());
  EXPECT_EQ(lazy->images_rendered(), 0) << "a camera that nobody reads is not rendered";
  EXPECT_GT(eager->images_rendered(), 8);
  EXPECT_EQ(hash_of(eager->image(0, kTop)), hash_of(lazy->image(0, kTop)));
}

TEST(Camera, a_snapshot_keeps_the_frames_on_their_way) {
  const auto w = seeing(), other = seeing();
  while (w->k() < 110) w->step();
  const std::vector<std::byte> bytes = w->snapshot().bytes();
  const auto snapshot = Snapshot::from_bytes(bytes);
  ASSERT_TRUE(snapshot);
  ASSERT_TRUE(other->restore(*snapshot));
  for (int k = 110; k < 200; ++k) {
    ASSERT_EQ(hash_of(w->image(0, kTop)), hash_of(other->image(0, kTop))) << k;
    w->step(), other->step();
  }
  EXPECT_EQ(w->hash(), other->hash());
}

TEST(Camera, one_camera_switched_off_changes_no_other) {
  const auto both = seeing();
  auto scene = parse_scene(kScene, std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", {});
  ASSERT_TRUE(scene);
  scene->robots[0].robot.sensors.erase(scene->robots[0].robot.sensors.begin() + kBottom);
  const auto one = make_world(*scene);
  while (both->k() < 150) both->step(), one->step();
  EXPECT_EQ(hash_of(both->image(0, kTop)), hash_of(one->image(0, kTop)));
}

TEST(Camera, wrong_cameras_are_told_of) {
  const auto fault = [](const std::string& change) -> std::string {
    std::string text = kScene;
    const std::size_t at = text.find("sensor.camera_bottom = {");
    text.replace(at, text.find('\n', at) - at, "sensor.camera_bottom = { " + change + " }");
    auto scene = parse_scene(text, std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", {});
    if (!scene) return scene.notes()[0].text;
    auto model = compile(*scene);
    if (!model) return model.notes()[0].text;
    auto world = World::make(std::move(*model));
    return world ? "" : world.notes()[0].text;
  };
  EXPECT_EQ(fault("size = [80, 60]"), "");
  EXPECT_NE(fault("size = [0, 60]"), "");
  EXPECT_NE(fault("size = [80000, 60000]"), "");
  EXPECT_NE(fault("size = [80]"), "");
  EXPECT_NE(fault("format = \"jpeg\""), "");
  EXPECT_NE(fault("hides = [\"Hed\"]"), "");
  EXPECT_NE(fault("lens = { radial = [-5] }"), "") << "folds";
  EXPECT_NE(fault("view = \"300 deg\""), "");
}

}  // namespace
}  // namespace gradus

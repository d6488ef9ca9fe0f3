// Cameras of robots in the step: when images are taken, when they arrive, and that nothing depends on who looks when.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "load/scene_toml.h"
#include "link/program/lines.h"
#include "scene/scene_world.h"
#include "session/record.h"

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

SceneSpec scene_of(const std::string& text = kScene) {
  auto scene = parse_scene(text, std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", {});
  EXPECT_TRUE(scene) << (scene ? "" : scene.notes()[0].text);
  return scene ? *scene : SceneSpec{};
}

std::unique_ptr<World> seeing() { return make_world(scene_of()); }

std::unique_ptr<World> seeing_with(int render_threads) {
  auto model = compile(scene_of());
  EXPECT_TRUE(model);
  World::Options options;
  options.render_threads = render_threads;
  auto world = World::make(std::move(*model), options);
  EXPECT_TRUE(world);
  return world ? std::move(*world) : nullptr;
}

constexpr int kTop = 0, kBottom = 1;

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

TEST(Camera, threads_beside_the_steps_change_neither_images_nor_their_arrival) {
  for (const int threads : {1, 2, 4}) {
    const auto plain = seeing_with(0), ahead = seeing_with(threads);
    for (int k = 0; k < 400; ++k) {
      const auto a = plain->image(0, kTop), b = ahead->image(0, kTop);
      ASSERT_EQ(a.size(), b.size()) << k;
      if (!a.empty()) {
        ASSERT_EQ(a[0].frame, b[0].frame) << k;
        ASSERT_EQ(hash_of(a), hash_of(b)) << "step " << k << ", " << threads << " threads";
      }
      if (k % 130 == 60) {  // a reader that is slower than the camera, and the other camera
        const auto c = plain->image(0, kBottom), d = ahead->image(0, kBottom);
        ASSERT_EQ(hash_of(c), hash_of(d)) << k;
      }
      plain->step(), ahead->step();
    }
    EXPECT_EQ(plain->hash(), ahead->hash());
    EXPECT_GE(ahead->images_rendered(), plain->images_rendered());
    EXPECT_LE(ahead->images_rendered(), plain->images_rendered() + 8) << "those on their way, no others";
  }
}

TEST(Camera, who_stops_reading_costs_only_the_images_on_their_way) {
  const auto w = seeing_with(1);
  while (w->k() < 300) w->image(0, kTop), w->step();
  const std::int64_t before = w->images_rendered();
  while (w->k() < 900) w->step();
  EXPECT_LE(w->images_rendered(), before + 3) << "18 frames were taken since, 2 were on their way";
}

TEST(Camera, a_state_that_is_changed_from_outside_is_seen_changed_also_by_threads) {
  const auto plain = seeing_with(0), ahead = seeing_with(2);
  for (World* w : {plain.get(), ahead.get()}) {
    while (w->k() < 300) w->image(0, kTop), w->step();
    std::vector<double> q(w->q(1).begin(), w->q(1).end());
    q[1] += 0.4;  // the ball, at the very step of a frame
    ASSERT_TRUE(w->set_q(1, q));
  }
  const auto saved = ahead->snapshot();
  for (int k = 300; k < 420; ++k) {
    ASSERT_EQ(hash_of(plain->image(0, kTop)), hash_of(ahead->image(0, kTop))) << k;
    plain->step(), ahead->step();
  }
  const std::uint64_t last = hash_of(ahead->image(0, kTop));
  ASSERT_TRUE(ahead->restore(saved));  // with images on their way
  while (ahead->k() < 420) ahead->image(0, kTop), ahead->step();
  EXPECT_EQ(hash_of(ahead->image(0, kTop)), last);
}

TEST(Camera, levels_of_sensing_are_exchanged_while_it_runs) {
  const auto w = seeing_with(1), real = seeing_with(0);
  const auto run_to = [&](int k) {
    while (w->k() < k) w->image(0, kTop), w->step(), real->step();
  };
  run_to(200);
  const std::uint64_t noisy = hash_of(w->image(0, kTop));
  EXPECT_EQ(noisy, hash_of(real->image(0, kTop)));
  ASSERT_EQ(w->set_parameter("nao.sensing", 2), "");
  EXPECT_NE(hash_of(w->image(0, kTop)), noisy) << "image: neither lens nor shutter nor noise";
  EXPECT_EQ(w->image(0, kTop)[0].frame, real->image(0, kTop)[0].frame) << "but as late";
  ASSERT_EQ(w->set_parameter("nao.sensing", 1), "");
  EXPECT_TRUE(w->image(0, kTop).empty()) << "objects: no images";
  const std::int64_t rendered = w->images_rendered();
  run_to(300);
  EXPECT_EQ(w->images_rendered(), rendered);
  ASSERT_EQ(w->set_parameter("nao.sensing", 3), "");
  EXPECT_EQ(hash_of(w->image(0, kTop)), hash_of(real->image(0, kTop))) << "as if nothing had been";
  ASSERT_EQ(w->set_parameter("nao.camera_top.sensing", 0), "");
  EXPECT_TRUE(w->image(0, kTop).empty());
  EXPECT_FALSE(w->image(0, kBottom).empty()) << "one camera alone";
  EXPECT_NE(w->set_parameter("nao.sensing", 7), "");
}

TEST(Camera, people_who_look_on_leave_no_trace) {
  const auto w = seeing_with(0);
  while (w->k() < 200) w->step();
  FrameView view;
  w->view(0, kTop, view);
  EXPECT_EQ(w->images_rendered(), 0);
  const auto images = w->image(0, kTop);
  ASSERT_EQ(view.frame, images[0].frame);
  Camera camera(view.scene, view.lens, view.mount);
  BandRoom room(*view.scene, 160);
  std::vector<std::uint8_t> yuyv(images[0].bytes.size());
  Image out;
  out.yuyv = yuyv.data();
  camera.render(view.poses, view.key, static_cast<std::uint32_t>(view.frame), room, out);
  EXPECT_TRUE(std::equal(yuyv.begin(), yuyv.end(), images[0].bytes.begin())) << "what they see is what the program sees";
}

TEST(Camera, programs_outside_find_images_in_memory_that_the_line_names) {
  const auto w = seeing_with(0);
  ImageShare share;
  OutputRoom room;
  std::string line;
  while (w->k() < 120) w->step();
  append_state_line(w->output(0, room), line, &share);
  EXPECT_EQ(line.find("\"image\""), std::string::npos) << "nobody asked";
  EXPECT_EQ(w->images_rendered(), 0);
  share.want({"camera_side"});
  EXPECT_NE(share.fault(w->output(0, room).sensors), "");
  share.want({"camera_top"});
  EXPECT_EQ(share.fault(w->output(0, room).sensors), "");
  for (int n = 0; n < 5; ++n) {  // more than there are slots
    line.clear();
    append_state_line(w->output(0, room), line, &share);
    const auto said = nlohmann::json::parse(line)["sensors"]["camera_top"]["image"];
    const auto images = w->image(0, kTop);
    ASSERT_EQ(said["frame"], images[0].frame);
    ASSERT_EQ(said["formats"].size(), 2u);
    std::ifstream file(said["file"].get<std::string>(), std::ios::binary);
    for (std::size_t f = 0; f < 2; ++f) {
      const auto& format = said["formats"][f];
      EXPECT_EQ(format["format"], images[f].format);
      std::vector<std::uint8_t> bytes(format["bytes"].get<std::size_t>());
      file.seekg(format["offset"].get<std::streamoff>());
      file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      ASSERT_TRUE(file);
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), images[f].bytes.begin(), images[f].bytes.end())) << n;
    }
    line.clear();
    append_state_line(w->output(0, room), line, &share);
    EXPECT_EQ(line.find("\"image\""), std::string::npos) << "only when a new one has come";
    for (int k = 0; k < 34; ++k) w->step();
  }
}

/// A controller that looks at every image of the top camera.
class Watcher : public Controller {
  void control(const RobotOutput& output, RobotCommand&) override { output.sensors[kTop].image(); }
};

/// What a log says after a change of one of its bytes, or none.
TEST(Camera, a_replay_renders_every_image_that_was_seen_and_finds_the_one_that_differs) {
  const std::string path = ::testing::TempDir() + "/images.mcap";
  const SceneSpec scene = scene_of();
  for (const bool honest : {true, false}) {
    const auto w = seeing_with(1);
    w->add_controller(0, std::make_unique<Watcher>(), 0.01, 0);
    auto log = Recorder::open(path, scene, *w, {});
    ASSERT_TRUE(log);
    std::vector<SeenImage> seen;
    std::int64_t count = 0;
    while (w->k() < 400) {
      w->step();
      w->take_seen(seen);
      for (SeenImage& i : seen)
        if (++count == 5 && !honest) i.hash ^= 1;
      (*log)->after_step(*w, seen);
    }
    ASSERT_TRUE((*log)->close());
    EXPECT_EQ(count, 11) << "frames that arrived within 400 ms";
    for (const int threads : {0, 2}) {
      const auto again = replay(path, {1, threads, true}, {});
      ASSERT_TRUE(again);
      EXPECT_EQ(again->first_difference, -1);
      EXPECT_EQ(again->different_image.substr(0, 23), honest ? "" : "nao.camera_top, frame 4") << threads << " threads";
      EXPECT_EQ(again->images, honest ? 11 : 5);
    }
    const auto quick = replay(path, {}, {});
    ASSERT_TRUE(quick);
    EXPECT_EQ(quick->images, 0) << "nobody asked for them";
  }
  std::remove(path.c_str());
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
  SceneSpec scene = scene_of();
  scene.robots[0].robot.sensors.erase(scene.robots[0].robot.sensors.begin() + kBottom);
  const auto one = make_world(scene);
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

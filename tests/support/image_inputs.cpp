#include "support/image_inputs.h"

#include <stdexcept>
#include <thread>

#include "base/hash.h"
#include "load/scene_toml.h"

namespace gradus::test {
namespace {

struct Subject {
  Model model;
  std::shared_ptr<const DrawnScene> drawn;
  Poses poses;
};

/// Robots where their scene puts them, all of them moving and turning.
Subject load_subject(const std::string& name) {
  auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/" + name + ".toml");
  if (!scene) throw std::runtime_error(name);
  Subject s{*compile(*scene), {}, {}};
  s.drawn = *DrawnScene::make(s.model);
  s.poses = make_poses(*s.drawn);
  PoseMaker maker(s.model);
  for (int r = 0; r < static_cast<int>(s.model.robots.size()); ++r) {
    const RobotModel& robot = s.model.robots[static_cast<std::size_t>(r)];
    std::vector<double> q(static_cast<std::size_t>(robot.kind->nq())),
        v(static_cast<std::size_t>(robot.kind->nv()), 0.4);
    q[0] = robot.p_WB.x, q[1] = robot.p_WB.y, q[2] = robot.p_WB.z;
    q[3] = robot.q_WB.w, q[4] = robot.q_WB.x, q[5] = robot.q_WB.y, q[6] = robot.q_WB.z;
    for (std::size_t j = 7; j < q.size(); ++j) q[j] = robot.kind->joints[j - 7].initial;
    v[0] = 0.5, v[1] = -0.8, v[2] = 1.5;
    maker.set(*s.drawn, *robot.kind, r, q.data(), v.data(), s.poses);
  }
  return s;
}

CameraSpec everything() {
  CameraSpec c;
  c.width = 165, c.height = 124, c.view = 1.2;  // no multiples of a tile
  c.lens = {-0.28, 0.09, -0.012, 0.0008, -0.0005, 0.6};
  c.readout = 0.03, c.exposure = 0.008, c.full_well = 5000, c.read = 1.6, c.gain = 1.1;
  return c;
}

template <class Work>
void share(int threads, int count, const Work& work) {
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      for (int i = t; i < count; i += threads) work(i, t);
    });
  for (std::thread& t : team) t.join();
}

}  // namespace

std::vector<std::string> image_scenes() {
  return {"arm",         "bench_standing", "car_vs_ten",
          "dive",        "fall",           "firasim_3v3",
          "firasim_5v5", "get_up",         "hundred_standing",
          "kick",        "levels",         "mirosot_11v11",
          "mirosot_3v3", "mirosot_5v5",    "mirosot_and_humanoid",
          "nao",         "nao_get_up",     "nao_motions",
          "nao_walk",    "pile",           "scrum",
          "spl",         "stack",          "ten_standing",
          "terrain",     "walk_about"};
}

std::uint64_t image_hash(const std::string& scene, const render::RenderKernel& kernel, int threads) {
  const Subject s = load_subject(scene);
  const CameraSpec c = everything();
  const CameraMount mount{"test", s.model.robots.empty() ? -1 : 0, 0, look_at({-1.2, 0.5, 0.6}, {0.3, 0, 0}), {}};
  Camera camera(s.drawn, std::make_shared<const LensTable>(c), mount, {true, Shadows::all, true, true}, kernel);
  std::vector<BandRoom> rooms;
  for (int i = 0; i < threads; ++i) rooms.emplace_back(*s.drawn, c.width);
  const std::size_t n = static_cast<std::size_t>(c.width) * c.height;
  std::vector<std::uint8_t> rgb(3 * n), grey(n), yuyv(yuyv_row_bytes(c.width) * c.height);
  std::vector<float> depth(n);
  std::vector<std::uint16_t> segment(n);
  const Image image{rgb.data(), grey.data(), yuyv.data(), depth.data(), segment.data()};
  std::uint64_t hash = 0;
  for (std::uint32_t frame = 0; frame < 2; ++frame) {
    camera.begin(s.poses, camera_key(7, 0, "test"), frame);
    share(threads, camera.band_count(),
          [&](int b, int t) { camera.render_band(b, rooms[static_cast<std::size_t>(t)]); });
    share(threads, camera.band_count(),
          [&](int b, int t) { camera.finish_band(b, rooms[static_cast<std::size_t>(t)], image); });
    hash = hash_bytes(rgb.data(), rgb.size(), hash), hash = hash_bytes(grey.data(), grey.size(), hash);
    hash = hash_bytes(yuyv.data(), yuyv.size(), hash), hash = hash_bytes(depth.data(), depth.size() * 4, hash);
    hash = hash_bytes(segment.data(), segment.size() * 2, hash);
  }
  return hash;
}

}  // namespace gradus::test

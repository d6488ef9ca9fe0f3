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

void dump_image(const std::string& scene, int width, int height, std::FILE* out) {
  const Subject s = load_subject(scene);
  CameraSpec c = everything();
  c.width = width, c.height = height, c.readout = c.exposure = 0, c.lens.blur = 0, c.full_well = 0;
  const CameraMount mount{"test", s.model.robots.empty() ? -1 : 0, 0, look_at({-1.2, 0.5, 0.6}, {0.3, 0, 0}), {}};
  const auto table = std::make_shared<const LensTable>(c);
  Camera camera(s.drawn, table, mount, {true, Shadows::all, true, true});
  PlacedRoom room(*s.drawn);
  Blockers blockers(*s.drawn);
  blockers.find(*s.drawn, s.poses, 0);
  const render::TileCone& w = table->whole();
  room.place(*s.drawn, s.poses, camera.eye(s.poses), 0, {}, {{w.axis[0], w.axis[1], w.axis[2]}, w.cosine, w.sine});
  const render::Placed& p = room.placed();
  const render::ViewRays rays = table->rays();
  const auto put = [&](const void* data, std::size_t size) {
    const std::uint64_t n = size;
    std::fwrite(&n, sizeof n, 1, out), std::fwrite(data, 1, size, out);
  };
  const std::size_t n = s.drawn->shapes.size(), padded = (n / 16 + 2) * 16,
                    paint = (s.drawn->paint.size() / 16 + 2) * 16 - 16;
  put(scene.data(), scene.size()), put(&p, sizeof p), put(&rays, sizeof rays);
  put(rays.directions, table->padded_pixels() * 12),
      put(rays.cones, sizeof(render::TileCone) * rays.tiles_x * rays.tiles_y);
  put(p.shapes, n * sizeof(render::FlatShape));
  for (const float* a : {p.cx, p.cy, p.cz, p.cr, p.c2, p.shade_x, p.shade_y, p.shade_r}) put(a, (padded - 16) * 4);
  for (const float* a : {p.chunk_x0, p.chunk_x1, p.chunk_y0, p.chunk_y1}) put(a, (n / 16 + 1) * 4);
  put(p.paint, s.drawn->paint.size() * sizeof(render::Paint));
  for (const float* a : {p.paint_x0, p.paint_x1, p.paint_y0, p.paint_y1}) put(a, paint * 4);
  put(p.place_of, n * 4), put(blockers.first(), (n + 1) * 4),
      put(blockers.list(), static_cast<std::size_t>(blockers.first()[n]) * 4);
  put(s.drawn->trees.data(), s.drawn->trees.size() * sizeof(render::Tree));
  for (const render::Tree& t : s.drawn->trees)
    put(t.nodes, static_cast<std::size_t>(t.node_count) * sizeof(render::TreeNode)),
        put(t.triangles, static_cast<std::size_t>(t.count) * sizeof(render::TreeTriangle));
  BandRoom band(*s.drawn, c.width);
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(width) * height * 3);
  std::vector<float> depth(static_cast<std::size_t>(width) * height);
  std::vector<std::uint16_t> segment(depth.size());
  Image image;
  image.rgb = rgb.data(), image.depth = depth.data(), image.segment = segment.data();
  camera.render(s.poses, 1, 0, band, image);
  const std::int32_t size[2] = {width, height};
  put(size, sizeof size), put(camera.gamma(), 4096), put(rgb.data(), rgb.size()), put(depth.data(), depth.size() * 4),
      put(segment.data(), segment.size() * 2);
}

}  // namespace gradus::test

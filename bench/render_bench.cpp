// Images a second of one core: ten Naos on a field of the Standard Platform League, 640 × 480 unless told.
//   render_bench [WIDTHxHEIGHT] [SECONDS] [LANES] [VARIANT]      LANES 0: all; VARIANT: number of a row, from 0
// Processor time; of each camera the least of many images, then the mean over the ten cameras.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "bench/mujoco_view.h"
#include "load/scene_toml.h"
#include "render/cast.h"
#include "render/image.h"

using namespace gradus;

namespace {

double processor_time() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Field {
  Model model;
  std::shared_ptr<const DrawnScene> drawn;
  Poses poses;
  std::vector<CameraMount> mounts;
};

/// A capsule's surface (length 0: a sphere's) as 12 × 14 triangles: a robot of 34 shapes, 31 of them round, has 5,208.
MeshSpec round_mesh(double radius, double length) {
  constexpr int kAround = 12, kRings = 7;
  MeshSpec m;
  for (int ring = 0; ring < kRings; ++ring) {
    double s, c;
    sine_cosine(3.14159265358979 * (ring + 0.5) / kRings - 1.5707963267949, s, c);
    for (int k = 0; k < kAround; ++k) {
      double sk, ck;
      sine_cosine(6.28318530717959 * k / kAround, sk, ck);
      m.vertices.push_back({radius * c * ck, radius * c * sk,
                            radius * s + (s < -1e-9  ? -0.5
                                          : s > 1e-9 ? 0.5
                                                     : 0) *
                                             length});
    }
  }
  m.vertices.push_back({0, 0, -radius - 0.5 * length}), m.vertices.push_back({0, 0, radius + 0.5 * length});
  const auto at = [](int ring, int k) { return ring * kAround + k % kAround; };
  for (int k = 0; k < kAround; ++k) {
    m.triangles.push_back({kRings * kAround, at(0, k + 1), at(0, k)});
    m.triangles.push_back({kRings * kAround + 1, at(kRings - 1, k), at(kRings - 1, k + 1)});
    for (int ring = 0; ring + 1 < kRings; ++ring) {
      m.triangles.push_back({at(ring, k), at(ring, k + 1), at(ring + 1, k + 1)});
      m.triangles.push_back({at(ring, k), at(ring + 1, k + 1), at(ring + 1, k)});
    }
  }
  return m;
}

/// Every round shape of every robot becomes a mesh.
void to_meshes(SceneSpec& scene) {
  for (RobotInstanceSpec& r : scene.robots)
    for (ObjectSpec& o : r.robot.objects)
      for (ShapeSpec& s : o.shapes) {
        if (s.kind != ShapeKind::sphere && s.kind != ShapeKind::capsule && s.kind != ShapeKind::cylinder) continue;
        r.robot.meshes.push_back(round_mesh(s.radius, s.kind == ShapeKind::sphere ? 0 : s.length));
        s.kind = ShapeKind::mesh, s.mesh = static_cast<int>(r.robot.meshes.size()) - 1, s.size = {1, 1, 1};
      }
}

/// Robots walk at 15 cm/s, heads turn at 1.5 rad/s: a rolling shutter and a noise that have something to do.
Field load(const char* file, bool meshes) {
  auto scene = load_scene(file);
  if (meshes) to_meshes(*scene);
  Field f{*compile(*scene), {}, {}, {}};
  f.drawn = *DrawnScene::make(f.model);
  f.poses = make_poses(*f.drawn);
  PoseMaker maker(f.model);
  for (int r = 0; r < static_cast<int>(f.model.robots.size()); ++r) {
    const RobotModel& robot = f.model.robots[static_cast<std::size_t>(r)];
    const RobotKind& kind = *robot.kind;
    std::vector<double> q(static_cast<std::size_t>(kind.nq())), v(static_cast<std::size_t>(kind.nv()));
    q[0] = robot.p_WB.x, q[1] = robot.p_WB.y, q[2] = robot.p_WB.z;
    q[3] = robot.q_WB.w, q[4] = robot.q_WB.x, q[5] = robot.q_WB.y, q[6] = robot.q_WB.z;
    for (int j = 0; j < kind.njoint(); ++j)
      q[static_cast<std::size_t>(7 + j)] = kind.joints[static_cast<std::size_t>(j)].initial;
    const Vec3 ahead = to_matrix(robot.q_WB).x * 0.15;
    v[3] = ahead.x, v[4] = ahead.y;
    if (const int head = kind.find_joint("HeadYaw"); head >= 0) v[static_cast<std::size_t>(6 + head)] = 1.5;
    maker.set(*f.drawn, kind, r, q.data(), v.data(), f.poses);
    const int o = kind.find_object("camera_top");
    if (o < 0) continue;
    const ObjectInfo& object = kind.objects[static_cast<std::size_t>(o)];
    const Mat3 down = to_matrix(from_roll_pitch_yaw(0, 0.25, 0));
    f.mounts.push_back({robot.name, r, object.link, {camera_axes_from(object.X_LO.R * down), object.X_LO.p}, {}});
  }
  return f;
}

struct Variant {
  const char* name;
  bool smooth;
  Shadows shadows;
  bool lens, rolling, blur, noise, yuyv, geometry;
};
constexpr Variant kVariants[] = {
    {"bare: one ray a pixel, no shadow", false, Shadows::none, false, false, false, false, false, false},
    {"base: smooth edges, shadows on the ground, grass", true, Shadows::ground, false, false, false, false, false,
     false},
    {"base + shadows on bodies", true, Shadows::all, false, false, false, false, false, false},
    {"base + lens", true, Shadows::ground, true, false, false, false, false, false},
    {"base + rolling shutter", true, Shadows::ground, false, true, false, false, false, false},
    {"base + noise", true, Shadows::ground, false, false, false, true, false, false},
    {"base, YUYV", true, Shadows::ground, false, false, false, false, true, false},
    {"base + depth, segmentation", true, Shadows::ground, false, false, false, false, false, true},
    {"real: lens, rolling shutter, noise, YUYV", true, Shadows::ground, true, true, false, true, true, false},
    {"real + blur (10 ms)", true, Shadows::ground, true, true, true, true, true, false},
};

double images_per_second(const Field& f, const Variant& v, int width, int height, const render::RenderKernel& kernel,
                         double seconds) {
  CameraSpec c;
  c.width = width, c.height = height;
  if (v.lens) c.lens = {-0.28, 0.09, -0.012, 0.0008, -0.0005, 0};
  if (v.rolling) c.readout = 0.03;
  if (v.blur) c.exposure = 0.01;
  if (v.noise) c.full_well = 5000, c.read = 1.6;
  const auto table = std::make_shared<const LensTable>(c);
  const std::size_t n = static_cast<std::size_t>(width) * height;
  std::vector<std::uint8_t> bytes(3 * n + 8 * static_cast<std::size_t>(height));
  std::vector<float> depth(n);
  std::vector<std::uint16_t> segment(n);
  Image image;
  (v.yuyv ? image.yuyv : image.rgb) = bytes.data();
  if (v.geometry) image.depth = depth.data(), image.segment = segment.data();
  BandRoom room(*f.drawn, width);
  std::vector<Camera> cameras;
  for (const CameraMount& m : f.mounts)
    cameras.emplace_back(f.drawn, table, m, RenderOptions{v.smooth, v.shadows, v.geometry, v.geometry}, kernel);
  std::vector<double> best(cameras.size(), 1e9);
  const double end = processor_time() + seconds;
  for (std::uint32_t frame = 0; frame < 3 || processor_time() < end; ++frame)
    for (std::size_t i = 0; i < cameras.size(); ++i) {
      const double t = processor_time();
      cameras[i].render(f.poses, 1, frame, room, image);
      best[i] = std::min(best[i], processor_time() - t);
    }
  double sum = 0;
  for (const double t : best) sum += t;
  return static_cast<double>(best.size()) / sum;
}

void rays(const Field& f) {
  std::vector<Vec3> scan, cone, seen;
  for (int i = 0; i < 360; ++i) {
    double s, c;
    sine_cosine((i - 180) * 0.00872664626, s, c);
    scan.push_back({s, 0, c});
  }
  for (int r = 0; r < 4; ++r)
    for (int k = 0; k < (r ? 6 * r : 1); ++k) {
      double s, c, sb, cb;
      sine_cosine(r * 0.1745329, s, c), sine_cosine(6.2831853 * k / (r ? 6 * r : 1), sb, cb);
      cone.push_back({s * cb, s * sb, c});
    }
  for (int i = 0; i < 120; ++i)
    for (int k = 0; k < 8; ++k) {
      const Vec3 d{(i % 20 - 10) * 0.05 + 0.003 * (k % 3), (i / 20) * 0.08 + 0.003 * (k / 3), 1};
      seen.push_back(d * (1 / norm(d)));
    }
  RayCaster caster(f.drawn, 1000);
  const LinkMotion& m = f.poses.links[static_cast<std::size_t>(f.drawn->link_first[3] + f.mounts[3].link)];
  const Pose X = m.X_WL * f.mounts[3].X_LC;
  double best[4] = {1e9, 1e9, 1e9, 1e9};
  const RayFan fans[3] = {RayFan(scan), RayFan(cone), RayFan(seen)};
  for (int round = 0; round < 20; ++round) {
    double t = processor_time();
    for (int i = 0; i < 50; ++i) caster.place(f.poses, X);
    best[0] = std::min(best[0], (processor_time() - t) / 50);
    for (int k = 0; k < 3; ++k) {
      t = processor_time();
      for (int i = 0; i < 50; ++i) caster.cast(fans[k], 20);
      best[1 + k] = std::min(best[1 + k], (processor_time() - t) / 50);
    }
  }
  std::printf(
      "rays: placing %zu shapes %.1f us, scan of 360 rays %.1f us, sonar of 37 rays %.2f us, 120 objects by 8 rays "
      "%.1f us\n",
      f.drawn->shapes.size(), best[0] * 1e6, best[1] * 1e6, best[2] * 1e6, best[3] * 1e6);
}

/// MuJoCo's own renderer on the same shapes without paint, in software where there is no GPU.
void peer(const Field& f, int width, int height, double seconds) {
  for (const bool shadows : {false, true}) {
    const auto view = bench::MujocoView::make(bench::to_mjcf(*f.drawn, f.poses));
    if (view == nullptr || !view->open(width, height, shadows))
      return static_cast<void>(std::printf("MuJoCo's renderer: not installed\n"));
    const CameraSpec c = resolved([&] {
      CameraSpec spec;
      return spec.width = width, spec.height = height, spec;
    }());
    const double vertical = 2 * std::atan(0.5 * height / c.fy);
    std::vector<unsigned char> rgb;
    std::vector<double> best(f.mounts.size(), 1e9);
    const double end = processor_time() + 4 * seconds;
    for (int round = 0; round < 3 || processor_time() < end; ++round)
      for (std::size_t i = 0; i < f.mounts.size(); ++i) {
        const CameraMount& m = f.mounts[i];
        const Pose X =
            f.poses.links[static_cast<std::size_t>(f.drawn->link_first[static_cast<std::size_t>(m.robot)] + m.link)]
                .X_WL *
            m.X_LC;
        const double t = processor_time();
        view->render(X, vertical, rgb);
        best[i] = std::min(best[i], processor_time() - t);
      }
    double sum = 0;
    for (const double t : best) sum += t;
    std::printf("MuJoCo's renderer, %-33s%8.1f\n", shadows ? "shadows" : "no shadows",
                static_cast<double>(best.size()) / sum);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int width = 640, height = 480;
  if (argc > 1) std::sscanf(argv[1], "%dx%d", &width, &height);
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0.5;
  const Field f = load(GRADUS_SOURCE_DIR "/scenes/spl.toml", false);
  std::printf("%d x %d, %zu cameras, %zu shapes, %zu pieces of paint; images a second and core\n%-52s", width, height,
              f.mounts.size(), f.drawn->shapes.size(), f.drawn->paint.size(), "");
  const int lanes = argc > 3 ? std::atoi(argv[3]) : 0, only = argc > 4 ? std::atoi(argv[4]) : -1;
  const auto wanted = [&](const render::RenderKernel& k) { return lanes == 0 || k.lanes == lanes; };
  for (const render::RenderKernel& k : render::kernels())
    if (wanted(k)) std::printf("%8d", k.lanes);
  std::printf("  lanes\n");
  for (const Variant& v : kVariants) {
    if (only >= 0 && &v != kVariants + only) continue;
    std::printf("%-52s", v.name);
    for (const render::RenderKernel& k : render::kernels())
      if (wanted(k)) std::printf("%8.0f", images_per_second(f, v, width, height, k, seconds)), std::fflush(stdout);
    std::printf("\n");
  }
  if (only >= 0 && only < static_cast<int>(std::size(kVariants))) return 0;
  const Field m = load(GRADUS_SOURCE_DIR "/scenes/spl.toml", true);
  std::printf("robots of meshes, %5zu triangles in all: base     ", m.drawn->triangle_count());
  for (const render::RenderKernel& k : render::kernels())
    if (wanted(k))
      std::printf("%8.0f", images_per_second(m, kVariants[1], width, height, k, seconds)), std::fflush(stdout);
  std::printf("\n");
  if (only < 0) rays(f), peer(f, width, height, seconds);
}

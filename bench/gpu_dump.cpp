// gpu_dump FILE STAND|FALL WORLDS: humanoid28 and perturbed starts for bench/gpu_check.cu [gpu_file.h].
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "batch/constants.h"
#include "bench/gpu_file.h"
#include "load/robot_toml.h"

namespace gradus::bench {
namespace {

struct Numbers {  // reproducible, in [−1, 1]
  std::uint32_t s;
  double next() { return ((s = s * 1664525u + 1013904223u) >> 8) * (1.0 / 8388608.0) - 1; }
};

void fill_row(const Model& model, int world, double tumble, float* row) {
  const RobotModel& r = model.robots[0];
  const RowLayout at = make_row_layout(r.kind->njoint(), static_cast<int>(r.kind->points.size()));
  Numbers n{2654435761u * static_cast<std::uint32_t>(world + 1)};
  for (int i = 0; i < 4; ++i) n.next();
  std::vector<double> x(static_cast<std::size_t>(at.size), 0.0);
  const Quat q = normalized(exponential(Vec3{n.next(), n.next(), n.next()} * (0.9 * tumble)) * r.q_WB);
  const Vec3 p = r.p_WB + Vec3{0.1 * n.next(), 0.1 * n.next(), 0.0002 * n.next() + tumble * (0.15 + 0.1 * n.next())};
  set_base_pose(x.data() + at.q, p, q);
  for (int i = 0; i < 6; ++i) x[static_cast<std::size_t>(at.v + i)] = tumble * n.next();
  const double small = 0.005 + 0.1 * tumble;
  for (std::size_t j = 0; j < r.kind->joints.size(); ++j) {
    const double q0 = r.kind->joints[j].initial;
    x[static_cast<std::size_t>(at.q + 7) + j] = q0 + small * n.next();
    x[static_cast<std::size_t>(at.v + 6) + j] = 2 * small * n.next();
    x[static_cast<std::size_t>(at.target) + j] = q0 + small * n.next();
  }
  for (int i = 0; i < at.size; ++i) row[i] = static_cast<float>(x[static_cast<std::size_t>(i)]);
}

int dump(const std::string& path, double tumble, int worlds) {
  SceneSpec scene;
  FieldObjectSpec plane;
  plane.name = "ground";
  plane.shape.kind = ShapeKind::plane;
  scene.field.push_back(plane);
  auto robot = load_robot(std::string(GRADUS_SOURCE_DIR) + "/robots/humanoid28.toml");
  if (!robot) return 1;
  RobotInstanceSpec instance;
  instance.name = "r";
  instance.robot = *robot;
  instance.on_ground = true;
  scene.robots.push_back(instance);
  auto model = compile(scene);
  if (!model) return 1;
  const KindConstants<float> k(*model->robots[0].kind);
  const BatchConstantsT<float> c = k.view(*model);
  GpuFile f;
  f.nlink = c.kind.nlink;
  f.npoint = c.kind.npoint();
  f.branch_count = c.kind.branch_count;
  f.root = static_cast<std::int32_t>(c.kind.root);
  f.worlds = worlds;
  f.row_size = make_row_layout(f.nlink - 1, f.npoint).size;
  f.h = c.h;
  f.gravity = c.gravity;
  f.ground = c.ground;
  f.links = k.links;
  f.points = k.points;
  f.point_begin = k.point_begin;
  f.bound_centre = k.bound_centre;
  f.bound_radius = k.bound_radius;
  f.joints = k.joints;
  f.rows.resize(static_cast<std::size_t>(worlds) * static_cast<std::size_t>(f.row_size));
  for (int w = 0; w < worlds; ++w) fill_row(*model, w, tumble, f.rows.data() + static_cast<std::size_t>(w) * f.row_size);
  return f.save(path) ? 0 : 1;
}

}  // namespace
}  // namespace gradus::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: gpu_dump FILE stand|fall WORLDS\n");
    return 2;
  }
  return gradus::bench::dump(argv[1], std::strcmp(argv[2], "fall") == 0 ? 1 : 0, std::atoi(argv[3]));
}

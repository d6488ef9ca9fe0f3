#include "bench/gpu_dump.h"

#include "batch/constants.h"
#include "load/robot_toml.h"

namespace gradus::bench {
namespace {

Result<Model> standing(const std::string& robot_file) {
  SceneSpec scene;
  FieldObjectSpec plane;
  plane.name = "ground";
  plane.shape.kind = ShapeKind::plane;
  scene.field.push_back(plane);
  auto robot = load_robot(robot_file);
  if (!robot) return robot.notes();
  RobotInstanceSpec instance;
  instance.name = "r";
  instance.robot = *robot;
  instance.on_ground = true;
  scene.robots.push_back(instance);
  return compile(scene);
}

std::vector<float> start_row(const RobotModel& r) {
  const RowLayout at = make_row_layout(r.kind->njoint(), static_cast<int>(r.kind->points.size()));
  std::vector<double> x(static_cast<std::size_t>(at.size), 0.0);
  set_base_pose(x.data() + at.q, r.p_WB, r.q_WB);
  for (std::size_t j = 0; j < r.kind->joints.size(); ++j)
    x[static_cast<std::size_t>(at.q + 7) + j] = x[static_cast<std::size_t>(at.target) + j] = r.kind->joints[j].initial;
  std::vector<float> out;
  for (double y : x) out.push_back(static_cast<float>(y));
  return out;
}

}  // namespace

Result<GpuFile> gpu_file_of(const std::string& robot_file) {
  auto model = standing(robot_file);
  if (!model) return model.notes();
  const KindConstants<float> k(*model->robots[0].kind);
  const BatchConstantsT<float> c = k.view(*model);
  GpuFile f;
  f.nlink = c.kind.nlink;
  f.npoint = c.kind.npoint();
  f.branch_count = c.kind.branch_count;
  f.root = static_cast<int>(c.kind.root);
  f.h = c.h;
  f.gravity = c.gravity;
  f.ground = c.ground;
  f.links = k.links;
  f.points = k.points;
  f.point_begin = k.point_begin;
  f.bound_centre = k.bound_centre;
  f.bound_radius = k.bound_radius;
  f.joints = k.joints;
  f.start = start_row(model->robots[0]);
  return f;
}

}  // namespace gradus::bench

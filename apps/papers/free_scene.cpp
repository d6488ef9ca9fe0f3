#include "papers/free_scene.h"

#include <fmt/format.h>

#include "papers/paper_world.h"

namespace gradus::cli {

void FreeScene::floor(const std::string& material, double pitch) {
  FieldObjectSpec f;
  f.name = "floor";
  f.shape.kind = ShapeKind::plane;
  f.X_WO.R = to_matrix(from_roll_pitch_yaw(0, pitch, 0));
  f.surface.material = material;
  spec.field.push_back(f);
}

/// Bodies of one description share a kind, so the description has a name like a file.
void FreeScene::add(RobotSpec robot, Vec3 at, const std::string& material) {
  robot.objects[0].surface.material = material;
  RobotInstanceSpec r;
  r.name = fmt::format("body{}", spec.robots.size());
  r.robot = std::move(robot);
  r.motion = "free_body";
  r.p_WB = at;
  spec.robots.push_back(std::move(r));
}

void FreeScene::sphere(double mass, double radius, Vec3 at, const std::string& material) {
  RobotBuilder b("sphere");
  b.base("ball").solid_sphere(mass, radius, {0, 0, 0});
  RobotSpec robot = b.spec();
  robot.file = fmt::format("sphere {} {}", mass, radius);
  add(std::move(robot), at, material);
}

void FreeScene::box(double mass, Vec3 size, Vec3 at, const std::string& material) {
  RobotBuilder b("box");
  b.base("box").solid_box(mass, size, {0, 0, 0});
  RobotSpec robot = b.spec();
  robot.file = fmt::format("box {} {} {} {}", mass, size.x, size.y, size.z);
  add(std::move(robot), at, material);
}

std::unique_ptr<World> FreeScene::make() const { return make_world(spec); }

}  // namespace gradus::cli

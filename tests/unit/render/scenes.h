/// Small scenes for the renderer's tests, built without files.
#pragma once
#include <stdexcept>

#include "render/image.h"

namespace gradus {

inline FieldObjectSpec field_object(ShapeKind kind, Vec3 p, const Quat& q, Vec3 size, double radius, double length,
                                    Vec3 colour) {
  FieldObjectSpec f;
  f.name = std::string(to_string(kind));
  f.shape.kind = kind, f.shape.size = size, f.shape.radius = radius, f.shape.length = length;
  f.X_WO = {to_matrix(q), p};
  f.colour = colour;
  return f;
}

/// A ground with lines, one shape of each kind, a ball that is a robot.
inline SceneSpec all_shapes() {
  SceneSpec s;
  s.name = "all shapes";
  const Quat none{1, 0, 0, 0};
  s.field.push_back(field_object(ShapeKind::plane, {0, 0, 0}, none, {0, 0, 0}, 0, 0, {0.15, 0.5, 0.2}));
  s.field.push_back(field_object(ShapeKind::sphere, {2, 0.5, 0.2}, none, {0, 0, 0}, 0.2, 0, {0.9, 0.4, 0.1}));
  s.field.push_back(field_object(ShapeKind::box, {2.2, -0.4, 0.3}, from_roll_pitch_yaw(0.4, 0.3, 0.8), {0.3, 0.4, 0.5},
                                 0, 0, {0.2, 0.3, 0.9}));
  s.field.push_back(field_object(ShapeKind::capsule, {1.6, -0.1, 0.3}, from_roll_pitch_yaw(0.9, 0.2, 0), {0, 0, 0},
                                 0.08, 0.3, {0.9, 0.9, 0.2}));
  s.field.push_back(field_object(ShapeKind::cylinder, {2.6, 1.0, 0.4}, from_roll_pitch_yaw(0.5, -0.4, 0), {0, 0, 0},
                                 0.15, 0.6, {0.8, 0.2, 0.7}));
  s.field.push_back(field_object(ShapeKind::hull, {2.5, -1.0, 0.2}, from_roll_pitch_yaw(0.1, 0.2, 0.3), {0, 0, 0}, 0, 0,
                                 {0.5, 0.8, 0.8}));
  s.field.back().shape.mesh = 0;
  s.meshes.push_back({"", {{-0.2, -0.2, -0.2}, {0.25, -0.2, -0.2}, {0, 0.3, -0.2}, {0, 0, 0.3}, {0.1, 0.1, 0.2}}, {}});
  for (int i = 0; i < 4; ++i) {
    s.field.push_back(field_object(ShapeKind::box, {1.0 + i, 0, 0.001}, from_roll_pitch_yaw(0, 0, 0.3 * i),
                                   {0.05, 3, 0.002}, 0, 0, {0.95, 0.95, 0.95}));
    s.field.back().shape.collides = false;
  }
  s.field.push_back(
      field_object(ShapeKind::cylinder, {3.2, 0.2, 0.001}, none, {0, 0, 0}, 0.3, 0.002, {0.95, 0.95, 0.95}));
  s.field.back().shape.collides = false;
  for (std::size_t i = 0; i < s.field.size(); ++i) s.field[i].name += std::to_string(i);
  RobotInstanceSpec ball;
  ball.name = "ball", ball.motion = "free_body";
  RobotBuilder b("ball");
  b.base("ball").solid_sphere(0.4, 0.1, {0, 0, 0});
  ball.robot = b.spec();
  ball.robot.objects[0].colour = Vec3{0.95, 0.95, 0.95};
  ball.p_WB = {1.3, 0.4, 0.1};
  s.robots.push_back(ball);
  return s;
}

/// A scene, its poses at the start, and images of it.
inline Model compiled(const SceneSpec& spec) {
  Result<Model> m = compile(spec);
  std::string all;
  for (const Diagnostic& d : m.notes()) all += to_string(d) + "\n";
  if (!m) throw std::runtime_error(all);
  return *std::move(m);
}

struct Studio {
  Model model;
  std::shared_ptr<const DrawnScene> drawn;
  Poses poses;
  explicit Studio(const SceneSpec& spec)
      : model(compiled(spec)), drawn(*DrawnScene::make(model)), poses(make_poses(*drawn)) {
    for (std::size_t r = 0; r < model.robots.size(); ++r) {
      LinkMotion& m = poses.links[static_cast<std::size_t>(drawn->link_first[r])];
      m.X_WL = {to_matrix(model.robots[r].q_WB), model.robots[r].p_WB};
    }
  }
};

struct Picture {
  int width, height;
  std::vector<std::uint8_t> rgb, grey, yuyv;
  std::vector<float> depth;
  std::vector<std::uint16_t> segment;
  Picture(int w, int h) : width(w), height(h) {
    const std::size_t n = static_cast<std::size_t>(w) * h;
    rgb.resize(3 * n), grey.resize(n), yuyv.resize(yuyv_row_bytes(w) * h), depth.resize(n), segment.resize(n);
  }
  Image image() { return {rgb.data(), grey.data(), yuyv.data(), depth.data(), segment.data()}; }
  float depth_at(int x, int y) const { return depth[static_cast<std::size_t>(y) * width + x]; }
  int segment_at(int x, int y) const { return segment[static_cast<std::size_t>(y) * width + x]; }
};

inline CameraMount free_mount(Vec3 eye, Vec3 target) { return {"free", -1, 0, look_at(eye, target), {}}; }

inline Picture take(const Studio& s, const CameraSpec& spec, const CameraMount& mount, RenderOptions options = {},
                    std::uint32_t frame = 0, const render::RenderKernel& kernel = render::best_kernel()) {
  options.depth = options.segmentation = true;
  Camera camera(s.drawn, std::make_shared<const LensTable>(spec), mount, options, kernel);
  BandRoom room(*s.drawn, spec.width);
  Picture out(spec.width, spec.height);
  camera.render(s.poses, camera_key(1, mount.robot, mount.name), frame, room, out.image());
  return out;
}

}  // namespace gradus

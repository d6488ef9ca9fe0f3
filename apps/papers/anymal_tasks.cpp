#include "papers/anymal_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/mjcf.h"
#include "bench/mujoco.h"
#include "common/files.h"
#include "load/robot_toml.h"
#include "papers/free_scene.h"
#include "papers/paper_world.h"

namespace gradus::cli {
namespace {

constexpr double kStep = 0.001, kGravity = 9.81;

/// The robot with servos of pure gains: no limits of torque and speed.
std::optional<RobotInstanceSpec> anymal(const std::string& name, double kp, double kd, Vec3 at) {
  auto robot = load_robot(find_shipped("anymal", "robots"), shipped_files());
  if (!robot) return print(robot.notes()), std::nullopt;
  RobotInstanceSpec r;
  r.name = name;
  r.robot = std::move(*robot);
  for (ObjectSpec& o : r.robot.objects)
    if (o.is_joint()) o.servo = ServoSpec{.kp = kp, .kd = kd};
  r.p_WB = at;
  return r;
}

double square(double x) { return x * x; }

}  // namespace

std::optional<double> anymal_energy(double part) {
  SceneSpec scene;
  scene.step = kStep;
  auto robot = anymal("anymal", 0, 0, {0, 0, 2});
  if (!robot) return std::nullopt;
  scene.robots.push_back(std::move(*robot));
  const auto w = make_world(scene);
  if (!w) return std::nullopt;
  const auto lift = std::lround(1 * part / kStep), fall = std::lround(2 * part / kStep);
  w->set_push(0, 0, {0, 0, 2 * kGravity * w->model().robots[0].kind->mass}, {0, 0, 0});
  for (long i = 0; i < lift; ++i) w->step();
  w->set_push(0, -1, {0, 0, 0}, {0, 0, 0});
  const double e0 = w->energy(0);
  double sum = 0;
  for (long i = 0; i < fall; ++i) {
    w->step();
    sum += square(w->energy(0) - e0);
  }
  return sum / static_cast<double>(fall);
}

std::optional<double> anymal_momentum(double part) {
  FreeScene s(kStep);
  s.spec.gravity = {0, 0, 0};
  auto robot = anymal("anymal", 0, 0, {0, 0, 2});
  if (!robot) return std::nullopt;
  s.spec.robots.push_back(std::move(*robot));
  s.sphere(10, 0.2, {0, -5, 2});
  s.last().v_WB = {0, 5, 0};
  const auto w = s.make();
  if (!w) return std::nullopt;
  const auto steps = std::lround(10 * part / kStep);
  double sum = 0;
  for (long i = 0; i < steps; ++i) {
    const Vec3 off = w->momentum(0).l + w->momentum(1).l - Vec3{0, 50, 0};
    sum += dot(off, off);
    w->step();
  }
  return sum / static_cast<double>(steps);
}

std::optional<AnymalStanding> anymal_standing(int steps) {
  constexpr double kLongStep = 0.005;
  constexpr int kBlock = 500;
  AnymalStanding out;
  out.height = 1;
  for (const int side : {1, 3, 5, 10}) {
    SceneSpec scene;
    scene.step = kLongStep;
    FieldObjectSpec ground;
    ground.name = "ground", ground.shape.kind = ShapeKind::plane;
    scene.field.push_back(ground);
    for (int i = 0; i < side * side; ++i) {
      auto robot = anymal(fmt::format("anymal{}", i), 40, 1, {2.0 * (i % side), 2.0 * static_cast<double>(i / side), 0.54});
      if (!robot) return std::nullopt;
      scene.robots.push_back(std::move(*robot));
    }
    const int robots = side * side;
    const auto w = make_world(scene);
    if (!w) return std::nullopt;
    // MuJoCo with what its authors' rivals needed for it to stand: PGS and ten no-slip sweeps. One robot says it all.
    std::unique_ptr<bench::Mujoco> mujoco;
    if (robots == 1 && bench::Mujoco::installed()) {
      const RobotKind& kind = *w->model().robots[0].kind;
      auto made = bench::Mujoco::make(bench::to_mjcf(kind, scene.contact, {.step = kLongStep, .solver = "PGS", .noslip_iterations = 10}));
      if (!made) return print(made.notes()), std::nullopt;
      mujoco = std::move(*made);
      mujoco->q()[2] = 0.54;
      for (int j = 0; j < kind.njoint(); ++j)
        mujoco->q()[static_cast<std::size_t>(7 + j)] = mujoco->ctrl()[static_cast<std::size_t>(j)] = kind.joints[static_cast<std::size_t>(j)].initial;
    }
    const int all = robots == 1 ? steps : std::min(steps, 2000);
    Vec3 settled{0, 0, 0};
    double ours = 0, theirs = 0;
    for (int k = 0; k < all; k += kBlock) {
      if (k <= 2000) settled = base_position(w->q(0).data());
      const double a = thread_time();
      for (int i = 0; i < kBlock; ++i) w->step();
      const double b = thread_time();
      if (mujoco) mujoco->step(kBlock);
      ours += b - a, theirs += thread_time() - b;
    }
    out.rows.push_back({robots, 1e6 * ours / all / robots, mujoco ? 1e6 * theirs / all : 0});
    for (int r = 0; r < robots; ++r) out.height = std::min(out.height, base_position(w->q(r).data()).z);
    if (robots == 1) out.drift = norm(base_position(w->q(0).data()) - settled);
    if (mujoco) out.mujoco_height = mujoco->q()[2];
  }
  return out;
}

}  // namespace gradus::cli

/// Scenes and perturbed starts shared by the tests of batch/.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "batch/lanes/lanes.h"
#include "load/robot_toml.h"
#include "motion/joint_path.h"
#include "world/world.h"

namespace gradus::test {

/// One robot from the repository's robots/, at level `articulated`, standing on a plane (or in the air over none).
inline Model model_of(const std::string& robot_file, bool ground = true, const std::function<void(SceneSpec&)>& edit = {}) {
  SceneSpec scene;
  if (ground) {
    FieldObjectSpec plane;
    plane.name = "ground";
    plane.shape.kind = ShapeKind::plane;
    scene.field.push_back(plane);
  }
  auto robot = load_robot(std::string(GRADUS_SOURCE_DIR) + "/robots/" + robot_file);
  for (const Diagnostic& d : robot.notes()) ADD_FAILURE() << to_string(d);
  RobotInstanceSpec instance;
  instance.name = "r";
  instance.robot = *robot;
  instance.on_ground = ground;
  scene.robots.push_back(instance);
  if (edit) edit(scene);
  auto model = compile(scene);
  for (const Diagnostic& d : model.notes())
    if (d.severity == Severity::error) ADD_FAILURE() << to_string(d);
  return *model;
}

/// Reproducible numbers in [−1, 1].
class Numbers {
 public:
  explicit Numbers(int seed) : s_(2654435761u * static_cast<std::uint32_t>(seed + 1)) {
    for (int i = 0; i < 4; ++i) next();
  }
  double next() {
    s_ = s_ * 1664525u + 1013904223u;
    return (s_ >> 8) * (1.0 / 8388608.0) - 1;
  }

 private:
  std::uint32_t s_;
};

struct Start {
  std::vector<double> q, v, target;
};

/// A start near the model's own: `tumble` 0 stands with small errors, 1 falls in some direction from some height.
inline Start perturbed(const Model& model, int seed, double tumble) {
  const RobotModel& r = model.robots[0];
  const RobotKind& kind = *r.kind;
  Numbers n(seed);
  Start s;
  const Vec3 turn = Vec3{n.next(), n.next(), n.next()} * (0.9 * tumble);
  const Quat q_WB = normalized(exponential(turn) * r.q_WB);
  const Vec3 p = r.p_WB + Vec3{0.1 * n.next(), 0.1 * n.next(), 0.0002 * n.next() + tumble * (0.15 + 0.1 * n.next())};
  s.q = {p.x, p.y, p.z, q_WB.w, q_WB.x, q_WB.y, q_WB.z};
  for (int i = 0; i < 6; ++i) s.v.push_back(tumble * n.next());
  const double small = 0.005 + 0.1 * tumble;
  for (const Joint& j : kind.joints) {
    s.q.push_back(j.initial + small * n.next());
    s.v.push_back(2 * small * n.next());
    s.target.push_back(j.initial + small * n.next());
  }
  if (kind.has_mimics) commit_shared(kind, s.q.data() + 7, s.v.data() + 6);
  // as a float holds them, so that every scalar starts from the same numbers
  for (auto* x : {&s.q, &s.v, &s.target})
    for (double& y : *x) y = static_cast<double>(static_cast<float>(y));
  return s;
}

inline std::unique_ptr<Lanes> lanes_of(const Model& model, int worlds, LaneType type, int threads = 1) {
  Lanes::Options options;
  options.type = type;
  options.threads = threads;
  auto lanes = Lanes::make(model, 0, worlds, options);
  for (const Diagnostic& d : lanes.notes()) ADD_FAILURE() << to_string(d);
  return std::move(*lanes);
}

inline void put(Lanes& lanes, int world, const Start& s) {
  ASSERT_TRUE(lanes.write_pose(world, s.q, s.v));
  ASSERT_TRUE(lanes.write_targets(world, s.target));
}

struct Now {
  std::vector<double> q, v, tau;
  friend bool operator==(const Now&, const Now&) = default;
};
inline Now read(const Lanes& lanes, int world) {
  const RobotKind& kind = lanes.kind();
  Now n{std::vector<double>(static_cast<std::size_t>(kind.nq())),
        std::vector<double>(static_cast<std::size_t>(kind.nv())),
        std::vector<double>(static_cast<std::size_t>(kind.njoint()))};
  EXPECT_TRUE(lanes.read_q(world, n.q) && lanes.read_v(world, n.v) && lanes.read_tau(world, n.tau));
  return n;
}
inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace gradus::test

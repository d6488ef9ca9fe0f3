/// Shipped scenes run by tests, and what is asked of their robots.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "session/attach.h"
#include "load/scene_toml.h"
#include "load/set.h"
#include "world/world.h"

namespace gradus {

inline constexpr double kDegree = 3.14159265358979323846 / 180;

/// A world with the controllers that its scene names.
inline std::unique_ptr<World> make_world(const SceneSpec& scene) {
  auto model = compile(scene);
  EXPECT_TRUE(model);
  if (!model) return nullptr;
  auto made = World::make(std::move(*model));
  EXPECT_TRUE(made);
  if (!made) return nullptr;
  EXPECT_TRUE(attach_controllers(**made));
  return std::move(*made);
}

/// A shipped scene at another step length.
inline std::unique_ptr<World> make_world(const std::string& scene_name, double step,
                                         const std::vector<std::string>& sets = {}) {
  auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/" + scene_name);
  EXPECT_TRUE(scene);
  if (!scene) return nullptr;
  scene->step = step;
  // A minute's walk is longer than the field: only its floor is left, so that nobody runs into a goal.
  std::erase_if(scene->field, [](const FieldObjectSpec& f) { return f.shape.kind != ShapeKind::plane; });
  for (const std::string& s : sets) {
    Diagnostics notes;
    EXPECT_TRUE(apply_set(*scene, s, notes)) << s;
  }
  return make_world(*scene);
}

inline void run_until(World& w, double time) {
  while (w.time() < time - 1e-9) w.step();
}

inline Vec3 position(const World& w, int robot) { return base_position(w.q(robot).data()); }

/// Angle between the robot's axis and the vertical.
inline double tilt(const World& w, int robot) {
  const Mat3 R_WB = to_matrix(base_orientation(w.q(robot).data()));
  return std::acos(std::min(1.0, R_WB.z.z));
}

/// Height of the robot's left side over its right side, −1 … 1.
inline double left_side_up(const World& w, int robot) { return to_matrix(base_orientation(w.q(robot).data())).y.z; }

inline double heading(const World& w, int robot) {
  const Mat3 R_WB = to_matrix(base_orientation(w.q(robot).data()));
  return std::atan2(R_WB.x.y, R_WB.x.x);
}

inline const std::string& name_of(const World& w, int robot) {
  return w.model().robots[static_cast<std::size_t>(robot)].name;
}

}  // namespace gradus

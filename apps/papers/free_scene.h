/// Scenes of free bodies built in code, for the benchmarks of contact.
#pragma once
#include <memory>
#include <string>

#include "world/world.h"

namespace gradus::cli {

/// A scene with a floor at z = 0 (or tilted) and free bodies.
class FreeScene {
 public:
  explicit FreeScene(double step) { spec.step = step; }
  /// Floor of a material ("" for none), tilted about y.
  void floor(const std::string& material = "", double pitch = 0);
  void sphere(double mass, double radius, Vec3 at, const std::string& material = "");
  void box(double mass, Vec3 size, Vec3 at, const std::string& material = "");
  RobotInstanceSpec& last() { return spec.robots.back(); }
  /// Null after errors, which were printed.
  std::unique_ptr<World> make() const;

  SceneSpec spec;

 private:
  void add(RobotSpec robot, Vec3 at, const std::string& material);
};

}  // namespace gradus::cli

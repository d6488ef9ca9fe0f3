/// Rays from sensors into the world as cameras see it [render/cast.h]. Made only if some sensor wants rays; what moves is
/// brought into place only in steps in which one looks.
#pragma once
#include <memory>
#include <span>

#include "render/cast.h"
#include "sense/sense.h"

namespace gradus::sense {

class Rays {
 public:
  static Result<std::unique_ptr<Rays>> make(const Model& model, std::size_t most_rays);
  /// Another state is looked at.
  void begin(const double* state, std::span<const RobotLayout> at);
  /// Along the sensor's fan from its place. The link that carries it is not seen.
  std::span<const RayAnswer> cast(int robot, const Sensor& s, double range);
  /// For sensors that aim: rays start from the sensor's place and end within one of these balls …
  struct Ball {
    Vec3 centre_W;
    double radius;
  };
  void stand(int robot, const Sensor& s, std::span<const Ball> targets);
  /// … along unit vectors in its axes.
  std::span<const RayAnswer> aim(std::span<const Vec3> directions_S, double range);
  /// Of any robot.
  const Pose& X_WL(int robot, int link) {
    bring_into_place();
    return poses_.links[static_cast<std::size_t>(scene_->link_first[static_cast<std::size_t>(robot)] + link)].X_WL;
  }
  /// Is a shape that was hit of this robot, or, if that is negative, of field object −1 − id?
  bool is_of(int shape, int id) const {
    if (shape < 0) return false;
    const DrawnShape& s = scene_->shapes[static_cast<std::size_t>(shape)];
    return id >= 0 ? s.robot == id : s.robot < 0 && s.object == -1 - id;
  }

 private:
  Rays(const Model& model, std::shared_ptr<const DrawnScene> scene, std::size_t most_rays);

  void bring_into_place();
  void stand(int robot, const Sensor& s);
  void add_between(Vec3 eye, int shape, std::span<const Ball> targets);

  const Model& model_;
  std::shared_ptr<const DrawnScene> scene_;
  RayCaster caster_;
  RayFan aimed_;
  PoseMaker maker_;
  Poses poses_;
  std::vector<std::uint8_t> hidden_;
  std::vector<Ball> around_;        // (shapes) spheres around them, world axes
  std::vector<Ball> around_robot_;  // (robots)
  std::vector<int> between_;        // room for those that an aimed ray may meet
  const double* state_ = nullptr;
  std::span<const RobotLayout> at_;
  bool placed_ = false;
};

}  // namespace gradus::sense

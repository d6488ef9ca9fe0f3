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

 private:
  Rays(const Model& model, std::shared_ptr<const DrawnScene> scene, std::size_t most_rays);

  const Model& model_;
  std::shared_ptr<const DrawnScene> scene_;
  RayCaster caster_;
  PoseMaker maker_;
  Poses poses_;
  std::vector<std::uint8_t> hidden_;
  const double* state_ = nullptr;
  std::span<const RobotLayout> at_;
  bool placed_ = false;
};

}  // namespace gradus::sense

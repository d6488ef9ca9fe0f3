/// Rays for sensors that are no cameras: sonar, laser scanners, height scans, "is this object hidden?". The same
/// shapes, the same arithmetic and the same bits as images.
///
///   RayFan fan(directions);                     once: unit vectors in the sensor's frame S
///   RayCaster caster(scene);                    once; then nothing allocates
///   caster.place(poses, X_WS, hidden);          once an instant and sensor
///   for (const RayAnswer& a : caster.cast(fan, range)) …
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "render/kernels.h"
#include "render/place.h"

namespace gradus {

/// Directions of rays from one point, in packets of 16 with a cone around each.
class RayFan {
 public:
  explicit RayFan(std::size_t capacity) { make_room(capacity); }
  explicit RayFan(std::span<const Vec3> directions_S) : RayFan(directions_S.size()) { set(directions_S); }
  /// At most `capacity` unit vectors; rays that are neighbours should look the same way. Allocates nothing.
  void set(std::span<const Vec3> directions_S);
  std::size_t count() const { return count_; }
  std::size_t capacity() const { return x_.size(); }

 private:
  void make_room(std::size_t capacity);
  friend class RayCaster;
  std::vector<float> x_, y_, z_;
  std::vector<render::TileCone> cones_;
  std::size_t count_ = 0;
};

struct RayAnswer {
  float distance;  // along the ray; the range where nothing is hit              [m]
  int shape;       // number in DrawnScene::shapes; kNothing, kGround
  Vec3 normal;     // of the surface, unit, in S, towards the side the ray comes from; of kNothing: not meant
};
inline constexpr int kNothing = -1, kGround = -2;

class RayCaster {
 public:
  /// most_rays: that one fan may hold.
  RayCaster(std::shared_ptr<const DrawnScene> scene, std::size_t most_rays,
            const render::RenderKernel& kernel = render::best_kernel());
  /// Everything into the sensor's axes. hidden: (shapes) 1: rays pass through it; empty: nothing is hidden.
  void place(const Poses& poses, const Pose& X_WS, std::span<const std::uint8_t> hidden = {});
  /// The same with these shapes alone, for rays that cannot meet others.
  void place_few(const Poses& poses, const Pose& X_WS, std::span<const int> shapes) {
    placed_.place_few(*scene_, poses, X_WS, shapes);
  }
  /// Answers in the order of the fan; valid until the next call. ground: does the ground plane count?
  std::span<const RayAnswer> cast(const RayFan& fan, double range, bool ground = true);
  const DrawnScene& scene() const { return *scene_; }

 private:
  std::shared_ptr<const DrawnScene> scene_;
  const render::RenderKernel& kernel_;
  PlacedRoom placed_;
  std::vector<float> distance_, nx_, ny_, nz_;
  std::vector<std::int32_t> shape_, lists_;
  std::vector<RayAnswer> answers_;
};

/// For `hidden`: all shapes of a robot.
std::vector<std::uint8_t> shapes_of_robot(const DrawnScene& scene, int robot);

}  // namespace gradus

/// All shapes of a scene into a camera's axes at one instant: double outside, float inside [flat.h].
#pragma once
#include <span>
#include <vector>

#include "render/drawn.h"
#include "render/flat.h"

namespace gradus {

/// A frame that moves at constant velocity.
struct MovingFrame {
  Pose X_WC;
  Vec3 v, w;  // of its origin, world axes   [m/s, rad/s]
};
/// Where it is dt later: turned by exp(w dt), moved by v dt.
Pose after(const Pose& X, Vec3 v, Vec3 w, double dt);

/// Directions that an eye may look in, in its own axes: within an angle of an axis.
struct ViewCone {
  Vec3 axis{0, 0, 1};
  double cosine = -1, sine = 0;  // of the angle; (−1, 0): everywhere
};

/// Memory of one Placed. Made once for a scene; placing allocates nothing.
class PlacedRoom {
 public:
  explicit PlacedRoom(const DrawnScene& scene);
  PlacedRoom(PlacedRoom&&) = default;  // what placed() points to moves along; a copy would point into the original
  /// Fills everything but blockers. hidden: (shapes) 1: the eye does not see it; empty: it sees all. What the sight
  /// leaves out may still cast shadows.
  void place(const DrawnScene& scene, const Poses& poses, const MovingFrame& eye, double dt,
             std::span<const std::uint8_t> hidden, const ViewCone& sight = {});
  /// Only these shapes, for rays at one instant: nothing casts a shadow.
  void place_few(const DrawnScene& scene, const Poses& poses, const Pose& X_WC, std::span<const int> shapes);
  render::Placed& placed() { return placed_; }
  const render::Placed& placed() const { return placed_; }

 private:
  void place_links(const DrawnScene& scene, const Poses& poses, const Pose& X_CW, double dt);
  void place_shape(const DrawnScene& scene, std::size_t shape, std::size_t link);
  void put_at(std::size_t place, std::size_t shape, Vec3 c, double cc, double r);
  void sort_by_distance();
  void put_seen(const DrawnScene& scene, const Pose& X_CW, std::span<const std::uint8_t> hidden, const ViewCone& sight);
  void place_ground(const DrawnScene& scene, const Pose& X_WC);
  void place_shadows(const DrawnScene& scene);

  std::vector<Pose> X_WL_, X_CL_;  // (links + 1) the last: the world
  std::vector<render::FlatShape> unsorted_, shapes_;
  std::vector<std::int32_t> few_;               // room for place_few
  std::vector<std::int32_t> order_, place_of_;  // order: kept from placing to placing, since little changes
  std::vector<float> cx_, cy_, cz_, cr_, c2_;
  std::vector<float> shade_x_, shade_y_, shade_r_, chunk_x0_, chunk_x1_, chunk_y0_, chunk_y1_;
  std::vector<float> paint_x0_, paint_x1_, paint_y0_, paint_y1_;
  std::vector<int> bead_axis_;     // (shapes) of long ones: along which axis
  std::vector<double> bead_step_;  // (shapes) how far apart   [m]
  std::vector<Vec3> middle_;       // (shapes) of the bounding spheres, world axes
  render::Placed placed_{};
};

/// Which shapes may shade which, for shadows on bodies: the column from a receiver towards the light. Good for `time`
/// to both sides of the poses' instant.
class Blockers {
 public:
  explicit Blockers(const DrawnScene& scene);
  void find(const DrawnScene& scene, const Poses& poses, double time);
  const std::int32_t* first() const { return first_.data(); }
  const std::int32_t* list() const { return list_.data(); }
  std::int64_t dropped() const { return dropped_; }  // did not fit: their shadows on bodies are missing

 private:
  struct Ball {
    Vec3 c;
    double r;
  };
  bool may_shade(const Ball& receiver, const Ball& other, Vec3 to_light) const;
  std::vector<Ball> balls_, chunks_;
  std::vector<std::int32_t> first_, list_;
  std::int64_t dropped_ = 0;
};

}  // namespace gradus

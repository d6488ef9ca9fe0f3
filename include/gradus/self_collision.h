/// Self-collision of a robot as a library call, for controllers and planners of one's own.
///
///   auto check = gradus::SelfCollision::load("messor");
///   std::vector<double> q(check.joints().size());        // joint coordinates, in this order
///   if (check.collides(q)) …
///   const auto pair = check.nearest(q);                  // pair.a, pair.b, pair.distance, pair.point_a, pair.point_b
///
/// Links joined by a joint, and pairs that overlap in the start posture, are left out, as by the simulation itself. Meshes count triangle by triangle,
/// as they are drawn; Meshes::hulls takes their convex hulls, as the simulation does. Primitives are exact. SI units, radians. One object belongs to
/// one thread at a time; nothing is allocated by the questions.
#pragma once
#include <gradus/gradus.h>

namespace gradus {

class SelfCollision {
 public:
  enum class Meshes { triangles, hulls };
  struct Pair {
    std::string a, b;             // bodies; empty: nothing within the limit
    double distance;              // 0: they overlap                                    [m]
    double point_a[3], point_b[3];  // nearest points, in the base's frame                [m]
  };

  /// A robot file (.urdf, .toml) or the name of a robot that comes with gradus. Throws gradus::Error.
  static SelfCollision load(const std::string& robot, Meshes meshes = Meshes::triangles);
  SelfCollision(SelfCollision&&) noexcept;
  SelfCollision& operator=(SelfCollision&&) noexcept;
  ~SelfCollision();

  const std::vector<std::string>& joints() const;
  int pair_count() const;  // that are compared
  /// q: coordinates of all joints. Throws if there are others than joints, or one is not finite.
  bool collides(std::span<const double> q);
  double distance(std::span<const double> q);  // infinity: no pairs
  /// The nearest pair, among those within limit.
  Pair nearest(std::span<const double> q);
  Pair nearest(std::span<const double> q, double limit);

 private:
  struct Impl;
  explicit SelfCollision(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gradus

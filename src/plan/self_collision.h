/// Do parts of a robot touch each other in a posture, and how far apart are they? For planners and controllers, beside the engine and without its state.
///
/// Pairs are those that self-contact of the engine knows: all shapes that collide, without pairs of one link, of links joined by a joint or a loop, and
/// without those that overlap in the start posture. Meshes are taken triangle by triangle, as they are drawn, or as their convex hulls, as the
/// engine takes those of moving bodies. Spheres around the shapes leave most pairs out before any shape is asked.
#pragma once
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"
#include "shape/library.h"
#include "shape/narrow/apart.h"
#include "tree/frames.h"

namespace gradus::plan {

/// The two shapes nearest to each other.
struct NearestPair {
  int a = -1, b = -1;  // objects of the robot's kind; −1: nothing within the limit
  double distance = std::numeric_limits<double>::infinity();  // 0: they overlap                          [m]
  Vec3 p_a{0, 0, 0}, p_b{0, 0, 0};                            // on a and b, in the base's frame         [m]
};

/// One thread's; the answer depends on the question alone.
class SelfCollision {
 public:
  /// Faulty shapes are errors.
  static Result<std::unique_ptr<SelfCollision>> make(std::shared_ptr<const RobotKind> kind, MeshUse meshes = MeshUse::triangles);

  const RobotKind& kind() const { return *kind_; }
  int pair_count() const { return static_cast<int>(pairs_.size()); }
  /// q: (njoint) joint coordinates.
  bool collides(std::span<const double> q);
  /// The nearest pair, if it is within limit.
  NearestPair nearest(std::span<const double> q, double limit = std::numeric_limits<double>::infinity());
  double distance(std::span<const double> q) { return nearest(q).distance; }

 private:
  struct Part {
    Shape shape;
    Pose X_LS;
    int link, object;
    Vec3 centre;  // of a sphere around it, in the link's frame                                    [m]
    double radius;
  };
  struct Pair {
    int a, b;  // parts
  };
  struct Candidate {
    double bound;  // they are at least this far apart                                             [m]
    int pair;
  };
  explicit SelfCollision(std::shared_ptr<const RobotKind> kind);
  void place(std::span<const double> q);
  void find_pairs();
  Pose pose(const Part& part) const { return links_[static_cast<std::size_t>(part.link)] * part.X_LS; }

  std::shared_ptr<const RobotKind> kind_;
  ShapeLibrary library_;
  std::vector<Part> parts_;
  std::vector<Pair> pairs_;
  std::vector<Pose> links_;               // (nlink) in the base's frame, by place
  std::vector<Vec3> centres_;             // (parts) the same
  std::vector<double> coordinates_, rest_;  // (7 + njoint), (6 + njoint)
  std::vector<Frame> frames_;             // (nlink)
  std::vector<Candidate> candidates_;
};

}  // namespace gradus::plan

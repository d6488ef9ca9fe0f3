/// A2 for the objects of the field besides the ground plane: boxes, posts, ramps, hulls, meshes, height fields.
/// Collision detection finds where a robot's shapes meet them; the contacts join the list of its ground points, so
/// motions and law see one kind of static contact, each with its own axes [contact/compliant.h].
///
///   near     boxes of the objects, in a tree, against a sphere around the robot in any posture, then against one
///   around
///            each link
///   contacts at most four for each pair of shapes [docs/collision.md], as far as the link can come in the step:
///            reach = 0.5 mm + h (|v| + |w| radius + h |g|)                                                      (1)
///   touches  if gap + h (n·u + h n·g) < 0: inside after falling freely for one step, as ground points             (2)
///   memory   of the last step: same pair (number of the StaticKind's shape, number of the solid), nearest place on the
///            link within 5 mm
///
/// Robots that share a kind share a StaticKind. Nothing is allocated after build; contacts that do not fit are counted.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "shape/library.h"
#include "shape/trees/tree.h"
#include "state/access.h"

namespace gradus {

/// A static object, ready for collision.
struct StaticSolid {
  Shape shape;
  Pose X_WS;
  Box3 box_W;  // around it; unbounded downwards for terrain and along planes
  int object;  // number in the field
};

/// The solids in a tree of boxes, so that thousands of them cost what a few do; planes and terrain, which are
/// everywhere, in a list.
struct SolidTree {
  Tree tree;              // items: numbers of solids
  std::vector<Box3> box;  // (nodes)
  std::vector<int> everywhere;
  void build(const std::vector<StaticSolid>& solids);
  /// Numbers of the solids whose boxes meet the sphere, ascending, into out[room]; returns how many there are, which
  /// may be more. visited: boxes looked at.
  int find(const std::vector<StaticSolid>& solids, Vec3 centre, double radius, int* out, int room,
           int* visited = nullptr) const;
};

/// Numbers of two surfaces.
struct StaticLaw {
  ContactPoint point;
  double restitution;
};

/// The field as robots of one kind meet it.
struct StaticKind final : GroundSight {
  bool below(Vec3 p_W, double depth, Vec3& at_W, Vec3& normal) const override;
  struct LinkShape {
    Shape shape;
    Pose X_LS;
    int number;                     // among the kind's shapes
    std::vector<StaticLaw> law;     // (solids) numbers of the two surfaces
  };
  const std::vector<StaticSolid>* solids;
  const SolidTree* tree;
  std::vector<LinkShape> shapes;  // those that collide, sorted by link
  std::vector<int> shape_begin;   // (nlink + 1)
  std::vector<Vec3> centre;       // (nlink) of a sphere around the link's shapes, in its frame   [m]
  std::vector<double> radius;     // (nlink) −1: no shapes
  double extent = 0;              // from the root to the farthest point of any shape, in any posture  [m]
};

/// (shapes of a kind) ready for collision; none: does not collide, or is faulty.
using KindShapes = std::vector<std::optional<Shape>>;

class StaticWorld {
 public:
  /// All objects of the field that touch, and the shapes of all kinds of robots, each built once for all who collide
  /// them; everything wrong is reported.
  Diagnostics build(const Model& model);
  /// The same robot with other numbers: shapes as `first` has them, laws of its surfaces as they are now.
  void add_variant(const Model& model, const RobotKind& first, const RobotKind& now);
  void drop_variant(const RobotKind& kind) { kinds_.erase(&kind), shapes_.erase(&kind); }
  /// Null if there is nothing to meet.
  const StaticKind* kind(const RobotKind& kind) const;
  const KindShapes& shapes(const RobotKind& kind) const { return *shapes_.at(&kind); }
  const std::vector<StaticSolid>& solids() const { return solids_; }
  /// A field object by its number; null if it is none of the solids.
  const StaticSolid* find(int object) const;

 private:
  void add_solids(const Model& model, Diagnostics& notes);
  void add_shapes(const RobotKind& kind, Diagnostics& notes);
  void add_kind(const Model& model, const RobotKind& kind);
  void take_laws(const Model& model, const RobotKind& kind, StaticKind& out) const;

  ShapeLibrary library_;
  std::vector<StaticSolid> solids_;
  SolidTree tree_;
  std::map<const RobotKind*, std::shared_ptr<const KindShapes>> shapes_;  // variants of a robot share them
  std::map<const RobotKind*, std::unique_ptr<StaticKind>> kinds_;
};

struct StaticPoints {
  static constexpr Access access{.reads = Field::q | Field::v | Field::frames | Field::memory,
                                 .writes = Field::contacts};
  /// Adds the contacts with static objects to those that GroundPoints found. Call it after that, or with no contacts.
  static void find(View<access> view, double h);
};

}  // namespace gradus

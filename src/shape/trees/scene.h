/// Which bodies may touch: compounds with their trees, a broad phase between compounds, grounds outside the trees.
///
/// A compound is a set of items (shapes on bodies) that share one tree: a robot, a ball, the static field. Grounds are
/// unbounded (planes, height fields); as leaves of a tree they would overlap everything, so each tree is descended
/// against them instead. After `finish` nothing allocates. Pairs come in a fixed order.
///
/// Trees cost more than boxes. Whoever knows a box around a compound cheaply calls `place`, then `find_near`, and
/// updates the trees of those compounds only that come near others; all others are left out of find_pairs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "shape/trees/tree.h"
#include "shape/trees/volume.h"
#include "shape/narrow/collide.h"

namespace gradus {

struct Item {
  Shape shape;
  Pose X_BS = identity_pose();  // shape on its body
  int body = 0;                 // index into the poses given to update
};

struct CompoundSetup {
  std::vector<Item> items;
  Tree tree;                               // over the items
  bool inner = false;                      // look for contacts between its own items
  std::vector<std::pair<int, int>> never;  // items that never touch each other (neighbours in the robot)
  bool is_static = false;                  // static compounds are not tested against each other
  bool meets_world = true;                 // is tested against static compounds and grounds
  int group = -1;                          // compounds of one group are not tested against each other; −1: of none
};

/// Two items that may touch. compound_b < 0: item_b is a ground.
struct ItemPair {
  int compound_a, item_a, compound_b, item_b;
  friend auto operator<=>(const ItemPair&, const ItemPair&) = default;
};

/// Two compounds whose boxes overlap; a < b.
struct CompoundPair {
  int a, b;
  bool roots;  // the roots of their trees do so too
};

struct CollisionCounters {
  std::int64_t volume_tests = 0;  // between bounding volumes, of the last find_pairs
  std::int64_t object_tests = 0;  // pairs of items whose volumes overlap: what the narrow phase is asked
  std::int64_t dropped = 0;       // pairs that did not fit
};

class CollisionScene {
 public:
  explicit CollisionScene(VolumeKind kind) : kind_(kind) {}

  int add(CompoundSetup compound);  // its number
  int add_ground(const Shape& ground, const Pose& X_WG);
  /// Sizes all work space; pair_capacity bounds the result of find_pairs.
  void finish(int pair_capacity);

  /// New poses of a compound's bodies; volumes grow by `reach` (half the distance at which contacts are wanted, plus
  /// motion).
  void update(int compound, std::span<const Pose> X_WB, double reach);
  void set_meets_world(int compound, bool meets) { compounds_[compound].setup.meets_world = meets; }
  /// Only a box around the compound (reach included): its tree is out of date until the next update.
  void place(int compound, const Box3& box);
  /// Compounds whose boxes overlap. Valid until the next find_near.
  std::span<const CompoundPair> find_near();
  /// All pairs whose volumes overlap, sorted; of compounds with trees that are up to date. Boxes are compared anew
  /// unless find_near was called just before.
  std::span<const ItemPair> find_pairs();
  /// What a list of all pairs would test, by the same rules: for comparison.
  std::int64_t naive_tests() const;
  const CollisionCounters& counters() const { return counters_; }

  /// Shapes and poses behind a pair, for collide(a, X_WA, b, X_WB, …).
  const Shape& shape(int compound, int item) const {
    return compound < 0 ? grounds_[item].shape : compounds_[compound].setup.items[item].shape;
  }
  const Pose& pose(int compound, int item) const {
    return compound < 0 ? grounds_[item].X_WG : compounds_[compound].X_WS[item];
  }
  double reach(int compound) const { return compound < 0 ? 0 : compounds_[compound].reach; }

 private:
  struct Compound {
    CompoundSetup setup;
    std::vector<Extent> extent;        // (items)
    std::vector<std::uint8_t> turned;  // (items) X_BS is more than a shift
    std::vector<Pose> X_WS;            // (items) by update
    std::vector<Volume> volume;        // (nodes) by update
    Box3 box = empty_box();            // around the root, by update
    std::vector<std::uint8_t> barred;  // (items²) 1: never touch
    double reach = 0;
    bool current = false;  // tree is up to date
  };
  struct Ground {
    Shape shape;
    Pose X_WG;
  };
  void update_volumes(Compound& c) const;
  void against_grounds(int c);
  void inside(int c);
  void between(const CompoundPair& pair);
  void descend(const Compound& a, int ca, const Compound& b, int cb, int node_a, int node_b, bool known = false);
  bool above(const Ground& g, const Volume& v) const;
  void put(const ItemPair& p);
  bool may_meet(const Compound& a, const Compound& b) const;

  VolumeKind kind_;
  std::vector<Compound> compounds_;
  std::vector<Ground> grounds_;
  std::vector<int> order_;                  // compounds by left end, kept from step to step
  std::vector<std::pair<int, int>> stack_;  // of descents
  std::vector<CompoundPair> near_;
  bool near_current_ = false;
  std::vector<ItemPair> pairs_;
  std::size_t capacity_ = 0;
  CollisionCounters counters_;
};

}  // namespace gradus

/// The bounding-volume trees by which collision finds what may touch, for looking at them: per robot a tree along its
/// chains [collision/bvh/tree.h], axis-aligned boxes around its shapes, as the step builds them.
#pragma once
#include <map>
#include <vector>

#include "shape/trees/scene.h"
#include "shape/library.h"
#include "server/frame.h"
#include "world/world.h"

namespace gradus::cli {

class VolumeTrees {
 public:
  /// Boxes of all robots at their present poses. Trees are built when first asked for.
  void fill(const World& world, std::vector<view::Volume>& volumes);

 private:
  struct KindTree {
    std::vector<Item> items;  // their bodies are links
    Tree tree;
    std::vector<int> depth;  // (nodes)
  };
  const KindTree& tree_of(const RobotKind& kind);

  ShapeLibrary library_;
  std::map<const RobotKind*, KindTree> trees_;
  std::vector<Volume> node_;  // of one robot
};

}  // namespace gradus::cli

/// Binary trees over the bodies of a compound [MuRoSimF 2009, sec. 5.1]. Only leaves hold items; children come after their
/// parents, so that one backward pass refits all volumes.
#pragma once
#include <span>
#include <vector>

#include "shape/geometry.h"

namespace gradus {

struct TreeNode {
  int left = -1, right = -1;  // inner node; −1 for a leaf
  int item = -1;              // leaf
};

struct Tree {
  std::vector<TreeNode> nodes;  // nodes[0] is the root; empty for no items
  int depth = 0;                // longest path from the root, in nodes
};

/// Unstructured compounds: split at the median along the axis in which the centres spread most, down to single items.
Tree build_unstructured(std::span<const Vec3> centres);

/// Structured compounds (robots): objects with parents (parent < child, −1 for the root) and their items. Objects
/// without items become empty nodes; empty nodes with fewer than two successors vanish; items of inner objects move to
/// leaves. Of more than two successors those closest together are joined first, by their centres in some posture.
Tree build_structured(std::span<const int> parent, std::span<const std::vector<int>> items,
                      std::span<const Vec3> centres);

}  // namespace gradus

#include "cli/volume_trees.h"

#include "tree/kernels.h"

namespace gradus::cli {
namespace {

constexpr VolumeKind kKind = VolumeKind::aabb;

std::vector<int> depths(const Tree& tree) {
  std::vector<int> depth(tree.nodes.size(), 0);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)  // children come after their parents
    for (int child : {tree.nodes[n].left, tree.nodes[n].right})
      if (child >= 0) depth[static_cast<std::size_t>(child)] = depth[n] + 1;
  return depth;
}

}  // namespace

const VolumeTrees::KindTree& VolumeTrees::tree_of(const RobotKind& kind) {
  const auto [it, is_new] = trees_.try_emplace(&kind);
  KindTree& t = it->second;
  if (!is_new) return t;
  std::vector<std::vector<int>> on_link(kind.links.size());
  const std::vector<Pose> X = start_poses(kind);
  std::vector<Vec3> centres;
  std::vector<int> parent;
  for (const ShapeInfo& s : kind.shapes) {
    const auto shape = s.spec.collides ? library_.add(s.spec, kind.meshes) : Result<Shape>(Diagnostics{});
    if (!shape) continue;
    Vec3 centre{0, 0, 0};
    double radius = 0;
    bounding_sphere(*shape, centre, radius);
    on_link[static_cast<std::size_t>(s.link)].push_back(static_cast<int>(t.items.size()));
    centres.push_back(X[static_cast<std::size_t>(s.link)] * (s.X_LS * centre));
    t.items.push_back({*shape, s.X_LS, s.link});
  }
  for (const auto& link : kind.links) parent.push_back(link.parent);
  t.tree = build_structured(parent, on_link, centres);
  t.depth = depths(t.tree);
  return t;
}

void VolumeTrees::fill(const World& world, std::vector<view::Volume>& volumes) {
  for (int r = 0; r < world.robot_count(); ++r) {
    const KindTree& t = tree_of(*world.model().robots[static_cast<std::size_t>(r)].kind);
    node_.resize(t.tree.nodes.size());
    for (std::size_t n = node_.size(); n-- > 0;) {
      const TreeNode& node = t.tree.nodes[n];
      if (node.item >= 0) {
        const Item& item = t.items[static_cast<std::size_t>(node.item)];
        node_[n] = volume_of(kKind, extent_of(item.shape), world.X_WL(r, item.body) * item.X_BS, 0);
      } else {
        node_[n] =
            merged(kKind, node_[static_cast<std::size_t>(node.left)], node_[static_cast<std::size_t>(node.right)]);
      }
    }
    for (std::size_t n = 0; n < node_.size(); ++n) volumes.push_back({node_[n].c, node_[n].half, t.depth[n]});
  }
}

}  // namespace gradus::cli

#include "shape/trees/tree.h"

#include <algorithm>
#include <numeric>

#include "shape/trees/volume.h"

namespace gradus {
namespace {

/// Trees under construction; written to the flat form at the end.
struct Branch {
  int left = -1, right = -1, item = -1;
  Volume ball;  // around the centres of its items
};

struct Grower {
  std::span<const Vec3> centres;
  std::vector<Branch> branches;

  int leaf(int item) {
    Volume point;
    point.c = centres[static_cast<std::size_t>(item)];
    branches.push_back({-1, -1, item, point});
    return static_cast<int>(branches.size()) - 1;
  }
  int join(int a, int b) {
    branches.push_back({a, b, -1, ball_around(a, b)});
    return static_cast<int>(branches.size()) - 1;
  }
  Volume ball_around(int a, int b) const {
    return merged(VolumeKind::sphere, branches[static_cast<std::size_t>(a)].ball,
                  branches[static_cast<std::size_t>(b)].ball);
  }
  /// Joins the two that are closest together, again and again: a comb would have nearly the whole in each of its nodes.
  int group(std::vector<int> list) {
    if (list.empty()) return -1;
    while (list.size() > 1) {
      std::size_t first = 0, second = 1;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < list.size(); ++i)
        for (std::size_t k = i + 1; k < list.size(); ++k)
          if (const double r = ball_around(list[i], list[k]).r; r < least) least = r, first = i, second = k;
      list[first] = join(list[first], list[second]);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(second));
    }
    return list[0];
  }
  int split(std::span<int> items) {
    if (items.empty()) return -1;
    if (items.size() == 1) return leaf(items[0]);
    Box3 box = empty_box();
    for (int i : items) include(box, centres[i]);
    const Vec3 s = box.hi - box.lo;
    const int axis = s.x >= s.y && s.x >= s.z ? 0 : s.y >= s.z ? 1 : 2;
    std::sort(items.begin(), items.end(), [&](int a, int b) {
      const double x = component(centres[a], axis), y = component(centres[b], axis);
      return x < y || (x == y && a < b);
    });
    const std::size_t half = items.size() / 2;
    const int left = split(items.subspan(0, half)), right = split(items.subspan(half));
    return join(left, right);
  }
  /// Parents before children.
  Tree flatten(int root) const {
    Tree tree;
    if (root < 0) return tree;
    struct Job {
      int branch, node, depth;
    };
    tree.nodes.resize(1);
    std::vector<Job> jobs{{root, 0, 1}};
    while (!jobs.empty()) {
      const Job j = jobs.back();
      jobs.pop_back();
      tree.depth = std::max(tree.depth, j.depth);
      const Branch& b = branches[j.branch];
      tree.nodes[j.node].item = b.item;
      if (b.item >= 0) continue;
      const int left = static_cast<int>(tree.nodes.size());
      tree.nodes[j.node].left = left, tree.nodes[j.node].right = left + 1;
      tree.nodes.resize(tree.nodes.size() + 2);
      jobs.push_back({b.right, left + 1, j.depth + 1});
      jobs.push_back({b.left, left, j.depth + 1});
    }
    return tree;
  }
};

}  // namespace

Tree build_unstructured(std::span<const Vec3> centres) {
  std::vector<int> items(centres.size());
  std::iota(items.begin(), items.end(), 0);
  Grower g{centres, {}};
  return g.flatten(g.split(items));
}

Tree build_structured(std::span<const int> parent, std::span<const std::vector<int>> items,
                      std::span<const Vec3> centres) {
  Grower g{centres, {}};
  const int n = static_cast<int>(parent.size());
  std::vector<std::vector<int>> parts(n);  // what hangs below each object: its own items first, then its successors
  std::vector<int> whole(n, -1);
  for (int o = n - 1; o >= 0; --o) {
    std::vector<int> own(items[o].begin(), items[o].end());
    std::reverse(parts[o].begin(), parts[o].end());  // children were added last first
    if (const int body = g.split(own); body >= 0) parts[o].insert(parts[o].begin(), body);
    whole[o] = g.group(parts[o]);  // none: the empty node vanishes; one: it is replaced by its successor
    if (whole[o] >= 0 && parent[o] >= 0) parts[parent[o]].push_back(whole[o]);
  }
  return g.flatten(n > 0 ? whole[0] : -1);
}

}  // namespace gradus

#include "shape/trees/scene.h"

#include <algorithm>

#include "shape/height_field.h"

namespace gradus {

int CollisionScene::add(CompoundSetup setup) {
  Compound c;
  const std::size_t n = setup.items.size();
  c.X_WS.resize(n, identity_pose());
  c.volume.resize(setup.tree.nodes.size());
  c.barred.resize(n * n);
  for (const Item& i : setup.items) {
    const Mat3 &R = i.X_BS.R, one = identity3<double>();
    c.extent.push_back(extent_of(i.shape));
    c.turned.push_back(norm(R.x - one.x) + norm(R.y - one.y) + norm(R.z - one.z) > 0);
  }
  for (const auto& [i, j] : setup.never) c.barred[i * n + j] = c.barred[j * n + i] = 1;
  c.setup = std::move(setup);
  compounds_.push_back(std::move(c));
  return static_cast<int>(compounds_.size()) - 1;
}

int CollisionScene::add_ground(const Shape& ground, const Pose& X_WG) {
  grounds_.push_back({ground, X_WG});
  return static_cast<int>(grounds_.size()) - 1;
}

void CollisionScene::finish(int pair_capacity) {
  capacity_ = static_cast<std::size_t>(pair_capacity);
  pairs_.reserve(capacity_);
  near_.reserve(capacity_);
  int deepest = 1;
  for (const Compound& c : compounds_) deepest = std::max(deepest, c.setup.tree.depth);
  stack_.reserve(static_cast<std::size_t>(4 * deepest + 8));  // a descent pops one and pushes two, along two paths
  order_.resize(compounds_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<int>(i);
}

void CollisionScene::update(int compound, std::span<const Pose> X_WB, double reach) {
  Compound& c = compounds_[compound];
  c.reach = reach;
  for (std::size_t i = 0; i < c.setup.items.size(); ++i) {
    const Item& item = c.setup.items[i];
    const Pose& X = X_WB[item.body];
    if (c.turned[i])
      c.X_WS[i] = X * item.X_BS;
    else
      c.X_WS[i] = {X.R, X * item.X_BS.p};
  }
  update_volumes(c);
  if (!c.current && near_current_) {  // placed before: the box that find_near knows stays
    c.current = true;
    return;
  }
  c.box = c.volume.empty() ? empty_box() : box_around(kind_, c.volume[0]);
  c.current = true;
  near_current_ = false;
}

/// From the leaves to the root: children come after their parent.
void CollisionScene::update_volumes(Compound& c) const {
  const std::vector<TreeNode>& nodes = c.setup.tree.nodes;
  for (int k = static_cast<int>(nodes.size()) - 1; k >= 0; --k) {
    const TreeNode& n = nodes[k];
    Volume& v = c.volume[k];
    if (kind_ == VolumeKind::aabb) {
      if (n.item >= 0)
        set_box(c.extent[n.item], c.X_WS[n.item], c.reach, v);
      else
        set_merged_box(c.volume[n.left], c.volume[n.right], v);
    } else {
      v = n.item >= 0 ? volume_of(kind_, c.extent[n.item], c.X_WS[n.item], c.reach)
                      : merged(kind_, c.volume[n.left], c.volume[n.right]);
    }
  }
}

void CollisionScene::place(int compound, const Box3& box) {
  compounds_[compound].box = box;
  compounds_[compound].current = false;
  near_current_ = false;
}

void CollisionScene::put(const ItemPair& p) {
  if (pairs_.size() < capacity_)
    pairs_.push_back(p);
  else
    ++counters_.dropped;
}

std::span<const ItemPair> CollisionScene::find_pairs() {
  if (!near_current_) find_near();
  pairs_.clear();
  for (int c = 0; c < static_cast<int>(compounds_.size()); ++c) {
    const Compound& x = compounds_[c];
    if (!x.current) continue;
    if (!x.setup.is_static && x.setup.meets_world) against_grounds(c);
    if (x.setup.inner) inside(c);
  }
  for (const CompoundPair& p : near_)
    if (compounds_[p.a].current && compounds_[p.b].current) between(p);
  std::sort(pairs_.begin(), pairs_.end());
  near_current_ = false;
  return pairs_;
}

bool CollisionScene::may_meet(const Compound& a, const Compound& b) const {
  if (a.setup.tree.nodes.empty() || b.setup.tree.nodes.empty()) return false;
  if (!a.setup.is_static && !b.setup.is_static) return a.setup.group < 0 || a.setup.group != b.setup.group;
  return a.setup.is_static != b.setup.is_static && (a.setup.is_static ? b : a).setup.meets_world;
}

/// Is the volume clear of the ground?
bool CollisionScene::above(const Ground& g, const Volume& v) const {
  const double low = lowest(kind_, v, g.X_WG.R.z) - dot(g.X_WG.R.z, g.X_WG.p);
  if (g.shape.kind == SolidKind::plane) return low > 0;
  if (low > g.shape.field->highest()) return true;
  const Box3 field = bounds(g.shape);
  return lowest(kind_, v, g.X_WG.R.x) - dot(g.X_WG.R.x, g.X_WG.p) > field.hi.x ||
         lowest(kind_, v, g.X_WG.R.y) - dot(g.X_WG.R.y, g.X_WG.p) > field.hi.y ||
         lowest(kind_, v, -g.X_WG.R.x) + dot(g.X_WG.R.x, g.X_WG.p) > -field.lo.x ||
         lowest(kind_, v, -g.X_WG.R.y) + dot(g.X_WG.R.y, g.X_WG.p) > -field.lo.y;
}

void CollisionScene::against_grounds(int number) {
  const Compound& c = compounds_[number];
  if (c.setup.tree.nodes.empty()) return;
  for (int g = 0; g < static_cast<int>(grounds_.size()); ++g) {
    stack_.assign(1, {0, 0});
    while (!stack_.empty()) {
      const int k = stack_.back().first;
      stack_.pop_back();
      ++counters_.volume_tests;
      if (above(grounds_[g], c.volume[k])) continue;
      const TreeNode& n = c.setup.tree.nodes[k];
      if (n.item >= 0) {
        ++counters_.object_tests;
        put({number, n.item, -1, g});
      } else {
        stack_.push_back({n.right, 0});
        stack_.push_back({n.left, 0});
      }
    }
  }
}

/// Trees against each other: of two overlapping volumes the currently larger one is opened [MuRoSimF 2009, sec. 5.2].
/// known: the first two overlap.
void CollisionScene::descend(const Compound& a, int ca, const Compound& b, int cb, int node_a, int node_b, bool known) {
  const std::size_t base = stack_.size();
  stack_.push_back({node_a, node_b});
  while (stack_.size() > base) {
    const auto [i, j] = stack_.back();
    stack_.pop_back();
    counters_.volume_tests += !known;
    const bool near = known || (kind_ == VolumeKind::aabb ? boxes_overlap(a.volume[i], b.volume[j])
                                                          : overlap(kind_, a.volume[i], b.volume[j]));
    known = false;
    if (!near) continue;
    const TreeNode &na = a.setup.tree.nodes[i], &nb = b.setup.tree.nodes[j];
    if (na.item >= 0 && nb.item >= 0) {
      if (ca == cb && a.barred[na.item * a.setup.items.size() + nb.item]) continue;
      ++counters_.object_tests;
      put(ca == cb && na.item > nb.item ? ItemPair{ca, nb.item, cb, na.item} : ItemPair{ca, na.item, cb, nb.item});
    } else if (nb.item >= 0 || (na.item < 0 && size(kind_, a.volume[i]) >= size(kind_, b.volume[j]))) {
      stack_.push_back({na.right, j});
      stack_.push_back({na.left, j});
    } else {
      stack_.push_back({i, nb.right});
      stack_.push_back({i, nb.left});
    }
  }
}

/// Every inner node's two halves against each other: each pair of leaves meets exactly once, at its lowest common node.
void CollisionScene::inside(int number) {
  const Compound& c = compounds_[number];
  stack_.clear();
  for (const TreeNode& n : c.setup.tree.nodes)
    if (n.item < 0) descend(c, number, c, number, n.left, n.right);
}

void CollisionScene::between(const CompoundPair& p) {
  stack_.clear();
  descend(compounds_[p.a], p.a, compounds_[p.b], p.b, 0, 0, p.roots);
}

/// Boxes that overlap along x, found by sorting left ends (nearly sorted from the last step), then tested in y and z;
/// or the roots themselves, where both trees are up to date.
std::span<const CompoundPair> CollisionScene::find_near() {
  counters_ = {};
  near_.clear();
  near_current_ = true;
  auto before = [&](int i, int j) {
    const double x = compounds_[i].box.lo.x, y = compounds_[j].box.lo.x;
    return x < y || (x == y && i < j);
  };
  for (std::size_t k = 1; k < order_.size(); ++k)
    for (std::size_t m = k; m > 0 && before(order_[m], order_[m - 1]); --m) std::swap(order_[m], order_[m - 1]);
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Compound& a = compounds_[order_[k]];
    for (std::size_t m = k + 1; m < order_.size() && compounds_[order_[m]].box.lo.x <= a.box.hi.x; ++m) {
      const Compound& b = compounds_[order_[m]];
      if (!may_meet(a, b)) continue;
      ++counters_.volume_tests;
      const bool roots = a.current && b.current;
      if (roots ? !overlap(kind_, a.volume[0], b.volume[0]) : !overlap(a.box, b.box)) continue;
      if (near_.size() == capacity_)
        ++counters_.dropped;
      else
        near_.push_back({std::min(order_[k], order_[m]), std::max(order_[k], order_[m]), roots});
    }
  }
  return near_;
}

std::int64_t CollisionScene::naive_tests() const {
  std::int64_t n = 0;
  for (std::size_t i = 0; i < compounds_.size(); ++i) {
    const CompoundSetup& a = compounds_[i].setup;
    const auto na = static_cast<std::int64_t>(a.items.size());
    if (!a.is_static) n += na * static_cast<std::int64_t>(grounds_.size());
    if (a.inner) n += na * (na - 1) / 2 - static_cast<std::int64_t>(a.never.size());
    for (std::size_t j = 0; j < i; ++j)
      if (!(a.is_static && compounds_[j].setup.is_static))
        n += na * static_cast<std::int64_t>(compounds_[j].setup.items.size());
  }
  return n;
}

}  // namespace gradus

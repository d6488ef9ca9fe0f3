/// Trees of compounds: never a missed pair, and the counting experiment of MuRoSimF 2009 rebuilt [facts/legged.md 4.3].
#include <gtest/gtest.h>

#include <set>

#include "shape/trees/scene.h"
#include "shape/library.h"
#include "witness.h"

namespace gradus {
namespace {

using witness::Random;

struct Limb {
  int parent;
  Vec3 at;    // joint in the parent body  [m]
  Vec3 half;  // box of the body           [m]
  Vec3 mid;   // its centre                [m]
};

/// Kid-size humanoid: trunk, head, two arms of three and two legs of six bodies; 55 cm tall.
const std::vector<Limb>& humanoid() {
  static const std::vector<Limb> limbs = [] {
    std::vector<Limb> l{{-1, {0, 0, 0}, {0.04, 0.07, 0.09}, {0, 0, 0.09}},
                        {0, {0, 0, 0.19}, {0.03, 0.03, 0.04}, {0, 0, 0.04}}};
    for (double side : {1.0, -1.0}) {
      const int s = static_cast<int>(l.size());
      l.push_back({0, {0, side * 0.09, 0.16}, {0.02, 0.02, 0.02}, {0, 0, 0}});
      l.push_back({s, {0, side * 0.02, 0}, {0.02, 0.02, 0.05}, {0, 0, -0.06}});
      l.push_back({s + 1, {0, 0, -0.12}, {0.018, 0.018, 0.055}, {0, 0, -0.055}});
    }
    for (double side : {1.0, -1.0}) {
      const int s = static_cast<int>(l.size());
      l.push_back({0, {0, side * 0.04, -0.01}, {0.02, 0.02, 0.015}, {0, 0, 0}});
      l.push_back({s, {0, 0, -0.03}, {0.02, 0.02, 0.015}, {0, 0, 0}});
      l.push_back({s + 1, {0, 0, -0.02}, {0.02, 0.025, 0.05}, {0, 0, -0.05}});
      l.push_back({s + 2, {0, 0, -0.11}, {0.02, 0.025, 0.05}, {0, 0, -0.05}});
      l.push_back({s + 3, {0, 0, -0.11}, {0.02, 0.02, 0.015}, {0, 0, 0}});
      l.push_back({s + 4, {0, 0, -0.02}, {0.06, 0.035, 0.01}, {0.01, 0, -0.02}});
    }
    return l;
  }();
  return limbs;
}

constexpr double kHip = 0.31;  // height of the trunk's frame when it stands

CompoundSetup robot_compound() {
  CompoundSetup c;
  std::vector<int> parent;
  std::vector<std::vector<int>> items;
  std::vector<Vec3> centres, joint;
  for (std::size_t i = 0; i < humanoid().size(); ++i) {
    const Limb& l = humanoid()[i];
    joint.push_back(l.parent < 0 ? Vec3{0, 0, 0} : joint[l.parent] + l.at);
    c.items.push_back({box_shape(l.half), {identity3<double>(), l.mid}, static_cast<int>(i)});
    parent.push_back(l.parent);
    items.push_back({static_cast<int>(i)});
    centres.push_back(joint.back() + l.mid);
    if (l.parent >= 0) c.never.push_back({l.parent, static_cast<int>(i)});
  }
  c.tree = build_structured(parent, items, centres);
  return c;
}

std::vector<Pose> robot_poses(Random& r, Vec3 at, double yaw, double bend) {
  std::vector<Pose> X;
  for (const Limb& l : humanoid()) {
    const Quat q = exponential(r.vector(bend));
    X.push_back(l.parent < 0 ? Pose{to_matrix(exponential(Vec3{0, 0, yaw})), at}
                             : X[l.parent] * Pose{to_matrix(q), l.at});
  }
  return X;
}

std::vector<Vec3> centres_of(const CompoundSetup& c) {
  std::vector<Vec3> p;
  for (const Item& i : c.items) p.push_back(i.X_BS.p);
  return p;
}

/// Floor (as an item of the tree, or none), two goals of two posts and a bar, two beacons of three segments: 12 objects
/// and the floor.
CompoundSetup field_compound(bool with_floor) {
  CompoundSetup c;
  c.is_static = true;
  auto put = [&](const Shape& s, Vec3 at, bool lying = false) {
    const Mat3 R = lying ? Mat3{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}} : identity3<double>();
    c.items.push_back({s, {R, at}, 0});
  };
  if (with_floor) put(box_shape({2.25, 1.5, 0.005}), {0, 0, -0.005});
  for (double x : {-2.25, 2.25}) {
    put(cylinder_shape(0.05, 0.4), {x, 0.75, 0.4});
    put(cylinder_shape(0.05, 0.4), {x, -0.75, 0.4});
    put(cylinder_shape(0.05, 0.75), {x, 0, 0.8}, true);
  }
  for (double y : {-1.5, 1.5})
    for (int k = 0; k < 3; ++k) put(cylinder_shape(0.1, 0.1), {0, y, 0.1 + 0.2 * k});
  c.tree = build_unstructured(centres_of(c));
  return c;
}

CompoundSetup ball_compound() {
  CompoundSetup c;
  c.items.push_back({sphere_shape(0.042), identity_pose(), 0});
  c.tree = build_unstructured(centres_of(c));
  return c;
}

struct Game {
  CollisionScene scene;
  explicit Game(VolumeKind kind, bool floor_in_tree, bool inner = false) : scene(kind) {
    for (int i = 0; i < 2; ++i) {
      CompoundSetup r = robot_compound();
      r.inner = inner;
      scene.add(std::move(r));
    }
    scene.add(field_compound(floor_in_tree));
    scene.add(ball_compound());
    if (!floor_in_tree) scene.add_ground(plane_shape(), identity_pose());
    scene.finish(4096);
    scene.update(2, std::vector<Pose>{identity_pose()}, 0);
  }
  /// Two robots within a metre of the ball.
  void place(Random& r, double bend, double drop) {
    const Vec3 ball{r.in(-1.75, 1.75), r.in(-1.2, 1.2), 0.042};
    scene.update(3, std::vector<Pose>{{identity3<double>(), ball}}, 0);
    Vec3 at[2];
    do {
      for (Vec3& p : at) p = {ball.x + r.in(-1, 1), ball.y + r.in(-1, 1), kHip - drop};
    } while (norm(at[0] - at[1]) < 0.15);
    for (int i = 0; i < 2; ++i) scene.update(i, robot_poses(r, at[i], r.in(-3, 3), bend), 0);
  }
};

struct Mean {
  double volumes = 0, objects = 0;
};
Mean count(VolumeKind kind, bool floor_in_tree) {
  Game game(kind, floor_in_tree);
  Random r(12);
  Mean m;
  const int n = 2000;
  for (int i = 0; i < n; ++i) {
    game.place(r, 0.25, 0);
    game.scene.find_pairs();
    m.volumes += static_cast<double>(game.scene.counters().volume_tests) / n;
    m.objects += static_cast<double>(game.scene.counters().object_tests) / n;
  }
  std::printf("%-6s floor %-7s: %.1f volume tests + %.1f object tests (%.1f %% of %lld)\n", to_string(kind),
              floor_in_tree ? "in tree" : "plane", m.volumes, m.objects,
              100 * (m.volumes + m.objects) / static_cast<double>(game.scene.naive_tests()),
              static_cast<long long>(game.scene.naive_tests()));
  return m;
}

TEST(Counting, TheNaiveListHas973Tests) {
  EXPECT_EQ(humanoid().size(), 20u);
  EXPECT_EQ(Game(VolumeKind::sphere, true).scene.naive_tests(), 973);
  EXPECT_EQ(Game(VolumeKind::sphere, false).scene.naive_tests(), 973);
}

TEST(Counting, SphereTreesBeatThePaper) {
  const Mean tree = count(VolumeKind::sphere, true), plane = count(VolumeKind::sphere, false);
  EXPECT_LE(tree.volumes, 180);
  EXPECT_LE(tree.objects, 50);
  EXPECT_LE(plane.volumes, 150);
  EXPECT_LE(plane.objects, 16);
  for (VolumeKind kind : {VolumeKind::aabb, VolumeKind::obb}) count(kind, true), count(kind, false);
}

class EveryVolume : public testing::TestWithParam<VolumeKind> {};
INSTANTIATE_TEST_SUITE_P(Tree, EveryVolume, testing::Values(VolumeKind::sphere, VolumeKind::aabb, VolumeKind::obb),
                         [](const auto& i) { return to_string(i.param); });

/// Robots that fall over each other and the field; every contact of the naive list must be among the pairs.
TEST_P(EveryVolume, NeverMissesAContactOfTheNaiveList) {
  Game game(GetParam(), false, true);
  const CollisionScene& s = game.scene;
  Random r(13);
  long contacts = 0;
  const int sizes[4] = {20, 20, 12, 1};
  for (int round = 0; round < 150; ++round) {
    game.place(r, 0.8, r.in(0, 0.3));
    const std::span<const ItemPair> found = game.scene.find_pairs();
    EXPECT_EQ(s.counters().dropped, 0);
    const std::set<ItemPair> pairs(found.begin(), found.end());
    ASSERT_EQ(pairs.size(), found.size()) << "a pair came twice";
    auto check = [&](const ItemPair& p) {
      Contact c[kContactMax];
      if (collide(s.shape(p.compound_a, p.item_a), s.pose(p.compound_a, p.item_a), s.shape(p.compound_b, p.item_b),
                  s.pose(p.compound_b, p.item_b), 0, c) == 0)
        return;
      ++contacts;
      ASSERT_TRUE(pairs.count(p)) << p.compound_a << ":" << p.item_a << " " << p.compound_b << ":" << p.item_b;
    };
    for (int a = 0; a < 4; ++a)
      for (int i = 0; i < sizes[a]; ++i) {
        if (a != 2) check({a, i, -1, 0});
        for (int b = a + 1; b < 4; ++b)
          for (int j = 0; j < sizes[b]; ++j) check({a, i, b, j});
        if (a < 2)
          for (int j = i + 1; j < 20; ++j)
            if (humanoid()[j].parent != i) check({a, i, a, j});
      }
  }
  EXPECT_GT(contacts, 1000);
}

TEST_P(EveryVolume, ReachGrowsVolumesSoThatNearPairsAreFound) {
  CollisionScene s(GetParam());
  for (int i = 0; i < 2; ++i) s.add(ball_compound());
  s.finish(8);
  s.update(0, std::vector<Pose>{identity_pose()}, 0.01);
  s.update(1, std::vector<Pose>{{identity3<double>(), {0.1, 0, 0}}}, 0.01);  // 16 mm apart
  EXPECT_EQ(s.find_pairs().size(), 1u);
  s.update(1, std::vector<Pose>{{identity3<double>(), {0.11, 0, 0}}}, 0.01);  // 26 mm apart
  EXPECT_EQ(s.find_pairs().size(), 0u);
}

TEST(Tree, StructuredTreesDropEmptyNodesAndMoveBodiesToLeaves) {
  // body 0 with an empty joint 1 → body 2, and an empty camera 3 that vanishes
  const std::vector<int> parent{-1, 0, 1, 0};
  const std::vector<std::vector<int>> items{{0}, {}, {1}, {}};
  const std::vector<Vec3> centres(2, Vec3{0, 0, 0});
  const Tree t = build_structured(parent, items, centres);
  ASSERT_EQ(t.nodes.size(), 3u);  // an inserted empty root and two leaves
  EXPECT_EQ(t.nodes[t.nodes[0].left].item, 0);
  EXPECT_EQ(t.nodes[t.nodes[0].right].item, 1);
  EXPECT_EQ(t.depth, 2);
}

TEST(Tree, ACapacityTooSmallIsReported) {
  CollisionScene s(VolumeKind::sphere);
  for (int i = 0; i < 3; ++i) s.add(ball_compound());
  s.finish(2);
  for (int i = 0; i < 3; ++i) s.update(i, std::vector<Pose>{identity_pose()}, 0);
  EXPECT_EQ(s.find_pairs().size(), 2u);
  EXPECT_EQ(s.counters().dropped, 1);
}

}  // namespace
}  // namespace gradus

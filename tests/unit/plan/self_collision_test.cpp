/// A robot's own parts: closed forms of distance, pairs left out, and all pairs by hand.
#include <gtest/gtest.h>

#include "load/robot_toml.h"
#include "load/shipped.h"
#include "plan/self_collision.h"
#include "shape/narrow/collide.h"
#include "tree/kernels.h"

namespace gradus::plan {
namespace {

/// A post with two arms that swing about y, each a ball of 5 cm at 30 cm from its hinge; hinges 40 cm apart along x.
std::shared_ptr<const RobotKind> two_balls() {
  RobotBuilder b("two_balls");
  b.fixed().base("post").fork("hinges");
  for (const char* side : {"left", "right"}) {
    b.after("hinges").translation(std::string(side) + "_hinge", {side[0] == 'l' ? -0.2 : 0.2, 0, 0});
    b.revolute(std::string(side) + "_arm", {0, 1, 0}).limits(-4, 4);
    b.translation(std::string(side) + "_ball", {0, 0, 0.3}).solid_sphere(1, 0.05, {0, 0, 0});
  }
  return *compile(b.spec(), ContactSpec{});
}

TEST(SelfCollision, DistanceIsTheClosedForm) {
  const auto kind = two_balls();
  ASSERT_EQ(kind->njoint(), 2);
  const auto check = std::move(*SelfCollision::make(kind));
  EXPECT_EQ(check->pair_count(), 1);
  for (double q : {0.0, 0.2, 0.5, -0.3}) {  // leaning towards each other by q each: centres at ±(0.2 − 0.3 sin q)
    const double postures[2] = {q, -q}, gap = 0.4 - 0.6 * std::sin(q) - 0.1;
    const NearestPair n = check->nearest(postures);
    EXPECT_NEAR(n.distance, gap, 1e-12);
    EXPECT_EQ(kind->objects[static_cast<std::size_t>(n.a)].name, "left_ball");
    EXPECT_NEAR(n.p_a.x, -(0.2 - 0.3 * std::sin(q)) + 0.05, 1e-12);
    EXPECT_NEAR(n.p_a.z, 0.3 * std::cos(q), 1e-12);
    EXPECT_FALSE(check->collides(postures));
  }
  const double touch = std::asin(0.5);  // 0.6 sin q = 0.3
  const double before[2] = {touch - 1e-6, -touch + 1e-6}, after[2] = {touch + 1e-6, -touch - 1e-6};
  EXPECT_FALSE(check->collides(before));
  EXPECT_TRUE(check->collides(after));
  EXPECT_EQ(check->distance(after), 0);
  EXPECT_EQ(check->nearest(before, 1e-9).a, -1);  // nothing so near
}

/// All pairs of Messor by hand: the engine's narrow phase where it touches, the spheres and the order of pairs left out.
TEST(SelfCollision, AgreesWithAllPairsByHand) {
  const auto robot = load_robot(GRADUS_SOURCE_DIR "/robots/messor.urdf", {});
  ASSERT_TRUE(robot);
  const auto kind = *compile(*robot, ContactSpec{});
  const auto check = std::move(*SelfCollision::make(kind));
  EXPECT_GT(check->pair_count(), 150);
  ShapeLibrary library;
  std::vector<Shape> shapes;
  for (const ShapeInfo& s : kind->shapes) shapes.push_back(*library.add(s.spec, kind->meshes));
  const std::vector<Pose> start = start_poses(*kind);
  std::uint64_t seed = 5;
  const auto random = [&] { return static_cast<double>((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 11) * 0x1p-53; };
  int touching = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> q, full(7, 0.0), rest(static_cast<std::size_t>(kind->nv()), 0.0);
    full[3] = 1;
    for (const Joint& j : kind->joints) q.push_back(j.lower + (j.upper - j.lower) * random());
    full.insert(full.end(), q.begin(), q.end());
    std::vector<Frame> frames(static_cast<std::size_t>(kind->nlink()));
    compute_frames(*kind, full.data(), rest.data(), frames.data());
    const auto pose = [&](std::size_t i) {
      const Frame& f = frames[static_cast<std::size_t>(kind->shapes[i].link)];
      return Pose{f.R, f.p} * kind->shapes[i].X_LS;
    };
    const auto start_pose = [&](std::size_t i) { return start[static_cast<std::size_t>(kind->shapes[i].link)] * kind->shapes[i].X_LS; };
    double least = 1e9;
    bool touches = false;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const int a = kind->shapes[i].link, b = kind->shapes[j].link;
        Contact c[kContactMax];
        if (a == b || kind->links[static_cast<std::size_t>(a)].parent == b || kind->links[static_cast<std::size_t>(b)].parent == a) continue;
        if (collide(shapes[i], start_pose(i), shapes[j], start_pose(j), 0, c) > 0) continue;
        const int n = collide(shapes[i], pose(i), shapes[j], pose(j), 10, c);
        for (int k = 0; k < n; ++k) least = std::min(least, c[k].gap);
      }
    touches = least <= 0;
    touching += touches;
    ASSERT_EQ(check->collides(q), touches) << round << ' ' << least;
    const NearestPair n = check->nearest(q);
    ASSERT_NEAR(n.distance, std::max(0.0, least), 1e-9) << round;
  }
  EXPECT_GT(touching, 200);
  EXPECT_LT(touching, 1800);
}

}  // namespace
}  // namespace gradus::plan

/// Robots on generated terrain: they start on it, walk on it, and fall where it has a hole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "load/set.h"
#include "scene/scene_world.h"
#include "session/events.h"

namespace gradus::test {
namespace {

std::string source() { return std::string(GRADUS_SOURCE_DIR) + "/scenes/terrain_test.toml"; }

TEST(GeneratedTerrain, a_quadruped_trots_over_rough_ground) {
  const auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/rough.toml");
  ASSERT_TRUE(scene);
  const auto world = make_world(*scene);
  EventWatch watch(*world);
  std::vector<Event> events;
  for (int i = 0; i < 5000; ++i) {
    world->step();
    watch.look(*world, events);
  }
  for (const Event& e : events) ADD_FAILURE() << e.time << " s: " << e.robot << " " << e.what;
  EXPECT_GT(position(*world, 0).x, 1.5);
  EXPECT_LT(tilt(*world, 0), 30 * kDegree);
}

class Start : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Start, testing::Values("slope", "stairs", "wave", "rough", "discrete"),
                         [](const auto& p) { return std::string(p.param); });

/// How far the ball around a contact point is from the surface, by trying points of it up to its radius away; of a bare
/// point, along z. Negative: inside.
double gap_of(const HeightGrid& map, Vec3 at, double radius) {
  if (!(radius > 0)) return at.z - height_at(map, at.x, at.y);
  double least = 1;
  for (int i = -30; i <= 30; ++i)
    for (int j = -30; j <= 30; ++j) {
      const Vec3 d{radius * i / 30, radius * j / 30, 0};
      const double h = height_at(map, at.x + d.x, at.y + d.y);
      const double away = norm(Vec3{d.x, d.y, at.z - h});
      least = std::min(least, at.z < h ? -away - radius : away - radius);
    }
  return least;
}

/// Away from the flat middle, and scattered: one point touches, none is inside, not even beside a riser.
TEST_P(Start, robots_stand_on_the_ground_and_not_in_it) {
  const auto scene = parse_scene(std::string(R"([field.ground]
shape = { terrain = { kind = ")") + GetParam() + R"(", difficulty = 0.8, size = "5 m", seed = 3 } }
[robot.walker]
model = "robots/quadruped.urdf"
pose = { x = "-1.6 m", y = "-1.6 m", yaw = "20 deg" }
motion = "articulated"
copies = { count = 9, per_row = 3, dx = "1.6 m", dy = "1.6 m" }
scatter = { distance = "20 cm", yaw = "90 deg" }
)",
                                 source());
  ASSERT_TRUE(scene);
  const auto world = make_world(*scene);
  const HeightGrid& map = scene->maps[0].grid;
  double highest = 0;
  for (int r = 0; r < world->robot_count(); ++r) {
    double least = 1;
    for (const ContactPoint& p : world->model().robots[static_cast<std::size_t>(r)].kind->points) {
      const Vec3 at = world->X_WL(r, p.link) * p.p_BC;
      least = std::min(least, gap_of(map, at, p.radius));
      highest = std::max(highest, std::abs(height_at(map, at.x, at.y)));
    }
    EXPECT_GE(least, -1e-9) << r;
    EXPECT_LT(least, 5e-4) << r;
  }
  EXPECT_GT(highest, 0.05) << "the ground is not flat where they stand";
}

/// Over a gap a ball falls without end; beside it, it stays.
TEST(GeneratedTerrain, holes_have_no_bottom) {
  const auto scene = parse_scene(R"([field.ground]
shape = { terrain = { kind = "gaps", difficulty = 1, seed = 3 } }
[robot.lost]
model = "robots/ball.toml"
pose = { x = "72 cm", y = "0.4 m", z = "10 cm" }
motion = "free_body"
[robot.safe]
like = "lost"
pose = { x = "0.3 m", z = "10 cm" }
)",
                                 source());
  ASSERT_TRUE(scene);
  const auto world = make_world(*scene);
  run_until(*world, 1);
  EXPECT_LT(position(*world, 0).z, -2);
  EXPECT_NEAR(position(*world, 1).z, 0.0325, 0.02);
}

/// A ball rolls against the first riser, twice as high as its middle: it comes back, and was never in the wall nor above it.
TEST(GeneratedTerrain, upright_risers_throw_a_ball_back) {
  const auto scene = parse_scene(R"([field.ground]
shape = { terrain = { kind = "stairs", difficulty = 0.5, cell = "2 cm", risers = "vertical" } }
[robot.ball]
model = "robots/ball.toml"
pose = { x = "0.2 m" }
velocity = { x = "0.8 m/s" }
motion = "free_body"
)",
                                 source());
  ASSERT_TRUE(scene);
  const auto world = make_world(*scene);
  const double r = world->model().robots[0].kind->ball_radius(), start = position(*world, 0).z;
  ASSERT_LT(r, 0.09);
  EXPECT_NEAR(start, r, 1e-9);
  double farthest = 0, highest = 0;
  for (int i = 0; i < 2000; ++i) {
    world->step();
    farthest = std::max(farthest, position(*world, 0).x), highest = std::max(highest, position(*world, 0).z);
  }
  EXPECT_NEAR(farthest, 0.5 - r, 2e-3);
  EXPECT_LT(highest, r + 2e-3);
}

TEST(GeneratedTerrain, upright_and_slanted_risers_carry_robots_at_the_same_heights) {
  for (const char* risers : {"vertical", "slanted"}) {
    const auto scene = parse_scene(std::string(R"([field.ground]
shape = { terrain = { kind = "stairs", difficulty = 1, cell = "1 cm", size = ["6 m", "2 m"], risers = ")") + risers + R"(" } }
[robot.low]
model = "robots/ball.toml"
pose = { x = "0.65 m" }
motion = "free_body"
[robot.high]
like = "low"
pose = { x = "1.55 m", y = "0.3 m" }
[robot.down]
like = "low"
pose = { x = "-0.65 m" }
)",
                                   source());
    ASSERT_TRUE(scene);
    const auto world = make_world(*scene);
    for (int i = 0; i < 500; ++i) world->step();
    const double r = world->model().robots[0].kind->ball_radius();
    EXPECT_NEAR(position(*world, 0).z, 0.2 + r, 1e-3) << risers;
    EXPECT_NEAR(position(*world, 1).z, 0.8 + r, 1e-3) << risers;
    EXPECT_NEAR(position(*world, 2).z, -0.2 + r, 1e-3) << risers;
  }
}

/// On a tread of 30 cm with an upright riser before and behind it, at every level.
TEST(GeneratedTerrain, robots_of_every_level_stand_between_upright_risers) {
  for (const char* motion : {"kinematic_walk", "single_body", "prescribed_joints", "articulated"}) {
    const auto scene = parse_scene(std::string(R"([field.ground]
shape = { terrain = { kind = "stairs", difficulty = 0.5, cell = "2 cm", size = ["4 m", "2 m"], risers = "vertical" } }
[robot.walker]
model = "robots/kidsize.toml"
motion = ")") + motion + R"("
pose = { x = "0.65 m" }
[robot.low]
like = "walker"
pose = { x = "0 m" }
)",
                                   source());
    ASSERT_TRUE(scene) << motion;
    const auto world = make_world(*scene);
    EXPECT_NEAR(position(*world, 0).z - position(*world, 1).z, 0.1, 1e-9) << motion;
    for (int i = 0; i < 1000; ++i) world->step();
    EXPECT_NEAR(position(*world, 0).z - position(*world, 1).z, 0.1, 1e-4) << motion;
    EXPECT_NEAR(position(*world, 0).x, 0.65, 0.02) << motion;
    EXPECT_LT(tilt(*world, 0), 5 * kDegree) << motion;
  }
}

/// Two maps of one scene, one of them raised and turned: each robot stands on the one below it.
TEST(GeneratedTerrain, several_maps_lie_side_by_side) {
  const auto scene = parse_scene(R"([field.left]
shape = { terrain = { kind = "stairs", difficulty = 0.5, size = "3 m", risers = "vertical" } }
[field.right]
shape = { terrain = { kind = "stairs", difficulty = 1, size = "3 m", cell = "1 cm" } }
pose = { x = "3 m", z = "40 cm", yaw = "180 deg" }
[robot.one]
model = "robots/ball.toml"
pose = { x = "0.65 m" }
motion = "free_body"
[robot.two]
like = "one"
pose = { x = "3.65 m" }
)",
                                 source());
  ASSERT_TRUE(scene);
  const auto world = make_world(*scene);
  for (int i = 0; i < 500; ++i) world->step();
  const double r = world->model().robots[0].kind->ball_radius();
  EXPECT_NEAR(position(*world, 0).z, 0.1 + r, 1e-3);
  EXPECT_NEAR(position(*world, 1).z, 0.4 - 0.2 + r, 1e-3);  // turned round, the stairs go down towards +x
}

TEST(GeneratedTerrain, difficulty_and_seed_are_set_by_path) {
  auto scene = parse_scene(R"([field.ground]
shape = { terrain = { kind = "rough", difficulty = 0.2, size = "2 m", seed = 3 } }
[robot.ball]
model = "robots/ball.toml"
motion = "free_body"
)",
                           source());
  ASSERT_TRUE(scene);
  Diagnostics faults;
  const auto rms = [&] {
    double sum = 0;
    for (const double z : scene->maps[0].grid.z) sum += z * z;
    return std::sqrt(sum / static_cast<double>(scene->maps[0].grid.z.size()));
  };
  const double before = rms();
  const std::vector<double> first = scene->maps[0].grid.z;
  EXPECT_TRUE(apply_set(*scene, "ground.terrain.difficulty=0.6", faults));
  EXPECT_NEAR(rms(), 3 * before, 1e-9);
  EXPECT_TRUE(apply_set(*scene, "ground.terrain.difficulty=0.2", faults));
  EXPECT_EQ(scene->maps[0].grid.z, first);
  EXPECT_TRUE(apply_set(*scene, "ground.terrain.seed=4", faults));
  EXPECT_NE(scene->maps[0].grid.z, first);
  EXPECT_TRUE(apply_set(*scene, "ground.terrain.size=5.99 m", faults));
  EXPECT_TRUE(apply_set(*scene, "ground.terrain.cell=1 cm", faults));
  EXPECT_EQ(scene->maps[0].grid.nx, 600);
  EXPECT_EQ(scene->maps[0].grid.ny, 600);
  EXPECT_FALSE(apply_set(*scene, "ground.terrain.difficulty=2", faults));
  EXPECT_FALSE(apply_set(*scene, "ground.terrain.dificulty=1", faults));
  EXPECT_FALSE(apply_set(*scene, "ground.terrain.seed=x", faults));
  EXPECT_FALSE(apply_set(*scene, "grund.terrain.seed=4", faults));
  ASSERT_EQ(faults.size(), 4u);
  EXPECT_NE(faults[1].suggestion.find("terrain.difficulty"), std::string::npos) << faults[1].suggestion;
  EXPECT_NE(faults[3].suggestion.find("ground"), std::string::npos) << faults[3].suggestion;
}

}  // namespace
}  // namespace gradus::test

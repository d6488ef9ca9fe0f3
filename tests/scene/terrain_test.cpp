/// Robots on generated terrain: they start on it, walk on it, and fall where it has a hole.
#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace gradus::test

/// The parts of a planned way: stability, the map, costs of footholds, steps and searches.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "load/robot_toml.h"
#include "plan/planner.h"

namespace gradus::plan {
namespace {

TEST(SupportMargin, IsTheDistanceFromTheNearestEdge) {
  const std::vector<Vec3> square{{0, 0, 5}, {2, 0, 1}, {2, 2, 0}, {0, 2, 3}, {1, 1, 0}};  // heights do not matter, nor points inside
  EXPECT_NEAR(support_margin(square, {1, 1, 9}), 1, 1e-15);
  EXPECT_NEAR(support_margin(square, {0.3, 1, 0}), 0.3, 1e-15);
  EXPECT_NEAR(support_margin(square, {2.5, 1, 0}), -0.5, 1e-15);
  const std::vector<Vec3> triangle{{0, 0, 0}, {4, 0, 0}, {0, 3, 0}};
  EXPECT_NEAR(support_margin(triangle, {1, 1, 0}), 1, 1e-15);  // the inscribed circle of 3-4-5
  EXPECT_LT(support_margin(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}}, {0.5, 0, 0}), -1e300);
  EXPECT_LT(support_margin(std::vector<Vec3>{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}, {1, 1, 0}), 0);
}

FieldObjectSpec object(ShapeSpec shape, Vec3 at) {
  FieldObjectSpec out;
  out.name = "object" + std::to_string(static_cast<int>(100 * at.x)) + "_" + std::to_string(static_cast<int>(100 * at.y));
  out.shape = std::move(shape);
  out.X_WO.p = at;
  return out;
}

FieldObjectSpec box(Vec3 at, Vec3 size) {
  ShapeSpec s;
  s.kind = ShapeKind::box, s.size = size;
  return object(s, at);
}

SceneSpec flat() {
  SceneSpec scene;
  ShapeSpec plane;
  plane.kind = ShapeKind::plane;
  scene.field.push_back(object(plane, {0, 0, 0}));
  return scene;
}

TEST(GroundMap, KnowsWhereABallRestsAndWhatIsAround) {
  SceneSpec scene = flat();
  scene.field.push_back(box({1, 0, 0.05}, {0.4, 0.4, 0.1}));  // top at 0.1, from x = 0.8
  const Model model = *compile(scene);
  const GroundMap map(model, {-0.5, 1.5, -0.5, 0.5}, 0.015);
  EXPECT_NEAR(map.rest_at(0, 0), 0.015, 1e-12);
  EXPECT_NEAR(map.rest_at(1, 0), 0.115, 1e-12);
  EXPECT_NEAR(map.rest_at(0.79, 0), 0.1 + std::sqrt(0.015 * 0.015 - 0.01 * 0.01), 1e-9);  // on the edge, 1 cm beside it
  EXPECT_NEAR(map.rest_at(0.77, 0), 0.015, 1e-12);
  EXPECT_TRUE(std::isnan(map.rest_at(5, 0)));
  int i, j;
  ASSERT_TRUE(map.node(0, 0, i, j));
  for (const double f : map.features(i, j)) EXPECT_NEAR(f, 0, 1e-12);
  ASSERT_TRUE(map.node(0.82, 0, i, j));  // 2 cm from the edge: 2 of 7 rows are 0.1 lower, counted from the middle
  const Features& f = map.features(i, j);
  EXPECT_NEAR(f[2], 0, 1e-12);
  EXPECT_NEAR(f[3], 0.1, 1e-12);
  EXPECT_LT(f[4], -0.01);
  EXPECT_GT(f[1], 0.005);
}

TEST(GroundMap, SlopeIsThatOfThePlane) {
  SceneSpec scene;
  HeightMapSpec slope;
  slope.grid = {41, 41, 0.05, 0.05, -1, -1, {}};
  for (int j = 0; j < 41; ++j)
    for (int i = 0; i < 41; ++i) slope.grid.z.push_back(0.3 * (-1 + 0.05 * i) - 0.4 * (-1 + 0.05 * j));
  scene.maps.push_back(slope);
  ShapeSpec s;
  s.kind = ShapeKind::height_field, s.map = 0;
  scene.field.push_back(object(s, {0, 0, 0}));
  const Model model = *compile(scene);
  const GroundMap map(model, {-0.5, 0.5, -0.5, 0.5}, 0.01);
  int i, j;
  ASSERT_TRUE(map.node(0.1, 0.2, i, j));
  const Features& f = map.features(i, j);
  EXPECT_NEAR(f[0], 0.5, 1e-9);  // 0.3, 0.4
  EXPECT_NEAR(f[1], 0, 1e-7);
  EXPECT_NEAR(f[2], 0.03 * 0.7, 1e-9);
  EXPECT_NEAR(f[4], 0, 1e-12);
  EXPECT_TRUE(std::isnan(map.rest_at(-0.5, 0)));  // its surroundings are not known
}

TEST(FootholdCost, LearnsWhereFeetSlip) {
  // slips grow with the slope beyond 0.3, whatever else there is
  std::vector<SlipSample> samples;
  std::uint64_t seed = 3;
  const auto random = [&] { return static_cast<double>((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 11) * 0x1p-53; };
  for (int k = 0; k < 2000; ++k) {
    SlipSample s{{0.8 * random(), 0.01 * random(), 0.02 * random(), 0.02 * random(), 0.01 * random() - 0.005}, 0};
    s.slip = std::max(0.0, s.place[0] - 0.3) * 0.2 + 0.002 * random();
    samples.push_back(s);
  }
  const FootholdCost cost = FootholdCost::learn(samples, 24);
  const auto at = [&](double slope) { return cost({slope, 0.005, 0.01, 0.01, 0}); };
  EXPECT_NEAR(at(0.1), 0.1, 0.4);   // centimetres
  EXPECT_NEAR(at(0.6), 6.1, 1.2);
  EXPECT_GT(at(0.5), at(0.35));
  EXPECT_EQ(FootholdCost::none()({1, 1, 1, 1, 1}), 0);
  EXPECT_GT(FootholdCost::by_hand()({0.5, 0, 0, 0, 0}), FootholdCost::by_hand()({0.1, 0, 0, 0, 0}));
  // the file gives the same numbers
  const std::string file = (std::filesystem::temp_directory_path() / "gradus_footholds_test.json").string();
  std::ofstream(file) << cost.text();
  const auto again = FootholdCost::load(file);
  ASSERT_TRUE(again);
  for (const double slope : {0.0, 0.2, 0.4, 0.7}) EXPECT_EQ((*again)({slope, 0.004, 0.01, 0.02, 0.001}), cost({slope, 0.004, 0.01, 0.02, 0.001}));
  std::ofstream(file) << "{\"footholds\": 1}";
  EXPECT_FALSE(FootholdCost::load(file));
  std::filesystem::remove(file);
  EXPECT_FALSE(FootholdCost::load(file));
}

struct World {
  Model model;
  std::unique_ptr<Walker> walker;
};

std::unique_ptr<World> messor_on(SceneSpec scene, Vec3 goal) {
  auto out = std::make_unique<World>();
  const auto robot = load_robot(GRADUS_SOURCE_DIR "/robots/messor.urdf", {});
  out->model = *compile(scene);
  WalkerSettings s;
  s.gait.height = 0.18;
  auto walker = Walker::make(out->model, *compile(*robot, ContactSpec{}), s, {});
  EXPECT_TRUE(walker);
  out->walker = std::move(*walker);
  out->walker->see(area_between({0, 0, 0}, goal), FootholdCost::by_hand());
  return out;
}

TEST(Walker, StandsLevelOnThePlaneAndAlongASlope) {
  const auto w = messor_on(flat(), {1, 0, 0});
  Stance s;
  ASSERT_TRUE(w->walker->stand({0.3, 0.1, 0.5}, s));
  EXPECT_EQ(s.feet.size(), 6u);
  for (const Vec3& f : s.feet) EXPECT_NEAR(f.z, 0.015, 1e-12);
  EXPECT_NEAR(s.X_WB.p.z, 0.015 + 0.18, 1e-9);
  EXPECT_NEAR(s.X_WB.R.z.z, 1, 1e-12);
  EXPECT_NEAR(s.X_WB.R.x.y, std::sin(0.5), 1e-9);
  EXPECT_EQ(w->walker->group_count(), 2);  // a tripod: legs of one side take turns
  int first = 0;
  for (std::size_t i = 0; i < 6; ++i) first += w->walker->group(i) == 0;
  EXPECT_EQ(first, 3);
}

TEST(Walker, StepsAreRefusedWhereTheRobotCannotGo) {
  const auto w = messor_on(flat(), {1, 0, 0});
  Stance a, b;
  ASSERT_TRUE(w->walker->stand({0, 0, 0}, a));
  ASSERT_TRUE(w->walker->stand({0.08, 0, 0}, b));
  EXPECT_TRUE(w->walker->step(a, b));
  ASSERT_TRUE(w->walker->stand({0.6, 0, 0}, b));
  const auto reach = w->walker->refusals().reach;
  EXPECT_FALSE(w->walker->step(a, b));  // legs are not that long
  EXPECT_EQ(w->walker->refusals().reach, reach + 1);
  // a low bar before it: the body would touch it
  SceneSpec scene = flat();
  scene.field.push_back(box({0.5, 0, 0.2}, {0.1, 0.1, 0.1}));
  const auto barred = messor_on(scene, {1, 0, 0});
  EXPECT_TRUE(barred->walker->stand({0, 0, 0}, a));
  EXPECT_FALSE(barred->walker->stand({0.5, 0, 0}, a));
}

/// A wall between start and goal: around it, by steps that are all sound, the same each time.
TEST(Planner, GoesAroundAWall) {
  SceneSpec scene = flat();
  scene.field.push_back(box({0.8, 0.1, 0.3}, {0.06, 0.7, 0.6}));
  const Vec3 goal{1.7, 0, 0};
  const auto w = messor_on(scene, goal);
  Stance start;
  ASSERT_TRUE(w->walker->stand({0, 0, 0}, start));
  PlanSettings settings;
  settings.seed = 4;
  const Plan plan = make_plan(*w->walker, start, goal, std::nullopt, settings);
  ASSERT_TRUE(plan.found);
  EXPECT_EQ(plan.way.front().place.x, 0);
  EXPECT_EQ(plan.way.back().place.x, 1.7);
  double aside = 0;
  for (std::size_t k = 1; k < plan.way.size(); ++k) {
    const Stance &a = plan.way[k - 1], &b = plan.way[k];
    EXPECT_TRUE(w->walker->step(a, b)) << k;
    EXPECT_LE(std::hypot(a.place.x - b.place.x, a.place.y - b.place.y), settings.stride * (1 + 1e-9));
    aside = std::max(aside, std::fabs(b.place.y));
  }
  EXPECT_GT(aside, 0.4);
  const Plan again = make_plan(*w->walker, start, goal, std::nullopt, settings);
  ASSERT_EQ(again.way.size(), plan.way.size());
  for (std::size_t k = 0; k < plan.way.size(); ++k) EXPECT_EQ(again.way[k].place.y, plan.way[k].place.y);
  EXPECT_EQ(again.tried, plan.tried);
}

TEST(Planner, SaysWhenThereIsNoWay) {
  SceneSpec scene = flat();
  for (const double side : {-1, 1}) {
    scene.field.push_back(box({1.5 + 0.6 * side, 0, 0.3}, {0.05, 1.3, 0.6}));
    scene.field.push_back(box({1.5, 0.6 * side, 0.3}, {1.3, 0.05, 0.6}));
  }
  const Vec3 goal{1.5, 0, 0};
  const auto w = messor_on(scene, goal);
  Stance start;
  ASSERT_TRUE(w->walker->stand({0, 0, 0}, start));
  PlanSettings settings;
  settings.most_steps = 3000;
  const Plan plan = make_plan(*w->walker, start, goal, std::nullopt, settings);
  EXPECT_FALSE(plan.found);
  EXPECT_TRUE(plan.way.empty());
  EXPECT_LE(plan.tried, 3000 + 100);
}

TEST(Planner, TurnsToTheYawAskedFor) {
  const auto w = messor_on(flat(), {0.5, 0, 0});
  Stance start;
  ASSERT_TRUE(w->walker->stand({0, 0, 0}, start));
  const Plan plan = make_plan(*w->walker, start, {0.4, 0, 0}, -1.2, {});
  ASSERT_TRUE(plan.found);
  EXPECT_NEAR(plan.way.back().place.yaw, -1.2, 1e-9);
  EXPECT_GE(plan.way.size(), 7u);  // 0.2 rad a step
}

}  // namespace
}  // namespace gradus::plan

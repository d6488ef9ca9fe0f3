/// Perceived objects, ground truth of others (`sees`), and the ground under a robot's objects [docs/sensors.md].
#include <gtest/gtest.h>

#include <numbers>

#include "load/scene_toml.h"
#include "load/urdf.h"
#include "math/angle.h"
#include "support/robots.h"
#include "world/properties.h"

namespace gradus::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
SensorSetting number(std::string key, std::vector<double> numbers) { return {std::move(key), std::move(numbers), {}, {}, {}}; }
SensorSetting words(std::string key, std::vector<std::string> w) { return {std::move(key), {}, std::move(w), {}, {}}; }

/// A watcher at the origin, 0.5 m high, turned to the left by 90°, that looks along its x axis; a ball, a wall, a player.
struct Scene {
  SceneSpec s = scene(0.001);
  std::unique_ptr<World> world;
  explicit Scene(std::vector<SensorSetting> settings, std::vector<std::string> sees = {"ball"}, bool wall = false) {
    s.gravity = {0, 0, 0};
    add_ground(s);
    RobotSpec eye = solid_box(1, {0.1, 0.1, 0.1});
    settings.push_back(words("sees", std::move(sees)));
    eye.sensors = {SensorSpec{"eyes", "objects", "", identity_pose(), std::move(settings), {}}};
    add(s, eye, "free_body", {0, 0, 0.5}, from_roll_pitch_yaw(0, 0, 90 * kDegree)).name = "watcher";
    add(s, solid_ball(0.1, 0.1), "free_body", {-1, 2, 0.1}).name = "ball";
    if (wall) {
      FieldObjectSpec f;
      f.name = "wall";
      f.shape.kind = ShapeKind::box;
      f.shape.size = {1, 0.02, 2};
      f.X_WO.p = {-0.5, 1, 0};
      s.field.push_back(f);
    }
  }
  World& make() {
    world = make_world(s);
    return *world;
  }
};

TEST(Objects, distance_azimuth_and_elevation_in_the_eyes_axes) {
  Scene c({});
  World& w = c.make();
  const auto x = w.read(0, 0).values;
  ASSERT_EQ(x.size(), 4u);
  // ahead is the world's y, left is −x: the ball is 2 m ahead, 1 m to the left, 0.4 m down
  EXPECT_EQ(x[0], 1);
  EXPECT_NEAR(x[1], std::sqrt(4 + 1 + 0.16), 1e-12);
  EXPECT_NEAR(x[2], std::atan2(1, 2), 1e-12);
  EXPECT_NEAR(x[3], std::atan2(-0.4, std::sqrt(5.0)), 1e-12);
  EXPECT_EQ(w.sensors(0)[0].channels[2], "ball.azimuth");
  const auto p = find_property(w, "watcher.eyes.ball.azimuth");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->get(w), x[2]);
}

TEST(Objects, what_is_out_of_view_or_hidden_is_not_seen_but_the_truth_knows_it) {
  for (const auto& [view, seen] : std::vector<std::pair<double, double>>{{50, 0}, {60, 1}}) {
    Scene c({number("view", {view * kDegree, 120 * kDegree})});
    const sense::Reading r = c.make().read(0, 0);
    EXPECT_EQ(r.values[0], seen) << "the ball is at 26.6° to the left";
    EXPECT_NEAR(r.truth[1], 2.2716, 1e-4);
    EXPECT_EQ(r.values[1] > 0, seen > 0);
  }
  Scene hidden({}, {"ball"}, true);
  EXPECT_EQ(hidden.make().read(0, 0).values[0], 0) << "behind the wall";
  EXPECT_EQ(hidden.world->read(0, 0).truth[0], 0);
  Scene through({number("occlusion", {0})}, {"ball"}, true);
  EXPECT_EQ(through.make().read(0, 0).values[0], 1);
  Scene far({number("far", {2})});
  EXPECT_EQ(far.make().read(0, 0).values[0], 0);
}

TEST(Objects, an_edge_hides_a_share_of_the_ball) {
  Scene c({}, {"ball"}, true);
  c.s.field.back().X_WO.p = {-1.01, 1, 0};  // ends at x = −0.51: the line of sight to the ball's centre passes at −0.5
  const double share = c.make().read(0, 0).truth[0];
  EXPECT_GT(share, 0.4);
  EXPECT_LT(share, 0.7);
}

/// SimSpark's numbers: 0.0965 % of the distance, 0.148° and 0.1225° [facts/soccer3d.md 4].
TEST(Objects, noise_has_the_deviations_that_were_asked_for) {
  Scene c({number("noise.distance", {0.000965}), number("noise.azimuth", {0.148 * kDegree}),
           number("noise.elevation", {0.1225 * kDegree})});
  World& w = c.make();
  const int n = 20000;
  double sum[3] = {}, square[3] = {};
  for (int i = 0; i < n; ++i) {
    w.step();
    const sense::Reading r = w.read(0, 0);
    for (int k = 0; k < 3; ++k) {
      const double e = r.values[static_cast<std::size_t>(k + 1)] - r.truth[static_cast<std::size_t>(k + 1)];
      sum[k] += e, square[k] += e * e;
    }
  }
  const double asked[3] = {0.000965 * 2.27156, 0.148 * kDegree, 0.1225 * kDegree};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(sum[k] / n, 0, 4 * asked[k] / std::sqrt(n)) << k;
    EXPECT_NEAR(std::sqrt(square[k] / n), asked[k], 4 * asked[k] / std::sqrt(2.0 * n)) << k;
  }
}

TEST(Objects, recognition_and_false_alarms_come_as_often_as_asked) {
  Scene c({number("recognised", {0.6}), number("false_alarms", {0.05}), number("view", {60 * kDegree, 60 * kDegree})});
  World& w = c.make();
  int seen = 0, wrong = 0;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    w.step();
    const sense::Reading r = w.read(0, 0);
    if (r.values[0] == 0) continue;
    const bool right = std::fabs(r.values[1] - r.truth[1]) < 1e-9;
    seen += right, wrong += !right;
    EXPECT_LE(std::fabs(r.values[2]), 30 * kDegree);
  }
  const auto near = [&](int count, double p) { EXPECT_NEAR(count, n * p, 4 * std::sqrt(n * p * (1 - p))); };
  near(seen, 0.6);
  near(wrong, 0.4 * 0.05);
}

TEST(Objects, late_and_at_their_rate_like_any_sensor) {
  Scene c({number("rate", {20}), number("delay", {0.03})});
  c.s.robots[1].v_WB = {0, 1, 0};
  World& w = c.make();
  for (int i = 0; i < 200; ++i) w.step();
  const sense::Reading r = w.read(0, 0);  // samples at 0, 50, 100, 150 ms; that of 150 came at 180
  EXPECT_NEAR(r.time, 0.15, 1e-12);
  EXPECT_NEAR(r.values[1], norm(Vec3{1, 2.15, 0.4}), 1e-9);
}

TEST(Objects, parts_of_robots_are_seen_one_by_one) {
  Scene c({words("parts", {"shin"})}, {"leg"});
  RobotSpec leg = fixed_arm();
  leg.objects.back().name = "shin";
  add(c.s, leg, "articulated", {0, 3, 1}).name = "leg";
  World& w = c.make();
  ASSERT_EQ(w.sensors(0)[0].channels.size(), 8u);
  EXPECT_EQ(w.sensors(0)[0].channels[4], "leg.shin.seen");
  const Vec3 d = w.X_WO(2, w.model().robots[2].kind->find_object("shin")).p - Vec3{0, 0, 0.5};
  EXPECT_NEAR(w.read(0, 0).values[5], norm(d), 1e-9);
  EXPECT_NEAR(w.read(0, 0).values[6], std::atan2(-d.x, d.y), 1e-9);
  Scene wrong({words("parts", {"tail"})}, {"leg"});
  add(wrong.s, leg, "articulated", {0, 3, 1}).name = "leg";
  auto model = compile(wrong.s);
  ASSERT_TRUE(model);
  EXPECT_FALSE(World::make(std::move(*model)));
}

/// A line across the view, 2 m ahead: x from −3 to 3.
FieldObjectSpec line_ahead() {
  FieldObjectSpec f;
  f.name = "line";
  f.shape.kind = ShapeKind::box;
  f.shape.size = {6, 0.05, 0.002};
  f.shape.collides = false;
  f.X_WO.p = {0, 2, 0.001};
  return f;
}

TEST(Objects, of_a_line_the_ends_of_what_is_in_view_and_free_are_seen) {
  Scene c({number("view", {90 * kDegree, 90 * kDegree})}, {"lines"});
  c.s.field.push_back(line_ahead());
  World& w = c.make();
  ASSERT_EQ(w.sensors(0)[0].channels[0], "line.a.seen");
  auto x = w.read(0, 0).values;
  // of points every 0.4 m from x = −3 those within 45° of y, −1.8 … 1.8, but for the one under the ball: nine of sixteen
  EXPECT_EQ(x[0], 1);
  EXPECT_NEAR(w.read(0, 0).truth[0], 9.0 / 16, 1e-12);
  EXPECT_NEAR(x[2], std::atan2(1.8, 2.0), 1e-9) << "end a is on the left";
  EXPECT_NEAR(x[6], -std::atan2(1.8, 2.0), 1e-9);
  EXPECT_NEAR(x[1], std::sqrt(1.8 * 1.8 + 4 + 0.498 * 0.498), 1e-9);
  Scene hidden({number("view", {90 * kDegree, 90 * kDegree})}, {"lines"}, true);  // a wall before its left half
  hidden.s.field.push_back(line_ahead());
  World& v = hidden.make();
  EXPECT_NEAR(v.read(0, 0).truth[0], 5.0 / 16, 1e-12);
  EXPECT_NEAR(v.read(0, 0).values[2], -std::atan2(0.2, 2.0), 1e-9) << "what is left begins right of the middle";
}

TEST(Objects, what_is_told_is_rounded) {
  Scene c({number("rounding.distance", {0.01}), number("rounding.angle", {0.01 * kDegree}), number("noise.distance", {0.05})});
  World& w = c.make();
  for (int k = 0; k < 20; ++k) {
    const auto x = w.read(0, 0).values;
    EXPECT_NEAR(x[1] / 0.01, std::round(x[1] / 0.01), 1e-9);
    EXPECT_NEAR(x[2] / (0.01 * kDegree), std::round(x[2] / (0.01 * kDegree)), 1e-6);
    EXPECT_NEAR(x[2], w.read(0, 0).truth[2], 0.005001 * kDegree);
    w.step();
  }
}

TEST(Objects, words_name_teams_opponents_and_goals) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  RobotSpec player = two_legs(1, false);
  player.sensors = {SensorSpec{"mates", "objects", "", identity_pose(), {words("sees", {"team"}), number("ideal", {1})}, {}},
                    SensorSpec{"others", "objects", "", identity_pose(), {words("sees", {"opponents", "ball"}), number("ideal", {1})}, {}}};
  for (const char* name : {"blue1", "blue2", "red1", "red2", "red3"}) add(s, player, "articulated", {1.0 * static_cast<double>(s.robots.size()), 0, 2}).name = name;
  add(s, solid_ball(0.1, 0.1), "free_body", {0, 5, 0.1}).name = "orange";
  const auto w = make_world(s);
  ASSERT_EQ(w->sensors(0)[0].count(), 4);
  EXPECT_EQ(w->sensors(0)[0].channels[0], "blue2.seen");
  EXPECT_EQ(w->sensors(0)[1].count(), 16) << "three and the ball";
  EXPECT_EQ(w->sensors(3)[0].channels[4], "red3.seen");
  EXPECT_EQ(w->sensors(3)[1].count(), 12);
}

TEST(Objects, unknown_things_and_numbers_of_channels_are_refused) {
  Scene c({number("noise", {0.1})}, {"bal"});
  auto model = compile(c.s);
  ASSERT_TRUE(model);
  const auto w = World::make(std::move(*model));
  ASSERT_FALSE(w);
  std::string all;
  for (const Diagnostic& d : w.notes()) all += to_string(d) + "\n";
  EXPECT_NE(all.find("there is no 'bal'"), std::string::npos) << all;
  EXPECT_NE(all.find("did you mean 'ball'"), std::string::npos) << all;
  EXPECT_NE(all.find("has no such number"), std::string::npos) << all;
}

TEST(Sees, a_scene_gives_ground_truth_of_others) {
  auto scene = parse_scene(R"(
[world]
include = ["fields/plane.toml"]
[robot.man]
model = "robots/kidsize.toml"
sees = ["ball"]
[robot.ball]
model = "robots/ball.toml"
motion = "free_body"
pose = { x = "3 m" }
)", GRADUS_SOURCE_DIR "/scenes/sees_test.toml");
  ASSERT_TRUE(scene);
  const auto w = make_world(*scene);
  OutputRoom room;
  const RobotOutput o = w->output(0, room);
  ASSERT_EQ(o.sensors.size(), 1u);
  EXPECT_EQ(o.sensors[0].name, "sees");
  EXPECT_EQ(o.sensors[0].values[0], 1);
  EXPECT_NEAR(o.sensors[0].values[1], 3, 0.1);
  w->step();
  EXPECT_EQ(w->output(0, room).sensors[0].values[1], w->read(0, 0).truth[1]);
}

TEST(GroundUnder, height_and_slope_of_an_inclined_plane) {
  SceneSpec s = scene(0.001);
  const double tilt = 10 * kDegree;
  const Vec3 n{-std::sin(tilt), 0, std::cos(tilt)};
  add_ground(s, n);
  RobotSpec box = solid_box(1, {0.1, 0.1, 0.1});
  box.sensors = {SensorSpec{"floor", "ground", "", identity_pose(), {}, {}}};
  add(s, box, "free_body", {2, 1, 1});
  const auto w = make_world(s);
  const auto x = w->read(0, 0).values;
  EXPECT_NEAR(x[0], 2 * std::tan(tilt), 1e-12);
  EXPECT_NEAR(x[1], n.x, 1e-9);
  EXPECT_NEAR(x[2], 0, 1e-9);
  EXPECT_NEAR(x[3], n.z, 1e-9);
}

TEST(Feet, of_a_urdf_are_found_by_their_names_and_can_be_named) {
  const auto robot = load_urdf(GRADUS_SOURCE_DIR "/robots/quadruped.urdf");
  ASSERT_TRUE(robot);
  EXPECT_EQ(robot->feet.size(), 4u);
  for (const std::string& f : robot->feet) EXPECT_NE(f.find("foot"), std::string::npos) << f;
}

TEST(ArcTangent, agrees_with_the_c_library_everywhere) {
  Random random{3};
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double y = random.in(-1, 1), x = random.in(-1, 1) * (i % 3 == 0 ? 1e-6 : 1);
    worst = std::max(worst, std::fabs(arc_tangent(y, x) - std::atan2(y, x)));
  }
  EXPECT_LT(worst, 1e-15);
  for (const double y : {0.0, 1.0, -1.0, 1e300, 1e-300, 1e-12})
    for (const double x : {0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, 1e-12})
      EXPECT_NEAR(arc_tangent(y, x), std::atan2(y, x), 5e-16) << y << ' ' << x;
  for (const double x : {-1.0, -0.5, 0.0, 0.3, 1.0, 1.5}) {
    EXPECT_NEAR(arc_sine(x), std::asin(std::min(x, 1.0)), 5e-16);
    EXPECT_NEAR(arc_cosine(x), std::acos(std::min(x, 1.0)), 5e-16);
  }
}

}  // namespace
}  // namespace gradus::test

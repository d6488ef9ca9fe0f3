// Gaits: legs reach, the robot goes where it is told, orders of legs, settings by path, robots that cannot.
#include "control/gait/gait.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "load/scene_toml.h"
#include "load/set.h"
#include "load/shipped.h"
#include "load/urdf.h"
#include "session/session.h"

namespace gradus {
namespace {

const std::string kHead = R"(
[world]
step = "1 ms"
include = ["fields/plane.toml"]
)";
std::string messor(const std::string& gait, const std::string& program, const std::string& more = "") {
  return kHead + "[robot.messor]\nmodel = \"robots/messor.urdf\"\nservo = { all = { kp = \"38.6 N m/rad\", kd = \"0.7 N m s/rad\" } }\n" + more +
         "controller = { gait = \"gaits/" + gait + ".toml\", rate = \"100 Hz\", program = [ " + program + " ] }\n";
}

std::unique_ptr<Session> made(const std::string& text, const std::vector<std::string>& sets = {}) {
  auto scene = parse_scene(text, std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", shipped_files());
  EXPECT_TRUE(scene) << (scene ? "" : to_string(scene.notes()[0]));
  if (!scene) return nullptr;
  Diagnostics faults;
  for (const auto& s : sets) EXPECT_TRUE(apply_set(*scene, s, faults)) << s;
  auto session = Session::make(std::move(*scene), {});
  EXPECT_TRUE(session) << (session ? "" : to_string(session.notes()[0]));
  return session ? std::move(*session) : nullptr;
}

struct End {
  double x, y, yaw, tilt;
  bool fell;
};
End run(Session& s, double seconds) {
  double tilt = 0, yaw = 0, before = 0;
  while (s.world().time() < seconds) {
    s.step();
    const Vec3 rpy = to_roll_pitch_yaw(base_orientation(s.world().q(0).data()));
    tilt = std::max(tilt, std::max(std::fabs(rpy.x), std::fabs(rpy.y)));
    yaw += std::remainder(rpy.z - before, 2 * 3.14159265358979), before = rpy.z;
  }
  const Vec3 p = base_position(s.world().q(0).data());
  return {p.x, p.y, yaw, tilt, s.world().fallen(0)};
}

TEST(Gait, legs_reach_every_place_near_their_footholds) {
  for (const char* file : {"robots/messor.urdf", "robots/quadruped.urdf"}) {
    auto robot = load_urdf(std::string(GRADUS_SOURCE_DIR) + "/" + file);
    ASSERT_TRUE(robot);
    SceneSpec scene;
    RobotInstanceSpec r;
    r.name = "r", r.robot = *robot;
    scene.robots.push_back(r);
    const auto model = compile(scene);
    ASSERT_TRUE(model);
    const RobotKind& kind = *model->robots[0].kind;
    ASSERT_GE(kind.feet.size(), 4u) << file;
    for (const int foot : kind.feet) {
      const Leg leg(kind, foot);
      EXPECT_EQ(leg.joints().size(), 3u);
      std::vector<double> q;
      for (const Joint& j : kind.joints) q.push_back(j.initial);
      const std::vector<double> rest = q;
      const Vec3 home = leg.foot(q);
      for (std::uint32_t i = 0; i < 50; ++i) {
        const auto off = [&](std::uint32_t k) { return random_in({1, 0, 0}, i, k, -0.04, 0.04); };
        const Vec3 goal = home + Vec3{off(0), off(1), off(2)};
        EXPECT_LT(leg.reach(goal, q), 1e-5) << file << " foot " << foot;
        EXPECT_LT(norm(leg.foot(q) - goal), 1e-5);
      }
      for (std::size_t j = 0; j < q.size(); ++j)  // joints of other legs stay
        if (std::find(leg.joints().begin(), leg.joints().end(), static_cast<int>(j)) == leg.joints().end()) {
          EXPECT_EQ(q[j], rest[j]);
        }
    }
  }
}

TEST(Gait, messor_walks_as_fast_as_it_is_told_in_every_order) {
  for (const auto& [gait, speed] : {std::pair{"tripod", 0.12}, {"ripple", 0.06}, {"wave", 0.03}}) {
    auto s = made(messor(gait, "{ forward = \"" + std::to_string(speed) + " m/s\" }"));
    ASSERT_TRUE(s);
    const End at_2 = run(*s, 2), end = run(*s, 6);
    EXPECT_FALSE(end.fell) << gait;
    EXPECT_NEAR((end.x - at_2.x) / 4, speed, 0.2 * speed) << gait;
    EXPECT_LT(std::fabs(end.y), 0.1) << gait;
    EXPECT_LT(end.tilt, 0.15) << gait;
  }
}

TEST(Gait, it_turns_left_and_goes_left_where_these_are_positive) {
  auto turning = made(messor("tripod", "{ turn = \"20 deg/s\" }"));
  const End turned = run(*turning, 5);
  EXPECT_NEAR(turned.yaw, 4.3 * 20 * 3.14159 / 180, 0.4);
  auto sideways = made(messor("tripod", "{ side = \"6 cm/s\" }"));
  const End moved = run(*sideways, 5);
  EXPECT_NEAR(moved.y, 4.3 * 0.06, 0.07);
  EXPECT_LT(std::fabs(moved.x), 0.05);
}

TEST(Gait, messor_crosses_rough_ground_without_a_fall) {
  for (const int seed : {2, 11}) {
    auto s = made("[world]\nstep = \"1 ms\"\n[field.ground]\nsurface = { friction = 0.8 }\nshape = { terrain = { kind = \"rough\", difficulty = 0.5, size = [\"6 m\", \"3 m\"], "
                  "cell = \"4 cm\", seed = " + std::to_string(seed) + " } }\n[robot.messor]\nmodel = \"robots/messor.urdf\"\n"
                  "servo = { all = { kp = \"38.6 N m/rad\", kd = \"0.7 N m s/rad\" } }\ncontroller = { gait = \"gaits/tripod_rough.toml\", rate = \"100 Hz\", "
                  "steer = true, program = [ { forward = \"12 cm/s\" } ] }\n");
    ASSERT_TRUE(s);
    const End end = run(*s, 20);
    EXPECT_FALSE(end.fell) << seed;
    EXPECT_GT(end.x, 1.7) << seed;  // of 2.3 m asked; 1.1 m with feet lifted by 4 cm only
    EXPECT_LT(std::fabs(end.yaw), 0.35) << seed;
  }
}

TEST(Gait, a_quadruped_trots) {
  auto s = made(kHead + R"([robot.quadruped]
model = "robots/quadruped.urdf"
servo = { all = { kp = "400 N m/rad", kd = "4 N m s/rad" } }
controller = { gait = "gaits/trot.toml", rate = "200 Hz", program = [ { forward = "25 cm/s" } ] }
)");
  ASSERT_TRUE(s);
  const End at_2 = run(*s, 2), end = run(*s, 6);
  EXPECT_FALSE(end.fell);
  EXPECT_NEAR((end.x - at_2.x) / 4, 0.25, 0.08);
}

TEST(Gait, it_stands_still_after_its_program) {
  auto s = made(messor("tripod", "{ forward = \"12 cm/s\", steps = 4 }"));
  run(*s, 5);
  const Vec3 before = base_position(s->world().q(0).data());
  run(*s, 8);
  const Vec3 after = base_position(s->world().q(0).data());
  EXPECT_LT(norm(after - before), 0.002);
  EXPECT_GT(after.x, 0.15);
}

TEST(Gait, its_numbers_are_set_by_path) {
  auto slow = made(messor("tripod", "{ forward = \"12 cm/s\" }"), {"messor.gait.lift=6 cm", "messor.gait.period=1.4 s"});
  ASSERT_TRUE(slow);
  double highest = 0;
  while (slow->world().time() < 4) {
    slow->step();
    const int foot = slow->world().model().robots[0].kind->find_object("left_front_foot");
    highest = std::max(highest, slow->world().X_WO(0, foot).p.z);
  }
  EXPECT_NEAR(highest, 0.06 + 0.015, 0.012);  // the foot's middle is its radius above its sole
  auto scene = parse_scene(messor("tripod", "{ forward = \"12 cm/s\" }"), std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", shipped_files());
  Diagnostics faults;
  EXPECT_FALSE(apply_set(*scene, "messor.gait.duty=2", faults));
  EXPECT_FALSE(apply_set(*scene, "messor.gait.lfit=2 cm", faults));
}

TEST(Gait, robots_that_cannot_are_refused_with_the_reason) {
  auto scene = parse_scene(kHead + "[robot.h]\nmodel = \"robots/kidsize.toml\"\ncontroller = { gait = \"gaits/tripod.toml\" }\n",
                           std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", shipped_files());
  ASSERT_TRUE(scene) << to_string(scene.notes()[0]);
  const auto session = Session::make(std::move(*scene), {});
  ASSERT_FALSE(session);
  EXPECT_NE(session.notes()[0].text.find("four feet"), std::string::npos);
  EXPECT_FALSE(parse_scene(messor("tirpod", ""), std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", shipped_files()));
}

}  // namespace
}  // namespace gradus

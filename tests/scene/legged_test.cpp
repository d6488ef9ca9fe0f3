// The legged robots that ship: published masses and lengths, mirror images, standing, walking as fast as they are told, springs in series.
#include <gtest/gtest.h>

#include <cmath>

#include "contact/contact_set.h"
#include "load/scene_toml.h"
#include "load/set.h"
#include "load/shipped.h"
#include "session/scene_file.h"
#include "session/session.h"
#include "world/properties.h"

namespace gradus {
namespace {

std::unique_ptr<Session> made(Result<SceneSpec> scene, const std::vector<std::string>& sets = {}) {
  EXPECT_TRUE(scene) << (scene ? "" : to_string(scene.notes()[0]));
  if (!scene) return nullptr;
  Diagnostics faults;
  for (const auto& s : sets) EXPECT_TRUE(apply_set(*scene, s, faults)) << s;
  auto session = Session::make(std::move(*scene), {});
  EXPECT_TRUE(session) << (session ? "" : to_string(session.notes()[0]));
  return session ? std::move(*session) : nullptr;
}

std::unique_ptr<Session> alone(const std::string& robot, const std::string& field, const std::vector<std::string>& sets = {}) {
  return made(parse_scene("[world]\nstep = \"1 ms\"\n" + field + "\n[robot.r]\nmodel = \"robots/" + robot + "\"\n",
                          std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", shipped_files()),
              sets);
}

const std::string kPlane = "include = [\"fields/plane.toml\"]";

void run_until(Session& s, double time) {
  while (s.world().time() < time) s.step();
}

struct Legged {
  const char* name;
  int joints;
  double mass;      // published, or stated in its file                                    [kg]
  double standing;  // height of the base, from lengths and angles of its file             [m]
  double told;      // speed of its scene                                                  [m/s]
};
// Heights: ANYmal (0.25 + 0.31) cos 0.4 + 0.03, less the roll of its hips (0.03 rad turn the feet by 0.1265 m sin 0.03);
// Go1 2 · 0.213 cos 0.9 + 0.023; StarlETH 0.0685 + 0.2 cos 0.6 + 0.21 cos 0.5 + 0.025;
// Messor II −0.12 sin 24° + 0.155 sin 90° + 0.02; the dog 0.01 + 0.07 cos 30° + 0.07 cos 30° + 0.013. Servos give a little.
const Legged kLegged[] = {
    {"anymal", 12, 33.9467, 0.5418, 0.30},  {"go1", 12, 12.743, 0.2878, 0.30},  {"starleth", 12, 26.82, 0.4429, 0.25},
    {"messor2", 18, 2.3, 0.1262, 0.10},     {"dog", 15, 1.6, 0.1442, 0.10},
};

TEST(Legged, robots_have_the_published_masses_and_their_legs_are_mirror_images) {
  for (const Legged& want : kLegged) {
    const auto s = alone(want.name + std::string(".toml"), kPlane);
    ASSERT_TRUE(s) << want.name;
    const World& w = s->world();
    const RobotKind& kind = *w.model().robots[0].kind;
    EXPECT_EQ(kind.njoint(), want.joints) << want.name;
    EXPECT_NEAR(kind.mass, want.mass, 0.001) << want.name;
    EXPECT_NEAR(base_position(w.q(0).data()).z, want.standing, 0.0005) << want.name;
    double left = 0, right = 0;
    Vec3 sum{0, 0, 0};
    for (const std::string& foot : w.spec(0)->feet) {
      const Vec3 p = w.X_WO(0, kind.find_object(foot)).p;
      (p.y > 0 ? left : right) += p.y;
      sum = sum + p;
    }
    EXPECT_EQ(kind.feet.size() % 2, 0u) << want.name;
    EXPECT_GT(left, 0.1) << want.name;
    EXPECT_NEAR(left, -right, 1e-12) << want.name;  // of the feet, and about the same of the masses
    EXPECT_NEAR(w.centre_of_mass(0).y, 0, 0.002) << want.name;
    // the centre of mass is over the middle of the feet: legs hang the right way round
    EXPECT_NEAR(w.centre_of_mass(0).x - sum.x / static_cast<double>(kind.feet.size()), 0, 0.03) << want.name;
  }
}

TEST(Legged, robots_stand_for_5_s_on_their_own_servos) {
  for (const Legged& want : kLegged) {
    const auto s = alone(want.name + std::string(".toml"), kPlane);
    ASSERT_TRUE(s) << want.name;
    const World& w = s->world();
    run_until(*s, 3);  // soft servos creep down for a while
    const Vec3 before = base_position(w.q(0).data());
    run_until(*s, 5);
    const Vec3 after = base_position(w.q(0).data());
    EXPECT_FALSE(w.fallen(0)) << want.name;
    EXPECT_GT(after.z, 0.94 * want.standing) << want.name;
    EXPECT_LT(norm(after - before), 1e-4) << want.name;
    double carried = 0;
    for (const int foot : w.model().robots[0].kind->feet) carried += w.contact_force(0, foot);
    EXPECT_NEAR(carried, want.mass * 9.81, 0.002 * want.mass * 9.81) << want.name << " does not stand on its feet";
  }
}

TEST(Legged, robots_walk_as_fast_as_their_scenes_tell_them) {
  for (const Legged& want : kLegged) {
    const auto s = made(load_scene_or_robot(find_shipped(want.name, "scenes")));
    ASSERT_TRUE(s) << want.name;
    const World& w = s->world();
    run_until(*s, 2);
    const Vec3 before = base_position(w.q(0).data());
    run_until(*s, 6);
    const Vec3 way = base_position(w.q(0).data()) - before;
    EXPECT_FALSE(w.fallen(0)) << want.name;
    EXPECT_NEAR(way.x / 4, want.told, 0.2 * want.told) << want.name;
    EXPECT_LT(std::fabs(way.y), 0.2) << want.name;
  }
}

/// Ten minutes are in docs/legged.md; creep that would make 1 mm of them is 0.025 mm in 15 s.
TEST(Legged, robots_do_not_creep_on_a_slope_of_20_degrees) {
  const std::pair<const char*, const char*> servos[] = {{"anymal", "kp = \"1000 N m/rad\", kd = \"10 N m s/rad\""},
                                                        {"starleth", "controller = { kp = \"700 N m/rad\", kd = \"4 N m s/rad\" }"},
                                                        {"messor2", "controller = { stiffness = 1 }"}};
  for (const auto& [name, servo] : servos) {
    const auto s = made(parse_scene(std::string("[world]\nstep = \"1 ms\"\n[field.ground]\nshape = { terrain = { kind = \"slope\", difficulty = 0.6666667, ") +
                                        "start = \"0 m\", cell = \"5 cm\" } }\n[robot.r]\nmodel = \"robots/" + name +
                                        ".toml\"\npose = { x = \"1.5 m\", pitch = \"-20 deg\" }\nservo = { all = { " + servo + " } }\n",
                                    std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", shipped_files()));
    ASSERT_TRUE(s) << name;
    run_until(*s, 10);
    const World& w = s->world();
    const Vec3 before = base_position(w.q(0).data());
    EXPECT_GT(before.z, 0.6) << name << " is not where it was put";
    run_until(*s, 25);
    EXPECT_LT(norm(base_position(w.q(0).data()) - before), 1e-5) << name;
  }
}

TEST(Legged, margins_are_properties_of_robots_with_feet) {
  const auto s = made(parse_scene("[world]\nstep = \"1 ms\"\n" + kPlane + "\n[robot.r]\nmodel = \"robots/anymal.toml\"\n[robot.ball]\nmodel = \"robots/ball.toml\"\n"
                                  "pose = { x = \"2 m\" }\nmotion = \"free_body\"\n",
                                  std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", shipped_files()));
  ASSERT_TRUE(s);
  run_until(*s, 3);
  const World& w = s->world();
  const RobotKind& kind = *w.model().robots[0].kind;
  const Vec3 c = w.centre_of_mass(0);
  const auto foot = [&](const char* name) { return w.X_WO(0, kind.find_object(name)).p; };
  double least = 1;  // of a quadrangle: the distances from its four sides
  for (const auto& [a, b] : {std::pair{"LF_foot", "LH_foot"}, {"LH_foot", "RH_foot"}, {"RH_foot", "RF_foot"}, {"RF_foot", "LF_foot"}}) {
    const Vec3 p = foot(a), d = foot(b) - p;
    least = std::min(least, (d.x * (c.y - p.y) - d.y * (c.x - p.x)) / std::hypot(d.x, d.y));
  }
  const auto margin = find_property(w, "r.margin"), energy = find_property(w, "r.energy_margin");
  ASSERT_TRUE(margin && energy);
  EXPECT_GT(least, 0.1);
  EXPECT_NEAR(margin->get(w), least, 1e-9);
  const double height = c.z - (foot("LF_foot").z - 0.03);  // above the soles, which sink in
  EXPECT_NEAR(energy->get(w), kind.mass * 9.81 * (std::hypot(least, height) - height), 0.01);
  EXPECT_FALSE(find_property(w, "ball.margin"));
}

TEST(Legged, starleths_springs_bend_by_the_torque_they_carry) {
  const auto s = alone("starleth.toml", kPlane, {"r.all.gear.stiffness=100 N m/rad", "r.all.gear.damping=3 N m s/rad"});
  ASSERT_TRUE(s);
  run_until(*s, 4);
  const World& w = s->world();
  double most = 0;
  for (int j = 0; j < 12; ++j) {
    const double q = w.q(0)[7 + static_cast<std::size_t>(j)], tau = w.tau(0)[static_cast<std::size_t>(j)];
    EXPECT_NEAR(w.motor_angle(0, j) - q, tau / 100, 1e-4) << j;
    most = std::max(most, std::fabs(tau));
  }
  EXPECT_GT(most, 2);  // a knee carries a quarter of 263 N some centimetres beside its axis
}

TEST(Legged, messor2s_servo_has_the_data_sheets_stall_torque_and_speed) {
  // Bolted down and lifted off: nothing but its own inertia works against the joint.
  auto scene = parse_scene("[world]\nstep = \"1 ms\"\ngravity = \"0 m/s^2\"\n[robot.r]\nmodel = \"robots/messor2.toml\"\nbase = \"fixed\"\n",
                           std::string(GRADUS_SOURCE_DIR) + "/scenes/test.toml", shipped_files());
  const auto s = made(std::move(scene));
  ASSERT_TRUE(s);
  const RobotKind& kind = *s->world().model().robots[0].kind;
  const int joint = kind.find_joint("left_front_coxa");
  ASSERT_GE(joint, 0);
  World& w = s->world();
  w.targets(0)[static_cast<std::size_t>(joint)] = 2.5;
  double fastest = 0, strongest = 0;
  for (int i = 0; i < 400; ++i) {
    s->step();
    fastest = std::max(fastest, w.v(0)[6 + static_cast<std::size_t>(joint)]);
    strongest = std::max(strongest, w.tau(0)[static_cast<std::size_t>(joint)]);
  }
  EXPECT_NEAR(fastest, 55 * 2 * 3.14159265 / 60, 0.05 * 5.76);
  EXPECT_LE(strongest, 2.5 + 1e-9);
  EXPECT_GT(strongest, 0.8);  // what the rotor takes does not reach the joint
}

TEST(Legged, messors_friction_slows_the_gait_of_the_robot_as_built) {
  const auto s = made(load_scene_or_robot(find_shipped("messor_built", "scenes")));
  ASSERT_TRUE(s);
  run_until(*s, 6.5);
  const World& w = s->world();
  EXPECT_FALSE(w.fallen(0) || w.fallen(1));
  const double simulated = base_position(w.q(0).data()).x, built = base_position(w.q(1).data()).x;
  EXPECT_GT(simulated, 0.55);
  EXPECT_GT(built, 0.5);
  EXPECT_LT(built, simulated);
}

// A penalty contact is as deep as its load over its stiffness; while it goes in, its damper carries a part.
TEST(Legged, walking_feet_sink_no_deeper_than_their_largest_load_over_the_stiffness) {
  for (const char* name : {"messor", "anymal"}) {
    const auto s = made(load_scene(GRADUS_SOURCE_DIR "/scenes/" + std::string(name) + ".toml", shipped_files()));
    ASSERT_TRUE(s) << name;
    const World& w = s->world();
    const RobotKind& kind = *w.model().robots[0].kind;
    double deepest = 0, load = 0, k = 1e300;
    while (w.time() < 3) {
      s->step();
      w.contacts().on(0, [&](const Touch& t) {
        if (!(t.normal_force > 0)) return;
        deepest = std::max(deepest, -t.point.z), load = std::max(load, t.normal_force);
        k = std::min(k, kind.points[static_cast<std::size_t>(kind.point_begin[static_cast<std::size_t>(t.link)])].k);
      });
    }
    EXPECT_GT(load, 5) << name;
    EXPECT_GT(deepest, 0) << name;
    EXPECT_LE(deepest, load / k) << name;
  }
}

}  // namespace
}  // namespace gradus

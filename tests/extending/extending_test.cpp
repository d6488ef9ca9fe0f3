/// The examples of docs/extending.md do what the page says.
#include <gtest/gtest.h>

#include "contact/contact_set.h"
#include "extending/board.h"
#include "extending/compass.h"
#include "extending/drift.h"
#include "extending/honey.h"
#include "extending/screw.h"
#include "model/check.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

TEST(Extending, a_motion_in_one_file_moves_a_body) {
  const MotionTable table = motion_table<Drift>();
  EXPECT_EQ(table.name, "drift");
  const auto kind = kind_of(solid_box(1, {0.1, 0.1, 0.1}));
  EXPECT_TRUE(table.bind(*kind).missing.empty());
  EXPECT_FALSE(table.bind(*kind_of(humanoid28())).missing.empty());
  // one robot by hand: the layout that an engine would give it, one step of 10 ms
  RobotLayout at{};
  at.q = 0, at.v = 7, at.r = 13, at.impedance = -1;
  std::vector<double> now(19, 0.0), next(19, 0.0);
  now[3] = 1, now[10] = 2;  // upright, 2 m/s along x
  RobotScratch scratch;
  scratch.frames.resize(1);
  Block block(block_size(1, 0, 0));
  use_block(scratch, block, 0, 0);
  Plane ground;
  const RobotContext c{kind.get(), &ground, {0, 0, -9.81}, 0, now.data(), next.data(), nullptr, at, &scratch};
  table.predict(c, 0.01);
  table.commit(c, 0.01);
  EXPECT_DOUBLE_EQ(next[0], 0.02);
  EXPECT_DOUBLE_EQ(next[2], 0.0) << "does not fall";
  EXPECT_DOUBLE_EQ(next[10], 2.0);
}

/// A nut of mass m falls on its screw as if it had m + I (dφ/dz)²:   a = g/(1 + I/(m rise²)).
TEST(Extending, a_type_of_joint_in_one_file_lets_a_nut_fall) {
  static constexpr JointType screw = joint_type<Screw>();
  constexpr double m = 0.3, I = 2e-6, h = 0.001;
  RobotBuilder b("jack");
  b.fixed().base("spindle").joint("nut", screw).mass(m, {0, 0, 0}, {1e-6, 0, 0, 1e-6, 0, I});
  b.endpoint("mark");
  SceneSpec s = scene(h);
  add(s, b.spec(), "articulated", {0, 0, 1});
  const auto world = make_world(s);
  run(*world, 0.1);
  const double a = 9.81 / (1 + I / (m * Screw::rise * Screw::rise)), t = world->time();
  EXPECT_NEAR(world->v(0)[6] * Screw::rise, -a * t, 1e-9);
  const Pose nut = world->X_WO(0, world->model().robots[0].kind->find_object("nut"));
  EXPECT_NEAR(nut.p.z - 1, -0.5 * a * t * t, 1e-9);
  EXPECT_NEAR(nut.R.x.y, std::sin(-0.5 * a * t * t / Screw::rise), 1e-6);
  EXPECT_EQ(world->model().robots[0].kind->objects[1].name, "nut_turn");
}

/// A plate of mass m on four corners of drag d_t each: v⁺ = v/(1 + 4 h d_t/m), while the floor carries its weight.
TEST(Extending, a_contact_law_in_one_file_drags_a_box) {
  constexpr double h = 0.001, mass = 2;
  SceneSpec s = scene(h);
  add_ground(s);
  const double rest = -mass * 9.81 / (4 * s.contact.stiffness);  // depth of each corner
  add(s, solid_box(mass, {1, 1, 0.002}), "single_body", {0, 0, 0.001 + rest}).v_WB = {1, 0, 0};
  s.robots[0].on_ground = false;
  auto model = compile(s);
  ASSERT_TRUE(model);
  model->contact.law = Honey::name;
  EXPECT_FALSE(World::make(*model)) << "no law of that name ships";
  constexpr ContactLaw laws[] = {contact_law<Honey>()};
  World::Options options;
  options.laws = laws;
  const auto world = World::make(std::move(*model), options);
  ASSERT_TRUE(world);
  double v = 1;
  for (int i = 0; i < 50; ++i) {
    (*world)->step();
    v /= 1 + 4 * h * s.contact.tangential_damping / mass;
    ASSERT_NEAR((*world)->v(0)[3], v, 1e-3 * v) << i;
  }
  Vec3 force{0, 0, 0};
  (*world)->contacts().on(0, [&](const Touch& t) { force += t.force; });
  EXPECT_NEAR(force.z, mass * 9.81, 0.01 * mass * 9.81);
  EXPECT_NEAR(force.x, -4 * s.contact.tangential_damping * v, 0.01 * 4 * s.contact.tangential_damping * v) << "drags, as sensors feel it";
}

/// Scenes are checked before the registry is in sight [model/check.h]: both must know the same laws.
TEST(Extending, scenes_may_name_every_law_of_the_registry) {
  std::vector<std::string> names;
  for (const ContactLaw& l : all_contact_laws()) names.emplace_back(l.name);
  EXPECT_EQ(names, known_contact_laws());
}

TEST(Extending, a_link_in_one_file_drives_a_world) {
  SceneSpec s = scene(0.001);
  add(s, solid_box(1, {0.1, 0.1, 0.1}), "free_body", {0, 0, 1});
  const auto world = make_world(s);
  const auto link = kBoard.open("", *world);
  ASSERT_TRUE(link);
  auto& board = static_cast<BoardLink&>(**link);
  Command up;
  up.kind = Command::Kind::impulse;
  up.robot = "robot0", up.name = world->model().robots[0].kind->objects[0].name, up.vector = {0, 0, 3};
  board.post(up);
  for (int i = 0; i < 100; ++i) {
    for (const Command& c : board.receive(*world)) ASSERT_EQ(apply(*world, c), "");
    world->step();
    board.publish(*world);
  }
  EXPECT_GT(board.heights()[0], 1.2);
  EXPECT_EQ(board.figures()[0].second, 1);
}

TEST(Extending, a_sensor_in_one_file_measures_a_body) {
  const sense::SensorTable table = sense::sensor_table<Compass>();
  RobotSpec box = solid_box(1, {0.1, 0.1, 0.1});
  SensorSpec spec{"compass", "compass", "", identity_pose(), {}, {}};
  spec.settings.push_back({"declination", {0.25}, {}, {}, {}});
  box.sensors = {spec};
  const auto kind = kind_of(box);
  sense::Sensor s;
  Diagnostics faults;
  Model model;
  RobotModel robot{};
  robot.kind = kind;
  sense::Binding binding(model, robot, kind->sensors[0], s, faults);
  table.bind(binding);
  EXPECT_TRUE(faults.empty());
  ASSERT_EQ(s.channels, std::vector<std::string>{"heading"});
  // one robot by hand, turned by 1 rad about z
  RobotScratch scratch;
  scratch.frames.resize(1);
  scratch.frames[0].R = to_matrix(from_roll_pitch_yaw(0, 0, 1));
  RobotContext c{};
  c.kind = kind.get(), c.s = &scratch;
  double x = 0;
  sense::Surroundings around{};
  around.robot = &c;
  table.truth(around, s, nullptr, &x);
  EXPECT_NEAR(x, 0.75, 1e-12);
}

}  // namespace
}  // namespace gradus::test

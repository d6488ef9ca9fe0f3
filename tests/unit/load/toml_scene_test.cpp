#include "load/scene_toml.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <filesystem>
#include <numbers>

#include "load/motion_toml.h"
#include "load/robot_toml.h"
#include "load/set.h"
#include "load/walk_toml.h"
#include "model/model.h"
#include "unit/load/scratch_folder.h"
#include "unit/load/toml_test_tools.h"

namespace gradus {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = GRADUS_SOURCE_DIR;

/// A scene text that lies, as far as file names go, in scenes/.
SceneSpec parsed(const std::string& text) {
  Result<SceneSpec> r = parse_scene(text, kRoot + "/scenes/test.toml");
  EXPECT_EQ(text_of(r), "");
  return r ? *r : SceneSpec{};
}

const RobotInstanceSpec& robot(const SceneSpec& s, const std::string& name) {
  for (const RobotInstanceSpec& r : s.robots) {
    if (r.name == name) return r;
  }
  ADD_FAILURE() << "no robot " << name;
  static const RobotInstanceSpec kNone;
  return kNone;
}

double initial(const RobotInstanceSpec& r, const std::string& joint) {
  return r.robot.objects.at(static_cast<std::size_t>(r.robot.find(joint).value)).initial;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRoot + "/" + folder)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string stem(const testing::TestParamInfo<std::string>& i) { return fs::path(i.param).stem().string(); }

class ShippedScene : public testing::TestWithParam<std::string> {};
TEST_P(ShippedScene, loads_without_a_word_and_passes_the_checks) {
  Result<SceneSpec> s = load_scene(kRoot + "/scenes/" + GetParam());
  ASSERT_TRUE(s) << text_of(s);
  EXPECT_EQ(text_of(s), "");
  EXPECT_EQ(text_of(check(*s)), "");
  EXPECT_FALSE(s->robots.empty());
}
INSTANTIATE_TEST_SUITE_P(Toml, ShippedScene, testing::ValuesIn(files_in("scenes")), stem);

class ShippedRobot : public testing::TestWithParam<std::string> {};
TEST_P(ShippedRobot, loads_without_a_word_and_passes_the_checks) {
  Result<RobotSpec> r = load_robot(kRoot + "/robots/" + GetParam());
  ASSERT_TRUE(r) << text_of(r);
  EXPECT_EQ(text_of(r), "");
  EXPECT_EQ(text_of(check(*r)), "");
  EXPECT_EQ(r->name + ".toml", GetParam());
}
INSTANTIATE_TEST_SUITE_P(Toml, ShippedRobot, testing::ValuesIn(files_in("robots")), stem);

class ShippedMotion : public testing::TestWithParam<std::string> {};
/// A motion that names no robot is for every robot that its own name begins with.
std::vector<std::string> robots_of(const std::string& motion, const std::string& named) {
  if (!named.empty()) return {named + ".toml"};
  const std::string family = motion.substr(0, motion.find('_'));
  std::vector<std::string> out;
  for (const std::string& robot : files_in("robots"))
    if (robot.starts_with(family)) out.push_back(robot);
  return out;
}
TEST_P(ShippedMotion, loads_and_fits_its_robot) {
  const std::string path = kRoot + "/motions/" + GetParam();
  Result<WalkFile> walk = load_walk(path);  // a plan of steps, or key frames
  Result<MotionFile> frames = walk ? Result<MotionFile>(MotionFile{}) : load_motion(path);
  ASSERT_TRUE(frames) << text_of(frames);
  const std::vector<std::string> robots = robots_of(GetParam(), frames->robot);
  ASSERT_FALSE(robots.empty());
  for (const std::string& robot : robots) {
    Result<RobotSpec> r = load_robot(kRoot + "/robots/" + robot);
    ASSERT_TRUE(r) << text_of(r);
    EXPECT_EQ(text_of(walk ? check_walk(*walk, *r, {}) : check_motion(*frames, *r, {})), "") << robot;
  }
}
INSTANTIATE_TEST_SUITE_P(Toml, ShippedMotion, testing::ValuesIn(files_in("motions")), stem);

TEST(SceneToml, the_kidsize_field_has_a_floor_twelve_objects_and_painted_lines) {
  const SceneSpec s = parsed("[world]\ninclude = [\"fields/kidsize2007.toml\"]\n");
  const auto collides = [](const FieldObjectSpec& f) { return f.shape.collides; };
  EXPECT_EQ(std::count_if(s.field.begin(), s.field.end(), collides), 13);
  EXPECT_EQ(s.field.size(), 18u);
  EXPECT_EQ(s.field[0].shape.kind, ShapeKind::plane);
}

const char kScene[] = R"(
[world]
step = "2 ms"
seed = 7
gravity = "1.62 m/s^2"
duration = "3 s"
log = "50 Hz"
include = ["fields/plane.toml"]

[world.contact]
law = "compliant"
stiffness = "3e4 N/m"
damping = "1 N s/m"
tangential_stiffness = "2 N/m"
tangential_damping = "3 N s/m"
friction = 0.6
restitution = 0.1

[field.ramp]
shape = { box = ["1 m", "1 m", "10 cm"] }
pose = { x = "2 m", pitch = "-10 deg" }
surface = { friction = 0.2 }
colour = [1, 0, 0]

[robot.zed]
model = "robots/kidsize.toml"
pose = { x = "-2 m", y = "40 cm", yaw = "90 deg" }
motion = "single_body"
joints = { left_knee = "30 deg" }
servo = { all = { kp = "11 N m/rad" }, left_knee = { torque = "1 N m" } }
controller = { keyframes = "unit_wave.toml", rate = "50 Hz", start = "0.5 s", loop = false }
velocity = { x = "1 m/s", wz = "2 rad/s" }

[robot.ann]
like = "zed"
pose = { z = "1 m" }
joints = { right_knee = "10 deg" }
controller = "none"

[robot.team]
like = "ann"
pose = { x = "1 m", y = "2 m" }
copies = { count = 5, per_row = 2, dx = "1 m", dy = "10 m" }
)";

SceneSpec the_scene() {
  Result<SceneSpec> r = parse_scene(kScene, kRoot + "/scenes/test.toml", {{kRoot + "/tests/unit/load/files"}});
  EXPECT_EQ(text_of(r), "");
  return r ? *r : SceneSpec{};
}

TEST(SceneToml, the_world_arrives_in_si_units) {
  const SceneSpec s = the_scene();
  EXPECT_EQ(s.name, "test");
  EXPECT_EQ(s.step, 0.002);
  EXPECT_EQ(s.seed, 7u);
  EXPECT_EQ(s.gravity.z, -1.62);
  EXPECT_EQ(s.duration, 3);
  EXPECT_EQ(s.log_period, 0.02);
  EXPECT_EQ(s.contact.stiffness, 3e4);
  EXPECT_EQ(s.contact.damping, 1);
  EXPECT_EQ(s.contact.tangential_stiffness, 2);
  EXPECT_EQ(s.contact.tangential_damping, 3);
  EXPECT_EQ(s.contact.friction, 0.6);
  EXPECT_EQ(s.contact.restitution, 0.1);
  ASSERT_EQ(s.field.size(), 2u);
  EXPECT_EQ(s.field[0].name, "floor");
  EXPECT_EQ(*s.field[1].surface.friction, 0.2);
  EXPECT_GT((s.field[1].X_WO.R * Vec3{1, 0, 0}).z, 0.17);  // nose up: a negative pitch
}

TEST(SceneToml, robots_keep_the_order_of_the_file_and_arrive_in_si_units) {
  const SceneSpec s = the_scene();
  ASSERT_EQ(s.robots.size(), 7u);
  EXPECT_EQ(s.robots[0].name, "zed");
  EXPECT_EQ(s.robots[1].name, "ann");
  EXPECT_EQ(s.robots[6].name, "team5");
  const RobotInstanceSpec& z = s.robots[0];
  EXPECT_EQ(z.motion, "single_body");
  EXPECT_EQ(z.p_WB.y, 0.4);
  EXPECT_NEAR((to_matrix(z.q_WB) * Vec3{1, 0, 0}).y, 1, 1e-15);
  EXPECT_TRUE(z.on_ground);
  EXPECT_DOUBLE_EQ(initial(z, "left_knee"), std::numbers::pi / 6);
  const ObjectSpec& knee = z.robot.objects[z.robot.find("left_knee").value];
  EXPECT_EQ(knee.servo.kp, 11);
  EXPECT_EQ(knee.servo.torque, 1);
  EXPECT_EQ(knee.servo.kd, 0.8);  // the robot's own
  EXPECT_EQ(z.v_WB.x, 1);
  EXPECT_EQ(z.w_WB.z, 2);
  EXPECT_EQ(z.controller.kind, "keyframes");
  EXPECT_EQ(z.controller.period, 0.02);
  EXPECT_EQ(z.controller.start, 0.5);
  EXPECT_FALSE(z.controller.loop);
}

TEST(SceneToml, like_copies_then_overrides) {
  const SceneSpec s = the_scene();
  const RobotInstanceSpec& a = robot(s, "ann");
  EXPECT_EQ(a.motion, "single_body");
  EXPECT_EQ(a.p_WB.x, 0);
  EXPECT_EQ(a.p_WB.z, 1);
  EXPECT_FALSE(a.on_ground);
  EXPECT_EQ(a.controller.kind, "none");
  EXPECT_DOUBLE_EQ(initial(a, "left_knee"), std::numbers::pi / 6);
  EXPECT_DOUBLE_EQ(initial(a, "right_knee"), std::numbers::pi / 18);
  EXPECT_EQ(initial(robot(s, "zed"), "right_knee"), 0);
}

TEST(SceneToml, copies_fill_rows) {
  const SceneSpec s = the_scene();
  EXPECT_EQ(robot(s, "team1").p_WB.x, 1);
  EXPECT_EQ(robot(s, "team2").p_WB.x, 2);
  EXPECT_EQ(robot(s, "team2").p_WB.y, 2);
  EXPECT_EQ(robot(s, "team3").p_WB.x, 1);
  EXPECT_EQ(robot(s, "team3").p_WB.y, 12);
  EXPECT_EQ(robot(s, "team5").p_WB.y, 22);
  EXPECT_TRUE(robot(s, "team5").on_ground);
}

TEST(SceneToml, robots_may_be_urdf_files_and_fixed_ones_are_not_put_on_the_ground) {
  const SceneSpec s = parsed(R"(
[world]
include = ["plane.toml"]
[robot.dog]
model = "quadruped.urdf"
[robot.arm]
model = "one_dof_arm.toml"
)");
  EXPECT_TRUE(robot(s, "dog").on_ground);
  EXPECT_FALSE(robot(s, "arm").on_ground);
}

// ---- --set ----------------------------------------------------------------------------------------------------------

std::string set(SceneSpec& s, const std::string& assignment) {
  Diagnostics out;
  const bool done = apply_set(s, assignment, out);
  EXPECT_EQ(done, out.empty());
  return text_of(out);
}

/// Two robots of one file, one bolted down: each keeps its own base, and only the free one stands on the ground.
TEST(SceneToml, a_base_is_fixed_or_free_whatever_the_robots_file_says) {
  const std::string robot = std::string(GRADUS_SOURCE_DIR) + "/robots/quadruped.urdf";
  const auto load = [&](const std::string& base) {
    return parse_scene("[field.floor]\nshape = \"plane\"\n[robot.a]\nmodel = \"" + robot + "\"\n" + base +
                           "[robot.b]\nmodel = \"" + robot + "\"\npose = { x = \"3 m\" }\n",
                       "scene.toml", {});
  };
  auto scene = load("base = \"fixed\"\n");
  ASSERT_TRUE(scene) << text_of(scene);
  EXPECT_EQ(scene->robots[0].robot.root, RootKind::fixed);
  EXPECT_EQ(scene->robots[1].robot.root, RootKind::free);
  EXPECT_FALSE(scene->robots[0].on_ground);
  const auto model = compile(*scene);
  ASSERT_TRUE(model) << text_of(model);
  EXPECT_EQ(model->robots[0].kind->root, RootKind::fixed);
  EXPECT_EQ(model->robots[1].kind->root, RootKind::free);
  EXPECT_EQ(model->robots[0].p_WB.z, 0);
  EXPECT_GT(model->robots[1].p_WB.z, 0);

  auto set = load("");
  ASSERT_TRUE(set) << text_of(set);
  Diagnostics out;
  EXPECT_TRUE(apply_set(*set, "a.base=fixed", out)) << text_of(out);
  EXPECT_EQ(set->robots[0].robot.root, RootKind::fixed);
  EXPECT_FALSE(set->robots[0].on_ground);
  EXPECT_FALSE(apply_set(*set, "a.base=bolted", out));
  EXPECT_NE(text_of(out).find("write fixed or free"), std::string::npos) << text_of(out);
  EXPECT_NE(text_of(load("base = \"bolted\"\n")).find("neither fixed nor free"), std::string::npos);
}

TEST(SceneToml, a_robot_put_into_the_ground_is_a_warning) {
  const std::string robot = std::string(GRADUS_SOURCE_DIR) + "/robots/quadruped.urdf";
  const auto scene =
      parse_scene("[field.floor]\nshape = \"plane\"\n[robot.a]\nmodel = \"" + robot + "\"\npose = { z = \"0 m\" }\n",
                  "scene.toml", {});
  ASSERT_TRUE(scene) << text_of(scene);
  const auto model = compile(*scene);
  ASSERT_TRUE(model);
  EXPECT_NE(text_of(model).find("inside the ground"), std::string::npos) << text_of(model);
}

TEST(RobotFiles, other_formats_are_named) {
  const ScratchFolder folder;
  const auto said = [&](const std::string& name, const std::string& text) {
    return text_of(load_robot(folder.write(name, text), {}));
  };
  EXPECT_NE(said("r.urdf.xacro", "<robot/>").find("expand it first"), std::string::npos);
  EXPECT_NE(said("r.sdf", "<sdf/>").find("SDF is another format"), std::string::npos);
  EXPECT_NE(said("r.xml", "<mujoco/>").find("MJCF is another format"), std::string::npos);
  EXPECT_TRUE(load_robot(folder.write("r.xml",
                                      "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' "
                                      "iyy='1' izz='1'/></inertial></link></robot>"),
                         {}));
}

TEST(Set, reaches_the_world_robots_and_objects) {
  SceneSpec s = the_scene();
  EXPECT_EQ(set(s, "world.step=5 ms"), "");
  EXPECT_EQ(s.step, 0.005);
  EXPECT_EQ(set(s, "world.seed=99"), "");
  EXPECT_EQ(s.seed, 99u);
  EXPECT_EQ(set(s, "world.log = 10 Hz"), "");
  EXPECT_EQ(s.log_period, 0.1);
  EXPECT_EQ(set(s, "world.contact.friction=0.3"), "");
  EXPECT_EQ(s.contact.friction, 0.3);
  EXPECT_EQ(set(s, "zed.motion=articulated"), "");
  EXPECT_EQ(s.robots[0].motion, "articulated");
  EXPECT_EQ(set(s, "zed.pose.x=3 m"), "");
  EXPECT_EQ(s.robots[0].p_WB.x, 3);
  EXPECT_EQ(set(s, "zed.pose.z=1 m"), "");
  EXPECT_FALSE(s.robots[0].on_ground);
  EXPECT_EQ(set(s, "zed.pose.pitch=10 deg"), "");
  const Vec3 rpy = to_roll_pitch_yaw(s.robots[0].q_WB);
  EXPECT_NEAR(rpy.y, std::numbers::pi / 18, 1e-12);
  EXPECT_NEAR(rpy.z, std::numbers::pi / 2, 1e-12);  // the yaw of before
  EXPECT_EQ(set(s, "zed.left_knee.q=20 deg"), "");
  EXPECT_DOUBLE_EQ(initial(s.robots[0], "left_knee"), std::numbers::pi / 9);
  EXPECT_EQ(set(s, "zed.left_knee.kp=5 N m/rad"), "");
  EXPECT_EQ(s.robots[0].robot.objects[s.robots[0].robot.find("left_knee").value].servo.kp, 5);
  EXPECT_EQ(set(s, "zed.left_foot.surface.friction=0.1"), "");
  EXPECT_EQ(*s.robots[0].robot.objects[s.robots[0].robot.find("left_foot").value].surface.friction, 0.1);
}

TEST(Set, a_heavier_body_turns_harder_in_proportion) {
  SceneSpec s = the_scene();
  const ObjectSpec before = s.robots[0].robot.objects[0];
  EXPECT_EQ(set(s, "zed.pelvis.mass=500 g"), "");
  const ObjectSpec& after = s.robots[0].robot.objects[0];
  EXPECT_EQ(after.mass, 0.5);
  EXPECT_DOUBLE_EQ(after.inertia.yy, 2 * before.inertia.yy);
}

TEST(Set, says_what_is_wrong_and_changes_nothing) {
  SceneSpec s = the_scene();
  EXPECT_EQ(set(s, "zed.left_knee"),
            "--set zed.left_knee: error: there is no '='; write PATH=VALUE, e.g. world.step=\"2 ms\"\n");
  EXPECT_EQ(set(s, "zedd.motion=x"), "--set zedd.motion=x: error: there is no robot 'zedd'; did you mean 'zed'?\n");
  EXPECT_EQ(set(s, "zed.left_kne.q=1 rad"),
            "--set zed.left_kne.q=1 rad: error: robot 'zed' has no object or property 'left_kne'; did you mean "
            "'left_knee'?\n");
  EXPECT_EQ(
      set(s, "zed.pose.yow=1 rad"),
      "--set zed.pose.yow=1 rad: error: robot 'zed' has no object or property 'pose.yow'; did you mean 'pose.yaw'?\n");
  EXPECT_EQ(
      set(s, "zed.left_knee.torqe=1 N m"),
      "--set zed.left_knee.torqe=1 N m: error: object 'left_knee' has no property 'torqe'; did you mean 'torque'?\n");
  EXPECT_EQ(set(s, "zed.left_knee.q=1"),
            "--set zed.left_knee.q=1: error: an angle is due here, and 1 has no unit; write \"1 deg\"\n");
  EXPECT_EQ(
      set(s, "zed.left_knee.q=200 deg"),
      "--set zed.left_knee.q=200 deg: error: object 'left_knee': its initial coordinate 3.49066 is outside its limits "
      "-0.0872665 … 2.44346; set an initial coordinate within the limits\n");
  EXPECT_EQ(set(s, "zed.motion=flying"),
            "--set zed.motion=flying: error: robot 'zed': there is no motion 'flying'; known: "
            "kinematic_walk, single_body, prescribed_joints, articulated, free_body\n");
  EXPECT_EQ(set(s, "world.seed=-1"),
            "--set world.seed=-1: error: '-1' is not a seed; give a whole number, 0 or more\n");
  EXPECT_EQ(set(s, "world.stepp=1 ms"),
            "--set world.stepp=1 ms: error: the world has no property 'stepp'; did you mean 'step'?\n");
  EXPECT_EQ(set(s, "world.step=-1 ms"),
            "--set world.step=-1 ms: error: the step is -0.001 s; use a step from 1 ns to 100 "
            "ms, e.g. \"1 ms\"\n");
  EXPECT_EQ(s.step, 0.002);
  EXPECT_DOUBLE_EQ(initial(s.robots[0], "left_knee"), std::numbers::pi / 6);
}

// ---- motions --------------------------------------------------------------------------------------------------------

TEST(MotionToml, joints_that_are_not_mentioned_keep_their_last_value) {
  Result<MotionFile> m = parse_motion(R"(
[motion]
name = "wave"
interpolation = "linear"
period = "3 s"
[[frame]]
time = "0 s"
joints = { a = "180 deg", lift = "5 cm" }
[[frame]]
time = "500 ms"
joints = { lift = "6 cm" }
[[frame]]
time = "2 s"
joints = { a = "1 rad" }
)",
                                      "wave.toml");
  ASSERT_TRUE(m) << text_of(m);
  ASSERT_EQ(m->joints, (std::vector<std::string>{"a", "lift"}));
  EXPECT_EQ(m->kinds[1], ObjectKind::prismatic);
  ASSERT_EQ(m->frames.size(), 3u);
  EXPECT_EQ(m->frames[1].t, 0.5);
  EXPECT_EQ(m->frames[1].q, (std::vector<double>{std::numbers::pi, 0.06}));
  EXPECT_EQ(m->frames[2].q, (std::vector<double>{1, 0.06}));
  EXPECT_EQ(m->period, 3);
  EXPECT_EQ(m->interpolation, MotionFile::Interpolation::linear);
}

TEST(MotionToml, rows_are_read_in_the_units_of_their_columns) {
  Result<MotionFile> m = parse_motion(R"(
[motion]
name = "walk"
loop = false
columns = ["time", "knee", "lift"]
units = ["ms", "deg", "mm"]
rows = [[0, 90, 1], [20.0, -45.0, 2.5]]
)",
                                      "walk.toml");
  ASSERT_TRUE(m) << text_of(m);
  ASSERT_EQ(m->frames.size(), 2u);
  EXPECT_DOUBLE_EQ(m->frames[1].t, 0.02);
  EXPECT_DOUBLE_EQ(m->frames[1].q[0], -std::numbers::pi / 4);
  EXPECT_DOUBLE_EQ(m->frames[1].q[1], 0.0025);
  EXPECT_FALSE(m->loop);
  EXPECT_DOUBLE_EQ(m->period, 0.02);
}

TEST(MotionToml, a_motion_that_does_not_fit_the_robot_is_refused) {
  Result<RobotSpec> r = load_robot(kRoot + "/robots/one_dof_arm.toml");
  ASSERT_TRUE(r);
  const auto said = [&](const std::string& joint, const std::string& value) {
    Result<MotionFile> m = parse_motion("[motion]\nname = \"m\"\nloop = false\n[[frame]]\ntime = \"0 s\"\njoints = { " +
                                            joint + " = \"" + value + "\" }\n",
                                        "m");
    EXPECT_TRUE(m) << text_of(m);
    return m ? text_of(check_motion(*m, *r, {"s.toml", 3, 4})) : "";
  };
  EXPECT_EQ(said("shoulder", "10 deg"), "");
  EXPECT_EQ(said("shulder", "10 deg"),
            "s.toml:3:4: error: motion 'm': 'one_dof_arm' has no joint 'shulder'; did you mean 'shoulder'?\n");
  EXPECT_EQ(said("shoulder", "1 cm"), "s.toml:3:4: error: motion 'm': joint 'shoulder' is revolute; give angles\n");
  EXPECT_EQ(said("shoulder", "91 deg"),
            "s.toml:3:4: error: motion 'm': joint 'shoulder' is beyond its limits at 0 s: 1.58825 "
            "is not in -1.5708 … 1.5708; keep within the limits\n");
}

}  // namespace
}  // namespace gradus

#include "load/robot_toml.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "unit/load/toml_test_tools.h"

namespace gradus {
namespace {

constexpr double kPi = std::numbers::pi, kInfinity = std::numeric_limits<double>::infinity();
constexpr double kS2 = 0.70710678118654752440;

RobotSpec shipped(const std::string& name) {
  Result<RobotSpec> r = load_robot(std::string(GRADUS_SOURCE_DIR) + "/robots/" + name);
  EXPECT_EQ(text_of(r), "");
  return r ? *r : RobotSpec{};
}

RobotSpec parsed(const std::string& text) {
  Result<RobotSpec> r = parse_robot_toml(text, "test.toml");
  EXPECT_EQ(text_of(r), "");
  return r ? *r : RobotSpec{};
}

const ObjectSpec& object(const RobotSpec& r, const std::string& name) {
  const ObjectId id = r.find(name);
  EXPECT_TRUE(id) << name;
  static const ObjectSpec kNone;
  return id ? r.objects[id.value] : kNone;
}

double mass_of(const RobotSpec& r) {
  double m = 0;
  for (const ObjectSpec& o : r.objects) m += o.mass;
  return m;
}

/// Pose of every object in the base, with all joints at q.
std::vector<Pose> poses(const RobotSpec& r, const std::vector<double>& q) {
  std::vector<Pose> X(r.objects.size(), identity_pose());
  for (std::size_t i = 1; i < r.objects.size(); ++i) {
    const ObjectSpec& o = r.objects[i];
    Pose X_PO = identity_pose();
    if (o.kind == ObjectKind::translation) X_PO.p = o.offset;
    if (o.kind == ObjectKind::rotation) X_PO.R = to_matrix(from_axis_angle(o.axis, o.angle));
    if (o.kind == ObjectKind::revolute) X_PO.R = to_matrix(from_axis_angle(o.axis, q[i]));
    if (o.kind == ObjectKind::prismatic) X_PO.p = o.axis * (q[i] / norm(o.axis));
    X[i] = X[o.parent.value] * X_PO;
  }
  return X;
}

const char kEverything[] = R"(
[robot]
name  = "everything"
about = "one of each"
feet  = ["foot"]

[defaults]
surface = { friction = 0.5 }
colour = [0.1, 0.2, 0.3]
[defaults.servo]
kp = "7 N m/rad"

[servo.lift]
kp = "300 N/m"
kd = "5 N s/m"
torque = "20 N"
speed = "10 cm/s"
rotor = "100 g"

[[object]]
name = "foot"          # described before the base: any order will do
kind = "endpoint"
after = "slide"
shape = [{ sphere = "1 cm" }, { capsule = { radius = "1 cm", length = "4 cm", axis = "x" }, at = ["0 m", "1 cm", "0 m"], rpy = ["0 deg", "0 deg", "90 deg"], visible = false, collides = false }]
surface = { stiffness = "1 kN/m" }

[[object]]
name = "root"
kind = "base"
mass = "2 kg"
com = ["1 cm", "2 cm", "3 cm"]
inertia = ["1 kg m^2", "1.1 kg m^2", "1.2 kg m^2", "0.01 kg m^2", "0.02 kg m^2", "0.03 kg m^2"]

[[object]]
name = "tilt"
kind = "rotation"
axis = [0, 2, 0]
angle = "30 deg"

[[object]]
name = "turn"
kind = "revolute"
axis = "-x"
limits = ["-10 deg", "0.5 rad"]
initial = "-5 deg"
damping = "0.1 N m s/rad"
friction = "0.2 N m"
servo = { kd = "2 N m s/rad" }
mass = "300 g"
inertia = { cylinder = { radius = "10 cm", length = "20 cm", axis = "y" } }

[[object]]
name = "slide"
kind = "prismatic"
axis = "z"
servo = "lift"
limits = ["0 mm", "50 mm"]
mimic = { of = "turn", multiplier = -0.1, offset = "1 cm" }
stop = { stiffness = "3e4 N/m", damping = "40 N s/m" }
mass = "100 g"
inertia = { sphere = "2 cm" }
)";

TEST(RobotToml, every_property_arrives_in_si_units_and_in_its_place) {
  const RobotSpec r = parsed(kEverything);
  ASSERT_EQ(r.objects.size(), 5u);
  EXPECT_EQ(r.objects[0].name, "root");  // sorted: parents first
  EXPECT_EQ(r.objects[4].name, "foot");
  EXPECT_EQ(r.root, RootKind::free);
  EXPECT_EQ(r.about, "one of each");
  const ObjectSpec& root = r.objects[0];
  EXPECT_EQ(root.com.y, 0.02);
  EXPECT_EQ(root.inertia.yy, 1.1);
  EXPECT_EQ(root.inertia.zz, 1.2);
  EXPECT_EQ(root.inertia.xy, 0.01);
  EXPECT_EQ(root.inertia.xz, 0.02);
  EXPECT_EQ(root.inertia.yz, 0.03);
  EXPECT_EQ(root.colour->z, 0.3);
  EXPECT_DOUBLE_EQ(object(r, "tilt").angle, kPi / 6);
  const ObjectSpec& turn = object(r, "turn");
  EXPECT_EQ(turn.axis.x, -1);
  EXPECT_DOUBLE_EQ(turn.lower, -kPi / 18);
  EXPECT_EQ(turn.upper, 0.5);
  EXPECT_DOUBLE_EQ(turn.initial, -kPi / 36);
  EXPECT_EQ(turn.damping, 0.1);
  EXPECT_EQ(turn.friction, 0.2);
  EXPECT_EQ(turn.servo.kp, 7);  // from the defaults
  EXPECT_EQ(turn.servo.kd, 2);  // its own
  EXPECT_EQ(turn.servo.torque, kInfinity);
  EXPECT_DOUBLE_EQ(turn.inertia.yy, 0.5 * 0.3 * 0.01);                   // along the cylinder
  EXPECT_DOUBLE_EQ(turn.inertia.xx, 0.3 * (3 * 0.01 + 0.2 * 0.2) / 12);  // across
  EXPECT_EQ(turn.place.line, 40);
}

TEST(RobotToml, sliding_joints_have_lengths_and_forces) {
  const RobotSpec r = parsed(kEverything);
  const ObjectSpec& slide = object(r, "slide");
  EXPECT_EQ(slide.upper, 0.05);
  EXPECT_EQ(slide.servo.kp, 300);
  EXPECT_EQ(slide.servo.speed, 0.1);
  EXPECT_EQ(slide.servo.rotor, 0.1);
  ASSERT_TRUE(slide.mimic);
  EXPECT_EQ(slide.mimic->of, "turn");
  EXPECT_EQ(slide.mimic->multiplier, -0.1);
  EXPECT_EQ(slide.mimic->offset, 0.01);
  EXPECT_EQ(slide.stop_stiffness, 3e4);
  EXPECT_EQ(slide.stop_damping, 40);
}

TEST(RobotToml, shapes_stand_where_they_are_put) {
  const RobotSpec r = parsed(kEverything);
  const ObjectSpec& foot = object(r, "foot");
  ASSERT_EQ(foot.shapes.size(), 2u);
  EXPECT_EQ(*foot.surface.friction, 0.5);
  EXPECT_EQ(*foot.surface.stiffness, 1000);
  const ShapeSpec& s = foot.shapes[1];
  EXPECT_FALSE(s.visible);
  EXPECT_FALSE(s.collides);
  EXPECT_EQ(s.length, 0.04);
  // along x of the object, then turned by 90° about z: along y
  const Vec3 along = s.X_OS.R * Vec3{0, 0, 1};
  EXPECT_NEAR(along.y, 1, 1e-15);
  EXPECT_EQ(s.X_OS.p.y, 0.01);
}

TEST(RobotToml, inertia_of_the_shape_goes_to_the_centre_of_the_shape_and_turns_with_it) {
  const RobotSpec r = parsed(R"(
[robot]
name = "rod"
[[object]]
name = "rod"
kind = "base"
mass = "2 kg"
inertia = "shape"
shape = { box = ["10 cm", "20 cm", "80 cm"], at = ["1 m", "0 m", "0 m"], rpy = ["0 deg", "90 deg", "0 deg"] }
)");
  const ObjectSpec& o = r.objects[0];
  EXPECT_EQ(o.com.x, 1);
  const Sym3 I = inertia_of_box(2, {0.8, 0.2, 0.1});  // turned about y: x and z changed places
  EXPECT_NEAR(o.inertia.xx, I.xx, 1e-15);
  EXPECT_NEAR(o.inertia.yy, I.yy, 1e-15);
  EXPECT_NEAR(o.inertia.zz, I.zz, 1e-15);
}

TEST(RobotToml, like_copies_all_but_name_and_predecessor_and_scales_the_inertia_with_the_mass) {
  const RobotSpec r = parsed(R"(
[robot]
name = "chain"
root = "fixed"
[[object]]
name = "post"
kind = "base"
[[object]]
name = "a"
kind = "revolute"
axis = [1, 2, 3]
limits = ["-1 rad", "2 rad"]
mass = "1 kg"
com = ["1 m", "2 m", "3 m"]
inertia = { box = ["1 m", "2 m", "3 m"] }
servo = { kp = "3 N m/rad" }
[[object]]
name = "b"
like = "a"
mass = "3 kg"
limits = ["-3 rad", "3 rad"]
)");
  const ObjectSpec &a = r.objects[1], &b = r.objects[2];
  EXPECT_EQ(b.parent, ObjectId(1));
  EXPECT_EQ(b.axis.z, 3);
  EXPECT_EQ(b.servo.kp, 3);
  EXPECT_EQ(b.com.y, 2);
  EXPECT_EQ(b.upper, 3);
  EXPECT_DOUBLE_EQ(b.inertia.xx, 3 * a.inertia.xx);
}

TEST(RobotToml, included_files_come_first_and_servos_are_shared) {
  Result<RobotSpec> r = load_robot(std::string(GRADUS_SOURCE_DIR) + "/tests/unit/load/files/with_parts.toml");
  ASSERT_TRUE(r) << text_of(r);
  EXPECT_EQ(object(*r, "hip").servo.kp, 55);
  EXPECT_EQ(object(*r, "other_hip").servo.kp, 55);
  EXPECT_EQ(r->objects[0].name, "body");
}

/// A limb moved by q and its mirror image moved by the mirrored angles must be mirror images.
TEST(RobotToml, mirrored_objects_move_as_in_a_mirror) {
  for (const char* name : {"kidsize.toml", "humanoid28.toml"}) {
    const RobotSpec r = shipped(name);
    const bool kid = r.name == "kidsize";
    std::vector<double> q(r.objects.size(), 0.0);
    const auto twin = [&](const std::string& s) {
      if (kid) return s.starts_with("left_") ? "right_" + s.substr(5) : s;
      return s[0] == 'l' ? "r" + s.substr(1) : s;
    };
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::string other = twin(r.objects[i].name);
      if (!r.objects[i].is_joint() || other == r.objects[i].name) continue;
      const ObjectSpec &a = r.objects[i], &b = object(r, other);
      // the sign follows from the limits alone, so that wrong limits are caught as well
      q[i] = a.lower + 0.3 * (a.upper - a.lower);
      const bool pitch = b.lower == a.lower && b.upper == a.upper && a.axis.y != 0;
      q[r.find(other).value] = pitch ? q[i] : b.upper - 0.3 * (b.upper - b.lower);
    }
    const std::vector<Pose> X = poses(r, q);
    int pairs = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::string other = twin(r.objects[i].name);
      if (other == r.objects[i].name) continue;
      ++pairs;
      const ObjectSpec &a = r.objects[i], &b = object(r, other);
      const Vec3 left = X[i] * a.com, right = X[r.find(other).value] * b.com;
      EXPECT_NEAR(left.x, right.x, 1e-12) << other;
      EXPECT_NEAR(left.y, -right.y, 1e-12) << other;
      EXPECT_NEAR(left.z, right.z, 1e-12) << other;
      const Sym3 I = rotated(X[i].R, a.inertia), J = rotated(X[r.find(other).value].R, b.inertia);
      EXPECT_NEAR(I.xx, J.xx, 1e-12);
      EXPECT_NEAR(I.xy, -J.xy, 1e-12);
      EXPECT_NEAR(I.xz, J.xz, 1e-12);
      EXPECT_NEAR(I.yz, -J.yz, 1e-12);
    }
    EXPECT_GE(pairs, 10);
  }
}

TEST(RobotToml, a_mirrored_slanted_shape_and_sliding_axis_are_mirror_images) {
  ObjectSpec o;
  o.kind = ObjectKind::prismatic;
  o.axis = {1, 2, 3};
  ShapeSpec s;
  s.X_OS = {to_matrix(from_axis_angle({1, 2, 3}, 0.8)), {0.1, 0.2, 0.3}};
  o.shapes.push_back(s);
  const ObjectSpec m = mirrored(o);
  EXPECT_EQ(m.axis.x, 1);
  EXPECT_EQ(m.axis.y, -2);
  EXPECT_EQ(m.axis.z, 3);
  const Vec3 a = o.shapes[0].X_OS * Vec3{0.5, 0.6, 0.7}, b = m.shapes[0].X_OS * Vec3{0.5, -0.6, 0.7};
  EXPECT_NEAR(a.x, b.x, 1e-15);
  EXPECT_NEAR(a.y, -b.y, 1e-15);
  EXPECT_NEAR(a.z, b.z, 1e-15);
  const Mat3& R = m.shapes[0].X_OS.R;
  EXPECT_NEAR(dot(cross(R.x, R.y), R.z), 1, 1e-12);  // still a rotation, no reflection
}

TEST(RobotToml, mirroring_leaves_no_negative_zeros_that_would_show_in_hashes) {
  for (const ObjectSpec& o : shipped("kidsize.toml").objects) {
    for (const double x : {o.offset.y, o.com.y, o.initial, o.axis.x, o.axis.z, o.inertia.xy, o.angle}) {
      EXPECT_FALSE(x == 0 && std::signbit(x)) << o.name;
    }
  }
}

TEST(RobotToml, kidsize_is_the_humanoid_of_the_paper) {
  const RobotSpec r = shipped("kidsize.toml");
  int joints = 0, bodies = 0;
  for (const ObjectSpec& o : r.objects) joints += o.is_joint(), bodies += o.is_body();
  EXPECT_EQ(joints, 21);
  EXPECT_EQ(bodies, 20);
  EXPECT_NEAR(mass_of(r), 3.3, 1e-9);
  for (const ObjectSpec& o : r.objects) {
    if (!o.is_joint()) continue;
    const bool yaw = o.name.ends_with("yaw") || o.name == "waist" || o.name == "neck", roll = o.name.ends_with("roll");
    EXPECT_EQ(o.axis.x, roll ? 1 : 0) << o.name;
    EXPECT_EQ(o.axis.y, yaw || roll ? 0 : 1) << o.name;
    EXPECT_EQ(o.axis.z, yaw ? 1 : 0) << o.name;
  }
  // 55 cm from the soles to the top of the head, soles level and flat
  const std::vector<Pose> X = poses(r, std::vector<double>(r.objects.size(), 0.0));
  const auto centre = [&](const char* name) { return X[r.find(name).value] * object(r, name).shapes[0].X_OS.p; };
  const double top = centre("head").z + object(r, "head").shapes[0].radius;
  const double left_sole = centre("left_foot").z - 0.01, right_sole = centre("right_foot").z - 0.01;
  EXPECT_NEAR(top - left_sole, 0.55, 1e-12);
  EXPECT_EQ(left_sole, right_sole);
  EXPECT_GT(centre("left_foot").y, 0.0375);  // feet do not overlap
}

struct Link28 {
  const char *name, *parent;
  Vec3 offset, axis;
  double mass;
  Vec3 com, size;
  double lower, upper, kp, kd, torque, stand;
};

/// The published numbers of the comparison, link by link (right side spelled out).
// clang-format off
const Link28 kLinks28[] = {
    {"torso", nullptr, {0, 0, 0}, {0, 0, 1}, 1.0496, {-0.004, 0, 0.043}, {0.10, 0.14, 0.20}, 0, 0, 0, 0, kInfinity, 0},
    {"neck", "torso", {0, 0, 0.1265}, {0, 0, 1}, 0.0784, {0, 0, -0.027}, {0.04, 0.04, 0.06}, -2.08, 2.08, 12, 0.2, 3, 0},
    {"head", "neck", {0, 0, 0}, {0, 1, 0}, 0.6051, {0, 0, 0.052}, {0.12, 0.12, 0.12}, -0.67, 0.51, 12, 0.2, 3, 0},
    {"lshoulder", "torso", {0, 0.098, 0.100}, {0, 1, 0}, 0.0930, {-0.001, -0.002, 0}, {0.05, 0.05, 0.05}, -2.08, 2.08, 12, 0.2, 3, 1.4},
    {"lbiceps", "lshoulder", {0, 0, 0}, {0, 0, 1}, 0.1578, {0.025, 0.005, 0}, {0.09, 0.05, 0.05}, -0.31, 1.32, 12, 0.2, 3, 0.2},
    {"lelbow", "lbiceps", {0.105, 0.015, 0}, {1, 0, 0}, 0.0648, {-0.027, 0, 0}, {0.06, 0.04, 0.04}, -2.08, 2.08, 12, 0.2, 3, -1.0},
    {"lforearm", "lelbow", {0, 0, 0}, {0, 0, 1}, 0.2633, {0.065, 0, 0}, {0.13, 0.05, 0.05}, -1.54, -0.03, 12, 0.2, 3, -0.4},
    {"rshoulder", "torso", {0, -0.098, 0.100}, {0, 1, 0}, 0.0930, {-0.001, 0.002, 0}, {0.05, 0.05, 0.05}, -2.08, 2.08, 12, 0.2, 3, 1.4},
    {"rbiceps", "rshoulder", {0, 0, 0}, {0, 0, 1}, 0.1578, {0.025, -0.005, 0}, {0.09, 0.05, 0.05}, -1.32, 0.31, 12, 0.2, 3, -0.2},
    {"relbow", "rbiceps", {0.105, -0.015, 0}, {1, 0, 0}, 0.0648, {-0.027, 0, 0}, {0.06, 0.04, 0.04}, -2.08, 2.08, 12, 0.2, 3, 1.0},
    {"rforearm", "relbow", {0, 0, 0}, {0, 0, 1}, 0.2633, {0.065, 0, 0}, {0.13, 0.05, 0.05}, 0.03, 1.54, 12, 0.2, 3, 0.4},
    {"lpelvis", "torso", {0, 0.05, -0.085}, {0, kS2, -kS2}, 0.0698, {-0.008, -0.012, 0.027}, {0.06, 0.06, 0.06}, -1.14, 0.74, 60, 1.0, 12, 0},
    {"lhip", "lpelvis", {0, 0, 0}, {1, 0, 0}, 0.1405, {-0.015, 0, -0.005}, {0.06, 0.05, 0.05}, -0.37, 0.79, 60, 1.0, 12, 0},
    {"lthigh", "lhip", {0, 0, 0}, {0, 1, 0}, 0.3895, {0.001, 0.002, -0.054}, {0.07, 0.07, 0.12}, -1.53, 0.48, 60, 1.0, 12, -0.35},
    {"lshin", "lthigh", {0, 0, -0.100}, {0, 1, 0}, 0.2912, {0.004, 0.002, -0.049}, {0.06, 0.06, 0.11}, -0.09, 2.11, 60, 1.0, 12, 0.70},
    {"lankle", "lshin", {0, 0, -0.1029}, {0, 1, 0}, 0.1342, {0.0005, 0, 0.007}, {0.05, 0.05, 0.05}, -1.19, 0.92, 60, 1.0, 12, -0.35},
    {"lfoot", "lankle", {0, 0, 0}, {1, 0, 0}, 0.1718, {0.025, 0.003, -0.032}, {0.16, 0.08, 0.03}, -0.40, 0.77, 60, 1.0, 12, 0},
    {"rpelvis", "torso", {0, -0.05, -0.085}, {0, kS2, kS2}, 0.0698, {-0.008, 0.012, 0.027}, {0.06, 0.06, 0.06}, -1.14, 0.74, 60, 1.0, 12, 0},
    {"rhip", "rpelvis", {0, 0, 0}, {1, 0, 0}, 0.1405, {-0.015, 0, -0.005}, {0.06, 0.05, 0.05}, -0.79, 0.37, 60, 1.0, 12, 0},
    {"rthigh", "rhip", {0, 0, 0}, {0, 1, 0}, 0.3895, {0.001, -0.002, -0.054}, {0.07, 0.07, 0.12}, -1.53, 0.48, 60, 1.0, 12, -0.35},
    {"rshin", "rthigh", {0, 0, -0.100}, {0, 1, 0}, 0.2912, {0.004, -0.002, -0.049}, {0.06, 0.06, 0.11}, -0.09, 2.11, 60, 1.0, 12, 0.70},
    {"rankle", "rshin", {0, 0, -0.1029}, {0, 1, 0}, 0.1342, {0.0005, 0, 0.007}, {0.05, 0.05, 0.05}, -1.19, 0.92, 60, 1.0, 12, -0.35},
    {"rfoot", "rankle", {0, 0, 0}, {1, 0, 0}, 0.1718, {0.025, -0.003, -0.032}, {0.16, 0.08, 0.03}, -0.77, 0.40, 60, 1.0, 12, 0},
};
// clang-format on

TEST(RobotToml, humanoid28_has_exactly_the_numbers_of_the_comparison) {
  const RobotSpec r = shipped("humanoid28.toml");
  const std::vector<Pose> X = poses(r, std::vector<double>(r.objects.size(), 0.0));
  int joints = 0;
  for (const ObjectSpec& o : r.objects) joints += o.is_joint();
  EXPECT_EQ(joints, 22);
  for (const Link28& l : kLinks28) {
    const ObjectSpec& o = object(r, l.name);
    EXPECT_EQ(o.mass, l.mass) << l.name;
    EXPECT_EQ(o.com.x, l.com.x) << l.name;
    EXPECT_EQ(o.com.y, l.com.y) << l.name;
    EXPECT_EQ(o.com.z, l.com.z) << l.name;
    const Sym3 I = inertia_of_box(l.mass, l.size);
    EXPECT_EQ(o.inertia.xx, I.xx) << l.name;
    EXPECT_EQ(o.inertia.yy, I.yy) << l.name;
    EXPECT_EQ(o.inertia.zz, I.zz) << l.name;
    if (l.parent == nullptr) continue;
    EXPECT_EQ(o.axis.x, l.axis.x) << l.name;
    EXPECT_EQ(o.axis.y, l.axis.y) << l.name;
    EXPECT_EQ(o.axis.z, l.axis.z) << l.name;
    EXPECT_EQ(o.lower, l.lower) << l.name;
    EXPECT_EQ(o.upper, l.upper) << l.name;
    EXPECT_EQ(o.initial, l.stand) << l.name;
    EXPECT_EQ(o.servo.kp, l.kp) << l.name;
    EXPECT_EQ(o.servo.kd, l.kd) << l.name;
    EXPECT_EQ(o.servo.torque, l.torque) << l.name;
    EXPECT_EQ(o.servo.rotor, 0) << l.name;
    const Vec3 p = X[r.find(l.name).value].p - X[r.find(l.parent).value].p;
    EXPECT_NEAR(p.x, l.offset.x, 1e-15) << l.name;
    EXPECT_NEAR(p.y, l.offset.y, 1e-15) << l.name;
    EXPECT_NEAR(p.z, l.offset.z, 1e-15) << l.name;
  }
}

TEST(RobotToml, files_beyond_the_limits_are_refused) {
  const std::string object_text = "[[object]]\nname = \"o\"\nkind = \"fork\"\n";
  std::string many = "[robot]\nname = \"many\"\n";
  for (int i = 0; i < 10001; ++i) many += object_text;
  EXPECT_NE(text_of(parse_robot_toml(many, "many.toml")).find("the robot has more than 10000 objects"),
            std::string::npos);
}

}  // namespace
}  // namespace gradus

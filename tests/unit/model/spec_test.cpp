#include "model/spec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "model/check.h"

namespace gradus {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

RobotSpec good_arm() {
  RobotBuilder b("arm");
  b.fixed().base("post").translation("rise", {0, 0, 1}).revolute("shoulder", {0, 1, 0}).limits(-1, 1);
  b.solid_box(1, {0.1, 0.1, 0.4}, {0, 0, 0.2}).fork("split");
  b.translation("left", {0, 0.1, 0.4}).prismatic("slide", {0, 0, 1}).solid_sphere(0.2, 0.05, {0, 0, 0}).foot();
  b.after("split").translation("right", {0, -0.1, 0.4}).endpoint("tip");
  return b.spec();
}

SceneSpec good_scene() {
  SceneSpec s;
  FieldObjectSpec floor;
  floor.name = "floor";
  floor.shape.kind = ShapeKind::plane;
  s.field.push_back(floor);
  RobotInstanceSpec r;
  r.name = "arm1";
  r.robot = good_arm();
  s.robots.push_back(r);
  return s;
}

std::string all(const Diagnostics& d) {
  std::string s;
  for (const Diagnostic& x : d) s += to_string(x) + "\n";
  return s;
}

TEST(Spec, builder_makes_a_sound_tree_with_parents_before_children) {
  const RobotSpec r = good_arm();
  EXPECT_EQ(all(check(r)), "");
  EXPECT_EQ(r.objects[0].kind, ObjectKind::base);
  EXPECT_FALSE(r.objects[0].parent);
  EXPECT_EQ(r.objects[r.find("right").value].parent, r.find("split"));
  EXPECT_EQ(r.objects[r.find("left").value].parent, r.find("split"));
  EXPECT_FALSE(r.find("nobody"));
}

/// ∫ over the solid of ρ (|p|² 1 − p pᵀ) by the midpoint rule on a grid; `inside` tells the solid.
Sym3 inertia_by_grid(double mass, double half_width, double half_height, const std::function<bool(Vec3)>& inside) {
  constexpr int n = 120;
  Sym3 sum{0, 0, 0, 0, 0, 0};
  double cells = 0;
  for (int i = 0; i < n * n * n; ++i) {
    const auto at = [&](int k, double half) { return half * (2 * (k + 0.5) / n - 1); };
    const Vec3 p{at(i % n, half_width), at(i / n % n, half_width), at(i / n / n, half_height)};
    if (!inside(p)) continue;
    sum += point_inertia(1.0, p);
    cells += 1;
  }
  const double k = mass / cells;
  return {sum.xx * k, sum.xy * k, sum.xz * k, sum.yy * k, sum.yz * k, sum.zz * k};
}

void expect_near(const Sym3& a, const Sym3& b, double relative) {
  const double t = relative * (a.xx + a.yy + a.zz);
  EXPECT_NEAR(a.xx, b.xx, t);
  EXPECT_NEAR(a.yy, b.yy, t);
  EXPECT_NEAR(a.zz, b.zz, t);
}

TEST(Spec, inertias_of_solids_equal_the_integral_over_the_solid) {
  const double r = 0.1, l = 0.3;
  // 120 cells across: boundary error below half a percent
  expect_near(inertia_of_box(2, {0.2, 0.2, 0.3}), inertia_by_grid(2, 0.1, 0.15, [](Vec3) { return true; }), 1e-3);
  expect_near(inertia_of_sphere(2, r), inertia_by_grid(2, r, r, [&](Vec3 p) { return dot(p, p) < r * r; }), 5e-3);
  const auto in_cylinder = [&](Vec3 p) { return p.x * p.x + p.y * p.y < r * r; };
  expect_near(inertia_of_cylinder(2, r, l), inertia_by_grid(2, r, l / 2, in_cylinder), 5e-3);
  const auto in_capsule = [&](Vec3 p) {
    const double beyond = std::max(0.0, std::fabs(p.z) - l / 2);
    return p.x * p.x + p.y * p.y + beyond * beyond < r * r;
  };
  expect_near(inertia_of_capsule(2, r, l), inertia_by_grid(2, r, l / 2 + r, in_capsule), 5e-3);
}

TEST(Spec, box_inertia_puts_each_extent_on_its_own_axis) {
  const Sym3 I = inertia_of_box(12, {1, 2, 3});
  EXPECT_DOUBLE_EQ(I.xx, 13);
  EXPECT_DOUBLE_EQ(I.yy, 10);
  EXPECT_DOUBLE_EQ(I.zz, 5);
}

struct BadRobot {
  const char* name;
  std::function<void(RobotSpec&)> spoil;
  const char* message;  // exactly this, and nothing else
};

ObjectSpec& at(RobotSpec& r, const char* name) { return r.objects[r.find(name).value]; }

const BadRobot kBadRobots[] = {
    {"no_objects",
     [](RobotSpec& r) {
       r.objects.clear();
       r.feet.clear();
     },
     "error: the robot has no objects; begin with one of kind base\n"},
    {"duplicate_name", [](RobotSpec& r) { at(r, "tip").name = "rise"; },
     "error: object 'rise': this name is used twice; give every object its own name\n"},
    {"dotted_name", [](RobotSpec& r) { at(r, "tip").name = "a.b"; },
     "error: object 'a.b': this name cannot be used; use letters, digits, '_' and '-', at least one and no '.', '=', "
     "'/' "
     "or blanks\n"},
    {"no_base", [](RobotSpec& r) { r.objects[0].kind = ObjectKind::fork; },
     "error: object 'post': the first object is not the base; begin with an object of kind base\n"},
    {"two_bases", [](RobotSpec& r) { at(r, "tip").kind = ObjectKind::base; },
     "error: object 'tip': a robot has one base, this is the second; use a fork or a translation\n"
     "error: object 'tip': the base follows no other object; remove its predecessor\n"},
    {"parent_missing", [](RobotSpec& r) { at(r, "tip").parent = ObjectId(); },
     "error: object 'tip': its predecessor is missing; name an object that is described before it\n"},
    {"cycle", [](RobotSpec& r) { at(r, "tip").parent = r.find("tip"); },
     "error: object 'tip': it comes before its predecessor, or the objects form a cycle; describe every object after "
     "the one it follows\n"},
    {"after_endpoint", [](RobotSpec& r) { at(r, "right").kind = ObjectKind::endpoint; },
     "error: object 'tip': it follows the endpoint 'right', where a chain ends; follow the object before it\n"},
    {"second_successor", [](RobotSpec& r) { at(r, "right").parent = r.find("left"); },
     "error: object 'right': it is the second successor of 'left', which is no fork; put an object of kind fork after "
     "'left' and let both follow that\n"},
    {"zero_axis",
     [](RobotSpec& r) {
       at(r, "slide").axis = {0, 0, 0};
     },
     "error: object 'slide': its axis is zero; give a direction, e.g. [0, 0, 1]\n"},
    {"axis_nan", [](RobotSpec& r) { at(r, "slide").axis.y = kNaN; }, "error: object 'slide': its axis is not finite\n"},
    {"offset_inf", [](RobotSpec& r) { at(r, "rise").offset.x = INFINITY; },
     "error: object 'rise': its offset is not finite\n"},
    {"negative_mass", [](RobotSpec& r) { at(r, "shoulder").mass = -1; },
     "error: object 'shoulder': its mass is -1 kg; a mass must be finite and greater than 0\n"},
    {"mass_without_inertia", [](RobotSpec& r) { at(r, "slide").inertia = {0, 0, 0, 0, 0, 0}; },
     "error: object 'slide': it has a mass but no inertia; give its inertia, e.g. that of a solid box\n"},
    {"inertia_without_mass", [](RobotSpec& r) { at(r, "tip").inertia.xx = 1; },
     "error: object 'tip': it has an inertia but no mass; give its mass, or remove the inertia\n"},
    {"inertia_negative", [](RobotSpec& r) { at(r, "slide").inertia.yy = -1e-9; },
     "error: object 'slide': its inertia is not positive definite; a turning body always resists: all principal "
     "moments "
     "> 0\n"},
    {"inertia_off_diagonal", [](RobotSpec& r) { at(r, "slide").inertia = {1, 2, 0, 1, 0, 1}; },
     "error: object 'slide': its inertia is not positive definite; a turning body always resists: all principal "
     "moments "
     "> 0\n"},
    {"triangle", [](RobotSpec& r) { at(r, "slide").inertia = {1, 0, 0, 1, 0, 2.001}; },
     "error: object 'slide': its inertia breaks the triangle inequality; no principal moment may exceed the sum of the "
     "other two; are units and order (xx yy zz xy xz yz) right?\n"},
    {"limits_reversed", [](RobotSpec& r) { at(r, "shoulder").lower = 2; },
     "error: object 'shoulder': its limits are reversed: 2 … 1; write the lower one first\n"},
    {"initial_outside", [](RobotSpec& r) { at(r, "shoulder").initial = 1.5; },
     "error: object 'shoulder': its initial coordinate 1.5 is outside its limits -1 … 1; set an initial coordinate "
     "within the limits\n"},
    {"servo_negative", [](RobotSpec& r) { at(r, "shoulder").servo.kp = -2; },
     "error: object 'shoulder': its servo has kp -2, kd 0, rotor 0; none may be negative\n"},
    {"servo_torque_zero", [](RobotSpec& r) { at(r, "shoulder").servo.torque = 0; },
     "error: object 'shoulder': its servo has torque 0; the stall torque must be > 0\n"},
    {"leaf_without_mass",
     [](RobotSpec& r) {
       at(r, "slide").mass = 0;
       at(r, "slide").inertia = {0, 0, 0, 0, 0, 0};
     },
     "error: object 'slide': it moves nothing that has a mass; give this object or one after it a mass and an "
     "inertia\n"},
    {"free_root_without_mass", [](RobotSpec& r) { r.root = RootKind::free; },
     "error: object 'post': a free base needs a mass; give the base, or an object fixed to it, a mass and an "
     "inertia\n"},
    {"mimic_unknown", [](RobotSpec& r) { at(r, "slide").mimic = MimicSpec{"shulder"}; },
     "error: object 'slide': it mimics 'shulder', which is not a joint; did you mean 'shoulder'?\n"},
    {"mimic_itself", [](RobotSpec& r) { at(r, "slide").mimic = MimicSpec{"slide"}; },
     "error: object 'slide': it mimics itself, directly or through others; let one joint of the circle be free\n"},
    {"mimic_circle",
     [](RobotSpec& r) {
       at(r, "slide").mimic = MimicSpec{"shoulder"};
       at(r, "shoulder").mimic = MimicSpec{"slide"};
     },
     "error: object 'shoulder': it mimics itself, directly or through others; let one joint of the circle be free\n"
     "error: object 'slide': it mimics itself, directly or through others; let one joint of the circle be free\n"},
    {"foot_unknown", [](RobotSpec& r) { r.feet = {"slid"}; },
     "error: the foot 'slid' is not an object of the robot; did you mean 'slide'?\n"},
    {"foot_without_shape", [](RobotSpec& r) { r.feet = {"tip"}; },
     "error: the foot 'tip' has no shape to stand on; known: shoulder, slide\n"},
    {"sphere_radius", [](RobotSpec& r) { at(r, "slide").shapes[0].radius = -1; },
     "error: object 'slide': the radius of the sphere is -1 m; sizes must be finite and greater than 0\n"},
    {"mesh_missing", [](RobotSpec& r) { at(r, "slide").shapes[0].kind = ShapeKind::mesh; },
     "error: object 'slide': the shape names a mesh that is not loaded; sizes must be finite and greater than 0\n"},
    {"colour",
     [](RobotSpec& r) {
       at(r, "slide").colour = Vec3{0, 255, 0};
     },
     "error: object 'slide': a colour has three parts from 0 to 1; e.g. [0.2, 0.4, 0.9]\n"},
};

class BadRobotCheck : public testing::TestWithParam<BadRobot> {};
TEST_P(BadRobotCheck, says_exactly_what_is_wrong) {
  RobotSpec r = good_arm();
  GetParam().spoil(r);
  EXPECT_EQ(all(check(r)), GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(Spec, BadRobotCheck, testing::ValuesIn(kBadRobots),
                         [](const auto& i) { return i.param.name; });

TEST(Spec, triangle_inequality_is_judged_on_principal_moments_not_on_the_diagonal) {
  RobotSpec r = good_arm();
  const Mat3 R = to_matrix(from_axis_angle({1, 2, 3}, 0.7));
  at(r, "slide").inertia = rotated(R, Sym3{1, 0, 0, 1, 0, 1.999});
  EXPECT_EQ(all(check(r)), "");
  at(r, "slide").inertia = rotated(R, Sym3{1, 0, 0, 1, 0, 2.001});
  EXPECT_NE(all(check(r)), "");
}

TEST(Spec, a_robot_without_any_mass_is_allowed_for_kinematics_only) {
  SceneSpec s = good_scene();
  RobotInstanceSpec& a = s.robots[0];
  for (ObjectSpec& o : a.robot.objects) o.mass = 0, o.com = {0, 0, 0}, o.inertia = {0, 0, 0, 0, 0, 0};
  a.motion = "kinematic_walk";
  EXPECT_EQ(all(check(s)), "");
  a.motion = "articulated";
  EXPECT_EQ(all(check(s)),
            "error: robot 'arm1': the motion articulated needs masses, and 'arm' has none; give its bodies "
            "masses, or use kinematic_walk\n");
}

struct BadScene {
  const char* name;
  std::function<void(SceneSpec&)> spoil;
  const char* message;
};

const BadScene kBadScenes[] = {
    {"step_zero", [](SceneSpec& s) { s.step = 0; },
     "error: the step is 0 s; use a step from 1 ns to 100 ms, e.g. \"1 ms\"\n"},
    {"gravity", [](SceneSpec& s) { s.gravity.z = kNaN; }, "error: gravity is not finite\n"},
    {"log_period", [](SceneSpec& s) { s.log_period = -1; },
     "error: the log period is -1 s; it must be from 1 ns to 1e8 s\n"},
    {"law", [](SceneSpec& s) { s.contact.law = "complaint"; },
     "error: there is no contact law 'complaint'; did you mean 'compliant'?\n"},
    {"friction", [](SceneSpec& s) { s.contact.friction = -0.1; },
     "error: contact friction is -0.1; it must not be negative\n"},
    {"motion", [](SceneSpec& s) { s.robots[0].motion = "articulate"; },
     "error: robot 'arm1': there is no motion 'articulate'; did you mean 'articulated'?\n"},
    {"controller", [](SceneSpec& s) { s.robots[0].controller.kind = "keyframe"; },
     "error: robot 'arm1': there is no controller 'keyframe'; did you mean 'keyframes'?\n"},
    {"controller_rate",
     [](SceneSpec& s) {
       s.robots[0].controller.kind = "library";
       s.robots[0].controller.file = "a.so";
       s.robots[0].controller.period = 0.0001;
     },
     "error: robot 'arm1': its controller's period 0.0001 s is shorter than the step 0.001 s; lower its rate, or "
     "shorten "
     "the step\n"},
    {"duplicate_robot", [](SceneSpec& s) { s.robots.push_back(s.robots[0]); },
     "error: robot 'arm1': this name is used twice; give every robot its own name\n"},
    {"no_plane",
     [](SceneSpec& s) {
       s.field.clear();
       s.robots[0].on_ground = true;
     },
     "error: robot 'arm1': it is to stand on the ground, but the field has no plane or height field; include a field "
     "with a plane, "
     "e.g. "
     "fields/plane.toml, or give z\n"},
    {"steep_ground",
     [](SceneSpec& s) {
       s.field[0].X_WO.R = to_matrix(from_axis_angle({1, 0, 0}, 1.5));
       s.robots[0].on_ground = true;
     },
     "error: robot 'arm1': it is to stand on 'floor', which is too steep; give z\n"},
    {"nothing_to_stand_on",
     [](SceneSpec& s) {
       for (ObjectSpec& o : s.robots[0].robot.objects) o.shapes.clear();
       s.robots[0].robot.feet.clear();
       s.robots[0].on_ground = true;
     },
     "error: robot 'arm1': it is to stand on the ground, but has no shape that touches it; give z\n"},
    {"robot_inside", [](SceneSpec& s) { s.robots[0].robot.objects[2].mass = -3; },
     "error: robot 'arm1': object 'shoulder': its mass is -3 kg; a mass must be finite and greater than 0\n"},
};

class BadSceneCheck : public testing::TestWithParam<BadScene> {};
TEST_P(BadSceneCheck, says_exactly_what_is_wrong) {
  SceneSpec s = good_scene();
  EXPECT_EQ(all(check(s)), "");
  GetParam().spoil(s);
  EXPECT_EQ(all(check(s)), GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(Spec, BadSceneCheck, testing::ValuesIn(kBadScenes),
                         [](const auto& i) { return i.param.name; });

TEST(Spec, ten_thousand_mimics_in_a_row_are_checked_in_no_time) {
  RobotBuilder b("chain");
  b.base("o0").solid_sphere(1, 1, {0, 0, 0});
  for (int i = 1; i < 10000; ++i) b.revolute("o" + std::to_string(i), {0, 0, 1}).solid_sphere(1, 1, {0, 0, 0});
  RobotSpec r = b.spec();
  for (std::size_t i = 2; i < r.objects.size(); ++i) r.objects[i].mimic = MimicSpec{"o" + std::to_string(i - 1)};
  EXPECT_EQ(all(check(r)), "");
}

}  // namespace
}  // namespace gradus

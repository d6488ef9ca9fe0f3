/// Joints with types of their own [model/joints/joint_type.h] against closed forms and against what they replace.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "load/robot_toml.h"
#include "load/scene_json.h"
#include "model/joints/joint_type.h"
#include "support/order.h"
#include "support/robots.h"
#include "tree/kernels.h"

namespace gradus::test {
namespace {

const JointType& ball() { return *find_joint_type("ball"); }

std::vector<double> numbers(std::span<const double> x) { return {x.begin(), x.end()}; }

/// A body on a ball joint that is bolted to the world.
SceneSpec hung(double h, double mass, Vec3 com, Sym3 inertia, Vec3 gravity, double spring = 0) {
  RobotBuilder b("hung");
  b.fixed().base("hook").joint("body", ball()).mass(mass, com, inertia);
  RobotSpec robot = b.spec();
  for (ObjectSpec& o : robot.objects)
    if (o.type) o.spring = spring;
  SceneSpec s = scene(h);
  s.gravity = gravity;
  add(s, robot, "articulated");
  return s;
}

void turn_at(World& world, Vec3 q, Vec3 w) {
  std::vector<double> a = numbers(world.q(0)), b = numbers(world.v(0));
  a[7] = q.x, a[8] = q.y, a[9] = q.z;
  b[6] = w.x, b[7] = w.y, b[8] = w.z;
  ASSERT_TRUE(world.set_q(0, a) && world.set_v(0, b));
}

Vec3 part(std::span<const double> x, std::size_t from) { return {x[from], x[from + 1], x[from + 2]}; }

/// In a plane a ball is a hinge: pushed over the top, it goes round with it through half turns.
TEST(BallJoint, in_a_plane_is_a_hinge) {
  RobotBuilder b("pendulum");
  b.fixed().base("hook").revolute("body", {0, 1, 0}).mass(0.7, {0, 0, -0.4}, {0.01, 0, 0, 0.012, 0, 0.003});
  SceneSpec plain = scene(0.001);
  add(plain, b.spec(), "articulated");
  const auto hinge = make_world(plain), free = make_world(hung(0.001, 0.7, {0, 0, -0.4}, {0.01, 0, 0, 0.012, 0, 0.003}, {0, 0, -9.81}));
  std::vector<double> v = numbers(hinge->v(0));
  v[6] = 12;
  ASSERT_TRUE(hinge->set_v(0, v));
  turn_at(*free, {0, 0, 0}, {0, 12, 0});
  for (int i = 0; i < 3000; ++i) {
    hinge->step(), free->step();
    ASSERT_NEAR(std::remainder(hinge->q(0)[7] - free->q(0)[8], 2 * std::numbers::pi), 0, 1e-10) << i;
    ASSERT_NEAR(hinge->v(0)[6], free->v(0)[7], 1e-9) << i;
    ASSERT_LE(norm(part(free->q(0), 7)), std::numbers::pi + 1e-12);
  }
  EXPECT_GT(hinge->q(0)[7], 6 * std::numbers::pi);
  EXPECT_EQ(free->q(0)[7], 0);
  EXPECT_EQ(free->v(0)[8], 0);
}

/// Euler's equations J ẇ = J w × w in the body's axes, by steps a hundredth as long of order four.
Vec3 euler(Sym3 J, Vec3 w, double seconds, int steps) {
  const Sym3 inverse_J = inverse(J);
  const auto f = [&](Vec3 x) { return inverse_J * cross(J * x, x); };
  const double h = seconds / steps;
  for (int i = 0; i < steps; ++i) {
    const Vec3 a = f(w), b = f(w + a * (h / 2)), c = f(w + b * (h / 2)), d = f(w + c * h);
    w += (a + b * 2.0 + c * 2.0 + d) * (h / 6);
  }
  return w;
}

TEST(BallJoint, a_body_held_at_its_centre_tumbles_as_euler_says) {
  const Sym3 J{0.01, 0.001, 0, 0.02, -0.002, 0.025};
  const Vec3 start{3, 5, -1};
  const Vec3 exact = euler(J, start, 0.5, 20000);
  const auto error = [&](double h) {
    const auto world = make_world(hung(h, 1, {0, 0, 0}, J, {0, 0, -9.81}));
    turn_at(*world, {0.3, -2, 1}, start);
    run(*world, 0.5);
    return norm(part(world->v(0), 6) - exact);
  };
  expect_order(error, 0.002, 2, 0.01);
}

/// The heavy top with J1 = J2: E, the vertical and the axial angular momentum stay.
TEST(BallJoint, a_heavy_top_keeps_what_it_must_keep) {
  const Sym3 J{0.01, 0, 0, 0.01, 0, 0.004};
  const Vec3 com{0, 0, 0.3};
  const double m = 0.5;
  const auto error = [&](double h) {
    const auto world = make_world(hung(h, m, com, J, {0, 0, -9.81}));
    turn_at(*world, {0.5, 0.2, 0}, {0.4, 0, 60});
    const auto kept = [&] {
      const Vec3 w = part(world->v(0), 6);
      const Mat3 R = to_matrix(exponential(part(world->q(0), 7)));
      const Vec3 L = R * (J * w + cross(com, cross(w, com)) * m);
      return Vec3{world->energy(0), L.z, w.z};
    };
    const Vec3 before = kept();
    double worst = 0;
    while (world->time() < 1) {
      world->step();
      worst = std::max(worst, norm(kept() - before));
    }
    return worst;
  };
  expect_order(error, 0.0005, 2, 0.004);
}

/// −k q about any axis: a sphere swings with ω = √(k/J), whatever the amplitude, as it would on a hinge about that axis.
TEST(BallJoint, its_spring_swings_a_sphere_about_any_axis) {
  const double J = 0.02, k = 3, omega = std::sqrt(k / J);
  const Vec3 axis = Vec3{1, 2, -2} * (1.0 / 3);
  const auto free = make_world(hung(0.0005, 1, {0, 0, 0}, {J, 0, 0, J, 0, J}, {0, 0, 0}, k));
  turn_at(*free, axis * 2.5, {0, 0, 0});
  RobotBuilder b("swing");
  b.fixed().base("hook").revolute("body", axis).mass(1, {0, 0, 0}, {J, 0, 0, J, 0, J}).initial(2.5);
  RobotSpec robot = b.spec();
  robot.objects[1].spring = k;
  SceneSpec s = scene(0.0005);
  s.gravity = {0, 0, 0};
  add(s, robot, "articulated");
  const auto hinge = make_world(s);
  for (int i = 0; i < 1000; ++i) {
    free->step(), hinge->step();
    const Vec3 q = part(free->q(0), 7);
    ASSERT_LT(norm(q - axis * dot(q, axis)), 1e-12);
    ASSERT_NEAR(dot(q, axis), hinge->q(0)[7], 1e-11) << i;
    // implicit springs lose (ω h)² of their energy a step
    ASSERT_NEAR(dot(q, axis), 2.5 * std::cos(omega * free->time()), 2.5 * 0.5 * omega * omega * 0.0005 * free->time() + 1e-4) << i;
  }
}

RobotSpec chain() {
  RobotBuilder b("chain");
  b.base("first").solid_box(1, {0.3, 0.05, 0.04}, {0.15, 0, 0});
  b.translation("c1", {0.3, 0, 0}).rotation("tilt", {1, 1, 0}, 0.4).joint("second", ball()).solid_box(0.6, {0.3, 0.05, 0.03}, {0.15, 0, 0.02});
  b.translation("c2", {0.3, 0, 0}).revolute("third", {0, 1, 0}).solid_box(0.8, {0.3, 0.04, 0.05}, {0.15, 0, 0});
  b.translation("c3", {0.3, 0, 0}).joint("fourth", ball()).solid_box(0.4, {0.3, 0.05, 0.05}, {0.15, 0, 0});
  return b.spec();
}

TEST(BallJoint, a_chain_in_space_keeps_both_momenta) {
  SceneSpec s = scene(0.001);
  s.gravity = {0, 0, 0};
  RobotInstanceSpec& r = add(s, chain(), "articulated");
  r.v_WB = {0.3, -0.2, 0.1}, r.w_WB = {2, -1, 3};
  const auto world = make_world(s);
  std::vector<double> q = numbers(world->q(0)), v = numbers(world->v(0));
  for (std::size_t j = 0; j < 7; ++j) q[7 + j] = 0.3 * static_cast<double>(j) - 1, v[6 + j] = 2 - 0.7 * static_cast<double>(j);
  ASSERT_TRUE(world->set_q(0, q) && world->set_v(0, v));
  const Vec6 before = world->momentum(0);
  const double energy = world->energy(0);
  run(*world, 2);
  const Vec6 after = world->momentum(0);
  EXPECT_LT(norm(after.l - before.l), 1e-11) << norm(before.l);
  EXPECT_LT(norm(after.a - before.a), 1e-11) << norm(before.a);
  EXPECT_NEAR(world->energy(0), energy, 2e-3 * energy);
}

/// Forward after inverse dynamics gives the accelerations back, and gravity takes as much energy as it gives speed.
TEST(BallJoint, forward_and_inverse_dynamics_agree) {
  const auto kind = kind_of(chain());
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    RandomState x = random_state(*kind, random);
    TreeScratch s(*kind);
    std::vector<double> a(static_cast<std::size_t>(kind->nv())), tau(a.size()), back(a.size());
    for (double& k : a) k = random.in(-3, 3);
    inverse_dynamics(*kind, x.q.data(), x.v.data(), a.data(), {0, 0, -9.81}, s, tau.data());
    // the root feels no force in forward_dynamics: take its acceleration from there, the joints' from tau
    forward_dynamics(*kind, x.q.data(), x.v.data(), tau.data() + 6, {0, 0, -9.81}, s, back.data());
    std::vector<double> again(a.size());
    inverse_dynamics(*kind, x.q.data(), x.v.data(), back.data(), {0, 0, -9.81}, s, again.data());
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(again[k], 0, 1e-9);
    for (std::size_t k = 6; k < a.size(); ++k) EXPECT_NEAR(again[k], tau[k], 1e-9);
  }
}

constexpr const char* kFile = R"([robot]
name = "flail"
root = "fixed"

[[object]]
name = "hook"
kind = "base"

[[object]]
name = "rod"
kind = "ball"
damping = "0.1 N m s/rad"
mass = "1 kg"
inertia = { sphere = "5 cm" }
com = ["0 m", "0 m", "-30 cm"]

[[object]]
name = "more"
kind = "translation"
offset = ["0 m", "0 m", "-30 cm"]
)";

TEST(BallJoint, comes_from_files_and_goes_into_logs) {
  const auto robot = parse_robot_toml(kFile, "flail.toml");
  ASSERT_TRUE(robot) << robot.notes()[0].text;
  EXPECT_EQ(robot->joint_names(), (std::vector<std::string>{"rod_x", "rod_y", "rod_z"}));
  SceneSpec s = scene(0.001);
  add(s, *robot, "articulated");
  const auto back = scene_from_json(to_json(s), "log");
  ASSERT_TRUE(back);
  const auto a = make_world(s), b = make_world(*back);
  turn_at(*a, {1, 0.2, 0}, {0, 3, 1}), turn_at(*b, {1, 0.2, 0}, {0, 3, 1});
  run(*a, 0.5), run(*b, 0.5);
  EXPECT_EQ(a->hash(), b->hash());
  EXPECT_LT(a->energy_error(), 0);
  for (const char* level : {"prescribed_joints", "single_body"}) EXPECT_FALSE(a->set_motion(0, level).empty());
}

TEST(BallJoint, is_refused_where_it_makes_no_sense) {
  const auto complaint = [](std::string text, const std::string& was, const std::string& is) {
    text.replace(text.find(was), was.size(), is);
    const auto r = parse_robot_toml(text, "flail.toml");
    EXPECT_FALSE(r) << is;
    return r ? "" : r.notes()[0].text;
  };
  const std::string damping = "damping = \"0.1 N m s/rad\"";
  EXPECT_NE(complaint(kFile, damping, "limits = [\"0 deg\", \"5 deg\"]").find("a ball has no limits"), std::string::npos);
  EXPECT_NE(complaint(kFile, damping, "axis = \"y\"").find("a ball has no axis"), std::string::npos);
  EXPECT_NE(complaint(kFile, damping, "servo = { kp = \"1 N m/rad\" }").find("a ball has no servo"), std::string::npos);
  EXPECT_NE(complaint(kFile, "kind = \"translation\"\noffset = [\"0 m\", \"0 m\", \"-30 cm\"]", "like = \"rod\"").find("more than one coordinate"),
            std::string::npos);
  EXPECT_NE(complaint(kFile, "kind = \"translation\"", "after = \"rod_x\"\nkind = \"translation\"").find("follow"), std::string::npos);
}

}  // namespace
}  // namespace gradus::test

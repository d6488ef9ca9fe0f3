/// Closed loops [docs/couple.md (17)] against closed forms: what a linkage does is geometry, what it weighs is a pendulum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "contact/contact_set.h"
#include "support/order.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

constexpr double kG = 9.81;

/// How far the loops of a world are open at most.
double opening(const World& world) {
  double most = 0;
  for (const MovingContact& c : world.engine().moving_contacts().contacts())
    if (c.held) most = std::max(most, c.gap);
  return most;
}

RobotBuilder& rod(RobotBuilder& b, const char* name, double length, double mass, double angle) {
  return b.revolute(name, {0, 1, 0}).solid_box(mass, {length, 0.01, 0.01}, {length / 2, 0, 0}).initial(angle);
}

/// Crank a, coupler b, rocker c on a base d in the plane y = 0; angles are those of the rods above x, so that a joint's
/// coordinate about y is their negative.
struct FourBar {
  double a = 0.1, b = 0.35, c = 0.25, d = 0.3;
  /// Angle of the rocker by the law of cosines in the two triangles that the diagonal makes.
  double rocker(double crank) const {
    const double x = d - a * std::cos(crank), z = 0 - a * std::sin(crank), diagonal = std::hypot(x, z);
    return M_PI - std::acos((c * c + diagonal * diagonal - b * b) / (2 * c * diagonal)) + std::atan2(z, x);
  }
  double coupler(double crank) const {
    const double r = rocker(crank);
    return std::atan2(c * std::sin(r) - a * std::sin(crank), d + c * std::cos(r) - a * std::cos(crank));
  }
  RobotSpec robot(double crank, double kp, LoopHold hold = LoopHold::ball) const {
    RobotBuilder builder("four_bar");
    builder.fixed().base("frame").fork("posts");
    rod(builder, "crank", a, 0.2, -crank).servo({kp, kp / 20});
    builder.translation("crank_pin", {a, 0, 0});
    rod(builder, "coupler", b, 0.7, -(coupler(crank) - crank));
    builder.after("posts").translation("far_post", {d, 0, 0});
    rod(builder, "rocker", c, 0.5, -rocker(crank));
    LoopSpec pin{.name = "pin", .a = "coupler", .b = "rocker", .hold = hold, .at = {b, 0, 0}, .axis = {0, 1, 0}};
    pin.meets = Vec3{c, 0, 0};
    builder.loop(pin);
    return builder.spec();
  }
};

TEST(Loop, a_four_bar_linkage_moves_as_its_triangles_say) {
  const FourBar bar;
  for (const LoopHold hold : {LoopHold::ball, LoopHold::hinge})
    for (const double h : {0.001, 0.005}) {
      SceneSpec s = scene(h);
      add(s, bar.robot(1.0, 200, hold), "articulated");
      const auto world = make_world(s);
      double worst = 0, turned = 0;
      while (world->time() < 3) {
        world->targets(0)[0] = -(1.0 + 2 * M_PI * 0.5 * world->time());  // half a turn a second
        world->step();
        turned = -world->q(0)[7];
        worst = std::max(worst, std::fabs(std::remainder(-world->q(0)[9] - bar.rocker(turned), 2 * M_PI)));
      }
      EXPECT_GT(turned, 8);         // it went round
      EXPECT_LT(worst, 20 * h * h) << h;  // [rad] curvature of the way in a step, corrected in the next
      EXPECT_LT(opening(*world), 5 * h * h);
    }
}

/// Two rods hang a bar: all its points swing on circles of one radius, so it does not turn and the whole is one pendulum,
///   (⅔ m L² + M L²) θ̈ = −(m + M) g L sin θ
TEST(Loop, a_swing_on_two_rods_has_the_period_of_a_pendulum) {
  constexpr double L = 0.5, width = 0.3, m = 0.4, M = 1.5, start = 1.2;
  const double thick = 0.01 * 0.01 / 12;
  const double I = 2 * m * (L * L / 12 + thick + L * L / 4) + M * L * L, torque = (m + M) * kG * L;
  const double exact = 4 * std::sqrt(I / torque) * std::comp_ellint_1(std::sin(start / 2));
  const auto period = [&](double h) {
    RobotBuilder b("swing");
    b.fixed().base("beam").fork("posts");
    rod(b, "left", L, m, M_PI / 2 - start).translation("left_end", {L, 0, 0});
    b.revolute("bar", {0, 1, 0}).solid_box(M, {width, 0.05, 0.02}, {width / 2, 0, 0}).initial(-(M_PI / 2 - start));
    b.after("posts").translation("right_post", {width, 0, 0});
    rod(b, "right", L, m, M_PI / 2 - start);
    b.loop({.name = "pin", .a = "bar", .b = "right", .at = {width, 0, 0}});
    SceneSpec s = scene(h);
    add(s, b.spec(), "articulated");
    const auto world = make_world(s);
    double first = -1, last = -1;
    for (int crossings = 0; crossings < 4;) {
      const double before = world->q(0)[7] - M_PI / 2, t = world->time();
      world->step();
      const double after = world->q(0)[7] - M_PI / 2;
      if (!(before < 0 && after >= 0)) continue;
      last = t + h * before / (before - after);
      if (crossings++ == 0) first = last;
    }
    return (last - first) / 3;
  };
  EXPECT_NEAR(period(0.001) / exact, 1, 1e-3);
  EXPECT_LT(std::fabs(period(0.0005) - exact), 0.6 * std::fabs(period(0.001) - exact) + 1e-6);
}

/// Two rods lean on each other, a weight W on the first one's tip. Moments about the posts, rods of length L at angle φ
/// above x and mirrored, F on the first by the second:
///   first   L (F_x sin φ − F_z cos φ) = −L (W + w/2) cos φ,   second   L (F_x sin φ + F_z cos φ) = −L w/2 cos φ
TEST(Loop, rods_that_lean_on_each_other_share_a_weight) {
  constexpr double L = 0.4, phi = 0.9, m = 0.3, weight = 2;
  RobotBuilder b("a_frame");
  b.fixed().base("floor").fork("posts");
  rod(b, "first", L, m, -phi).translation("tip", {L, 0, 0}).mass(weight, {0, 0, 0}, {1e-5, 0, 0, 1e-5, 0, 1e-5});
  b.after("posts").translation("far", {2 * L * std::cos(phi), 0, 0});
  rod(b, "second", L, m, -(M_PI - phi));
  b.loop({.name = "ridge", .a = "first", .b = "second", .at = {L, 0, 0}});
  SceneSpec s = scene(0.001);
  add(s, b.spec(), "articulated");
  const auto world = make_world(s);
  run(*world, 0.5);
  ASSERT_EQ(world->engine().moving_contacts().contacts().size(), 1u);
  const Vec3 F = world->engine().moving_contacts().contacts()[0].impulse * (1 / 0.001);
  const double w = m * kG, W = weight * kG;
  EXPECT_NEAR(F.z, W / 2, 1e-6 * W);
  EXPECT_NEAR(F.x, -(W + w) / 2 / std::tan(phi), 1e-6 * W);
  EXPECT_LT(fastest(*world), 1e-9);
  EXPECT_LT(opening(*world), 1e-12);
}

/// A ring of four bodies tumbling in space: nothing outside acts, so both momenta stay to rounding.
TEST(Loop, a_ring_in_space_keeps_its_momentum) {
  for (const LoopHold hold : {LoopHold::ball, LoopHold::hinge, LoopHold::weld}) {
    RobotBuilder b("ring");
    b.base("first").solid_box(1, {0.3, 0.05, 0.04}, {0.15, 0, 0});
    b.translation("c1", {0.3, 0, 0}).revolute("second", {0, 1, 0}).solid_box(0.6, {0.3, 0.05, 0.03}, {0.15, 0, 0}).initial(-M_PI / 2);
    b.translation("c2", {0.3, 0, 0}).revolute("third", {0, 1, 0}).solid_box(0.8, {0.3, 0.04, 0.05}, {0.15, 0, 0}).initial(-M_PI / 2);
    b.translation("c3", {0.3, 0, 0}).revolute("fourth", {0, 1, 0}).solid_box(0.4, {0.3, 0.05, 0.05}, {0.15, 0, 0}).initial(-M_PI / 2);
    b.loop({.name = "clasp", .a = "fourth", .b = "first", .hold = hold, .at = {0.3, 0, 0}, .axis = {0, 1, 0}});
    SceneSpec s = scene(0.001);
    s.gravity = {0, 0, 0};
    RobotInstanceSpec& r = add(s, b.spec(), "articulated");
    r.v_WB = {0.3, -0.2, 0.1}, r.w_WB = {2, -1, 3};
    const auto world = make_world(s);
    struct Momenta {
      Vec3 p{0, 0, 0}, L{0, 0, 0};
      double energy = 0;
    };
    const auto momenta = [&] {
      Momenta out;
      const Vec3 root = base_position(world->q(0).data()), v0 = base_velocity(world->v(0).data());
      for (std::size_t i = 0; i < world->engine().frames(0).size(); ++i) {
        const Link& l = world->model().robots[0].kind->links[i];
        const Frame& f = world->engine().frames(0)[i];
        const Vec3 c = f.p + f.R * l.com, u = v0 + velocity_at(f.V, c), w = transpose_times(f.R, f.V.a);
        out.p += u * l.mass;
        out.L += cross(root + c, u) * l.mass + f.R * (l.J * w);
        out.energy += 0.5 * l.mass * dot(u, u) + 0.5 * dot(w, l.J * w);
      }
      return out;
    };
    world->step();  // the start velocities need not fit the ring
    const Momenta start = momenta();
    run(*world, 2);
    const Momenta end = momenta();
    EXPECT_LT(norm(end.p - start.p), 1e-11 * norm(start.p));
    EXPECT_LT(norm(end.L - start.L), 1e-11 * norm(start.L));
    EXPECT_LT(end.energy, start.energy);  // order h: loops are held with the velocities at the end of the step
    EXPECT_GT(end.energy, start.energy * 0.99);
    EXPECT_LT(opening(*world), 1e-12);
  }
}

TEST(Loop, a_weld_makes_two_links_one) {
  // A rod on a hinge, cut in the middle by a second hinge that a weld holds: it swings as the whole rod.
  const auto angle = [](bool cut) {
    RobotBuilder b("rod");
    b.fixed().base("hook");
    b.revolute("upper", {0, 1, 0}).solid_box(1, {0.02, 0.02, 0.3}, {0, 0, -0.15}).initial(0.7);
    b.translation("middle", {0, 0, -0.3});
    if (cut) {
      b.revolute("lower", {0, 1, 0});
      b.loop({.name = "glue", .a = "lower", .b = "upper", .hold = LoopHold::weld, .at = {0, 0, -0.02}});
    }
    b.translation("end", {0, 0, 0}).solid_box(0.5, {0.02, 0.02, 0.3}, {0, 0, -0.15});
    SceneSpec s = scene(0.001);
    add(s, b.spec(), "articulated");
    const auto world = make_world(s);
    run(*world, 1);
    return world->q(0)[7];
  };
  EXPECT_NEAR(angle(true), angle(false), 2e-3);
}

TEST(Loop, stands_on_the_ground_under_load) {
  // A five-bar leg: body on two driven hips, shins joined at the foot, which is a ball on the plane.
  RobotBuilder b("hopper");
  b.base("body").solid_box(2, {0.2, 0.1, 0.08}, {0, 0, 0}).fork("hips");
  const double thigh = 0.15, shin = 0.25, half = 0.05, out = 0.6;
  const double knee_x = half + thigh * std::sin(out), shin_angle = std::asin(knee_x / shin);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "front" : "rear";
    b.after("hips").translation(name + "_hip", {side * half, 0, 0});
    b.revolute(name + "_thigh", {0, 1, 0}).solid_box(0.1, {0.02, 0.02, thigh}, {0, 0, -thigh / 2}).initial(-side * out).servo({60, 3});
    b.translation(name + "_knee", {0, 0, -thigh}).revolute(name + "_shin", {0, 1, 0});
    b.solid_box(0.1, {0.02, 0.02, shin - 0.1}, {0, 0, -shin / 2}).initial(side * (out + shin_angle));
  }
  b.after("front_shin").translation("foot", {0, 0, -shin}).solid_sphere(0.05, 0.02, {0, 0, 0});
  b.loop({.name = "ankle", .a = "front_shin", .b = "rear_shin", .at = {0, 0, -shin}, .meets = Vec3{0, 0, -shin}});
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, b.spec(), "articulated", {0, 0, thigh * std::cos(out) + shin * std::cos(shin_angle) + 0.02});
  const auto world = make_world(s);
  run(*world, 0.3);  // then it tips over, as one leg does
  EXPECT_LT(opening(*world), 1e-6);
  EXPECT_NEAR(world->contact_force(0, world->model().robots[0].kind->objects[static_cast<std::size_t>(
                  world->model().robots[0].kind->find_object("foot"))].link), 2.45 * kG, 0.15 * 2.45 * kG);
}

/// Twisted by 0.1 rad about the line across them, the points of a hinge are closer on that line than their width. Taken
/// home one by one they would strain against each other by what that is, and the impulses would grow from step to step.
TEST(Loop, hinges_and_welds_that_begin_twisted_do_not_strain) {
  for (const LoopHold hold : {LoopHold::hinge, LoopHold::weld}) {
    RobotBuilder b("pair");
    b.fixed().base("hook").fork("posts");
    b.revolute("swing", {0, 1, 0}).solid_box(1, {0.3, 0.02, 0.02}, {0.15, 0, 0});
    b.revolute("turn", {1, 0, 0}).solid_box(0.5, {0.1, 0.2, 0.02}, {0.3, 0, 0});
    b.after("posts").revolute("other", {0, 1, 0}).solid_box(1, {0.3, 0.02, 0.02}, {0.15, 0, 0});
    b.loop({.name = "pin", .a = "turn", .b = "other", .hold = hold, .at = {0.3, 0, 0}, .axis = {0, 1, 0}});
    SceneSpec s = scene(0.001);
    s.gravity = {0, 0, 0};
    add(s, b.spec(), "articulated");
    const auto world = make_world(s);
    std::vector<double> q(world->q(0).begin(), world->q(0).end());
    q[8] = 0.1;
    ASSERT_TRUE(world->set_q(0, q));
    run(*world, 1);
    EXPECT_NEAR(world->q(0)[8], 0, 4e-8);  // couple settles to 1e-6 m/s, in a step 1e-9 m of the points 5 cm apart
    EXPECT_LT(opening(*world), 5e-9);
    for (const MovingContact& c : world->engine().moving_contacts().contacts()) EXPECT_LT(norm(c.impulse), 1e-4) << static_cast<int>(hold);
  }
}

/// A passive linkage swings: what joints and pins do is no work, so nothing may ever rise.
TEST(Loop, makes_no_energy) {
  const FourBar bar;
  for (const double h : {0.001, 0.0005}) {
    SceneSpec s = scene(h);
    add(s, bar.robot(1.0, 0, LoopHold::hinge), "articulated");
    const auto world = make_world(s);
    ASSERT_TRUE(world->keeps_books());
    double least = 0, rise = 0;
    while (world->time() < 4) {
      world->step();
      least = std::min(least, world->energy_error());
      rise = std::max(rise, world->energy_error() - least);
    }
    std::printf("  h %g: lost %.3e J, rises by %.3e J\n", h, -least, rise);
    EXPECT_LT(rise, 0.02 * h / 0.001);
    EXPECT_LT(-least, 0.2 * h / 0.001);
  }
}

/// A loop is neither a touch for people nor for sensors, and moves no prescribed joints.
TEST(Loop, is_no_touch_and_asks_for_articulated) {
  const FourBar bar;
  SceneSpec s = scene(0.001);
  RobotSpec robot = bar.robot(1.0, 200);
  robot.sensors = {{"skin", "touch", "coupler", identity_pose(), {}, {}}};
  add(s, robot, "articulated");
  const auto world = make_world(s);
  run(*world, 0.2);
  ASSERT_EQ(world->engine().moving_contacts().contacts().size(), 1u);
  EXPECT_GT(norm(world->engine().moving_contacts().contacts()[0].impulse), 1e-4);
  int loops = 0, touches = 0;
  world->contacts().each([&](const Touch& t) { ++(t.loop ? loops : touches); });
  EXPECT_EQ(loops, 1);
  EXPECT_EQ(touches, 0);
  EXPECT_EQ(world->read(0, 0).values[0], 0);
  for (const char* level : {"prescribed_joints", "single_body", "kinematic_walk"}) {
    const auto missing = world->set_motion(0, level);
    ASSERT_FALSE(missing.empty()) << level;
    EXPECT_NE(missing.back().find("closed loops"), std::string::npos) << missing.back();
  }
}

TEST(Loop, is_refused_where_it_cannot_hold) {
  const FourBar bar;
  RobotSpec open = bar.robot(1.0, 200), same = open, lost = open;
  open.objects[2].initial += 0.1;
  same.loops[0].b = "coupler";
  lost.loops[0].b = "rockr";
  const auto text = [](const RobotSpec& r) {
    const auto kind = compile(r, ContactSpec{});
    EXPECT_FALSE(kind);
    return kind.notes().empty() ? "" : kind.notes()[0].text + "; " + kind.notes()[0].suggestion;
  };
  EXPECT_NE(text(open).find("open by"), std::string::npos) << text(open);
  EXPECT_NE(text(same).find("one rigid part"), std::string::npos) << text(same);
  EXPECT_NE(text(lost).find("rocker"), std::string::npos) << text(lost);
}

}  // namespace
}  // namespace gradus::test

/// The fidelity ladder: where the assumptions of two levels hold, they agree.
///   articulated with ever stiffer servos → prescribed_joints       (the joints do what they are told)
///   prescribed_joints with still joints  → single_body → one link   (nothing moves inside)
///   kinematic_walk                        covers the ground its joint motion says
#include <gtest/gtest.h>

#include <cmath>

#include "support/order.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

/// A smooth motion of all joints that starts and ends at rest: targets for time t. It stays clear of the stops, which
/// give way to a stiff servo but bound a prescribed joint.
void smooth_targets(World& world, double t, double size) {
  const RobotKind& kind = *world.model().robots[0].kind;
  const double s = std::sin(M_PI * std::min(t, 1.0));
  for (int i = 0; i < kind.njoint(); ++i) {
    const Joint& j = kind.joints[static_cast<std::size_t>(i)];
    const double wish = size * ((i % 3) - 0.8), room = 0.8 * (wish > 0 ? j.upper - j.initial : j.lower - j.initial);
    world.targets(0)[static_cast<std::size_t>(i)] =
        j.initial + (std::fabs(wish) < std::fabs(room) ? wish : room) * s * s;
  }
}

struct Path {
  std::vector<Vec3> p;
  std::vector<Quat> q;
};

Path base_path(const RobotSpec& robot, const char* motion, bool standing, double size, double seconds,
               double h = 0.001) {
  SceneSpec s = scene(h);
  if (standing) add_ground(s);
  auto& r = add(s, robot, motion, {0, 0, kHumanoid28Height});
  if (!standing) r.w_WB = {0.5, 1, -0.3};
  const auto world = make_world(s);
  Path out;
  if (standing) run(*world, 1);  // let it settle, with its targets at the start posture
  const double t0 = world->time();
  const Vec3 p0 = base_at(*world);
  while (world->time() < t0 + seconds - h / 2) {
    smooth_targets(*world, world->time() + h - t0, size);
    world->step();
    out.p.push_back(base_at(*world) - p0);
    out.q.push_back(base_orientation(world->q(0).data()));
  }
  return out;
}

/// Largest distance and angle between two paths.
double apart(const Path& a, const Path& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.p.size(); ++i)
    worst = std::max({worst, norm(a.p[i] - b.p[i]), norm(logarithm(a.q[i] * conjugate(b.q[i])))});
  return worst;
}

TEST(Ladder, stiff_servos_approach_prescribed_joints_in_flight) {
  const Path prescribed = base_path(humanoid28(), "prescribed_joints", false, 0.4, 1);
  double before = 1e9;
  for (const double stiffer : {1e1, 1e3, 1e5, 1e7}) {
    const double d = apart(base_path(humanoid28_stiff(stiffer), "articulated", false, 0.4, 1), prescribed);
    std::printf("  servos %g times stiffer: %.2e m or rad\n", stiffer, d);
    EXPECT_LT(d, before / 2);
    before = d;
  }
  EXPECT_LT(before, 2e-4);  // kp 6e8 N m/rad
  EXPECT_GT(apart(prescribed, base_path(humanoid28(), "prescribed_joints", false, 0, 1)),
            0.01);  // the motion does matter
}

TEST(Ladder, stiff_servos_approach_prescribed_joints_standing) {
  const Path prescribed = base_path(humanoid28(), "prescribed_joints", true, 0.05, 1);
  double before = 1e9;
  for (const double stiffer : {1e1, 1e2, 1e3, 1e5}) {
    const double d = apart(base_path(humanoid28_stiff(stiffer), "articulated", true, 0.05, 1), prescribed);
    std::printf("  servos %g times stiffer: %.2e m or rad\n", stiffer, d);
    EXPECT_LT(d, before / 1.5);
    before = d;
  }
  EXPECT_LT(before, 1e-3);
  EXPECT_GT(apart(prescribed, base_path(humanoid28(), "prescribed_joints", true, 0, 1)), 0.005);
}

/// The humanoid frozen in its start posture: every joint becomes a fixed rotation, and all links one.
RobotSpec frozen() {
  RobotSpec spec = humanoid28();
  spec.file.clear();
  for (ObjectSpec& o : spec.objects) {
    if (!o.is_joint()) continue;
    o.kind = ObjectKind::rotation;
    o.angle = o.initial;
    o.initial = 0;
    o.lower = -std::numeric_limits<double>::infinity();
    o.upper = std::numeric_limits<double>::infinity();
    o.servo = ServoSpec{};
  }
  return spec;
}

Path still_path(const RobotSpec& robot, const char* motion, bool ground, double h, double seconds) {
  SceneSpec s = scene(h);
  if (ground) add_ground(s);
  auto& r = add(s, robot, motion, {0, 0, ground ? 0.5 : 5}, from_roll_pitch_yaw(0.3, 0.6, 0.2));
  r.w_WB = {0.5, 3, -1};
  const auto world = make_world(s);
  Path out;
  while (world->time() < seconds - h / 2) {
    world->step();
    if (std::fmod(world->time() + h / 2, 0.01) < h) {
      out.p.push_back(base_at(*world));
      out.q.push_back(base_orientation(world->q(0).data()));
    }
  }
  return out;
}

TEST(Ladder, a_single_body_is_the_robot_frozen_into_one_link) {
  ASSERT_EQ(kind_of(frozen())->nlink(), 1);
  EXPECT_LT(apart(still_path(humanoid28(), "single_body", false, 0.001, 2),
                  still_path(frozen(), "free_body", false, 0.001, 2)),
            1e-9);
  // On the ground it tumbles, lands and rests; impacts magnify rounding, so a little more is allowed. (A free_body
  // would meet the ground through couple, which is another law.)
  EXPECT_LT(apart(still_path(humanoid28(), "single_body", true, 0.001, 2),
                  still_path(frozen(), "single_body", true, 0.001, 2)),
            1e-6);
}

TEST(Ladder, prescribed_still_joints_approach_a_single_body_with_the_step_in_flight) {
  // single_body turns by the midpoint rule, prescribed_joints by the mean of w and w⁺: they differ at second order.
  auto difference = [](double h) {
    return apart(still_path(humanoid28(), "prescribed_joints", false, h, 1),
                 still_path(humanoid28(), "single_body", false, h, 1));
  };
  expect_order(difference, 0.002, 2, 1e-3);
}

TEST(Ladder, prescribed_still_joints_stand_like_a_single_body) {
  auto rest = [](const char* motion) {
    SceneSpec s = scene(0.001);
    add_ground(s);
    add(s, humanoid28(), motion, {0, 0, kHumanoid28Height});
    const auto world = make_world(s);
    run(*world, 3);
    return std::pair(base_at(*world), base_orientation(world->q(0).data()));
  };
  const auto [p1, q1] = rest("single_body");
  const auto [p2, q2] = rest("prescribed_joints");
  EXPECT_LT(norm(p1 - p2), 1e-9);
  EXPECT_LT(norm(logarithm(q1 * conjugate(q2))), 1e-9);
}

TEST(Ladder, a_frozen_robot_moves_as_an_articulated_one_that_has_no_joints) {
  // one link through the articulated-body code against the rigid-body code, on the ground
  const Path a = still_path(frozen(), "articulated", true, 0.0005, 0.25),
             b = still_path(frozen(), "free_body", true, 0.0005, 0.25);
  EXPECT_LT(apart(a, b), 5e-3);
}

/// Planar leg of the humanoid: joint angles that put the sole flat at (x, −down) from the hip.
struct Leg {
  double thigh, shin, ankle;
  Leg(double x, double down) {
    const double l1 = 0.1, l2 = 0.1029, d2 = x * x + down * down;
    shin = std::acos((d2 - l1 * l1 - l2 * l2) / (2 * l1 * l2));
    thigh = std::atan2(-x, down) - std::atan2(l2 * std::sin(shin), l1 + l2 * std::cos(shin));
    ankle = -(thigh + shin);
  }
};

void put_leg(World& world, const char* side, const Leg& leg) {
  const RobotKind& kind = *world.model().robots[0].kind;
  auto set = [&](const char* joint, double q) {
    world.targets(0)[static_cast<std::size_t>(kind.find_joint(side + std::string(joint)))] = q;
  };
  set("thigh", leg.thigh);
  set("shin", leg.shin);
  set("ankle", leg.ankle);
}

TEST(Ladder, kinematic_walking_covers_the_ground_that_its_motion_says) {
  // In each phase the standing foot goes back by L under the hip while the other swings forward by L: the base advances
  // L. Feet swap one step late, when the new one is seen to be lower; the base misses that step's share, L h/phase.
  constexpr double L = 0.04, kDown = 0.185, kPhase = 0.25, kLift = 0.015;
  for (const double h : {0.001, 0.002, 0.005}) {
    SceneSpec s = scene(h);
    add_ground(s);
    add(s, humanoid28(), "kinematic_walk", {0, 0, kHumanoid28Height}, from_axis_angle({0, 0, 1}, 0.7));
    const auto world = make_world(s);
    put_leg(*world, "l", Leg(L / 2, kDown));
    put_leg(*world, "r", Leg(-L / 2, kDown));
    run(*world, 1);  // takes the first posture, which it stands in from then on
    const Vec3 start = base_at(*world);
    const int phases = 10, steps = static_cast<int>(std::lround(kPhase / h));
    for (int k = 0; k < phases * steps; ++k) {
      const int phase = k / steps;
      const double f = static_cast<double>(k % steps + 1) / steps, swing = 0.5 - 0.5 * std::cos(M_PI * f);
      const Leg stand(L / 2 - L * f, kDown),
          fly(-L / 2 + L * swing, kDown - kLift * std::sin(M_PI * f) * std::sin(M_PI * f));
      put_leg(*world, phase % 2 ? "r" : "l", stand);
      put_leg(*world, phase % 2 ? "l" : "r", fly);
      world->step();
    }
    const Vec3 way = base_at(*world) - start, ahead{std::cos(0.7), std::sin(0.7), 0};
    std::printf("  h %g: %.5f m of %.5f m, sideways %.1e m\n", h, dot(way, ahead), phases * L,
                norm(way - ahead * dot(way, ahead)));
    EXPECT_NEAR(dot(way, ahead), phases * L, 1.05 * phases * L * h / kPhase);
    EXPECT_LT(norm(way - ahead * dot(way, ahead)), 1e-3);
    EXPECT_FALSE(world->fallen(0));
  }
}

/// One phase after the other of the walk above, ahead along x.
void walk_ahead(World& world, int phases) {
  constexpr double L = 0.04, kDown = 0.185, kLift = 0.015;
  constexpr int steps = 125;
  for (int k = 0; k < phases * steps; ++k) {
    const int phase = k / steps;
    const double f = static_cast<double>(k % steps + 1) / steps, swing = 0.5 - 0.5 * std::cos(M_PI * f);
    put_leg(world, phase % 2 ? "r" : "l", Leg(L / 2 - L * f, kDown));
    put_leg(world, phase % 2 ? "l" : "r", Leg(-L / 2 + L * swing, kDown - kLift * std::sin(M_PI * f) * std::sin(M_PI * f)));
    world.step();
  }
}

FieldObjectSpec block(Vec3 size, const Pose& X) {
  FieldObjectSpec f;
  f.name = "block";
  f.shape.kind = ShapeKind::box;
  f.shape.size = size;
  f.X_WO = X;
  return f;
}

/// A step of 8 mm on the plane: the walker is that much higher when it has gone over its edge, and upright.
TEST(Ladder, kinematic_walking_climbs_a_step) {
  double base[2], foot[2];
  for (const bool step : {false, true}) {
    SceneSpec s = scene(0.002);
    add_ground(s);
    if (step) s.field.push_back(block({2, 2, 0.1}, {identity3<double>(), {1.15, 0, 0.008 - 0.05}}));
    add(s, humanoid28(), "kinematic_walk", {0, 0, kHumanoid28Height});
    const auto world = make_world(s);
    put_leg(*world, "l", Leg(0.02, 0.185));
    put_leg(*world, "r", Leg(-0.02, 0.185));
    run(*world, 1);
    walk_ahead(*world, 12);
    base[step] = base_at(*world).z, foot[step] = world->private_state(0)[3];
    EXPECT_GT(base_at(*world).x, 0.35);
    const Mat3 R = to_matrix(base_orientation(world->q(0).data()));
    EXPECT_NEAR(R.z.z, 1, 1e-9);
  }
  EXPECT_NEAR(base[1] - base[0], 0.008, 1e-9);
  EXPECT_NEAR(foot[1] - foot[0], 0.008, 1e-9);
}

/// No plane, a ramp of 6 degrees: soles lie on it, and the way ahead goes up with it.
TEST(Ladder, kinematic_walking_follows_a_ramp) {
  const double slope = 6 * M_PI / 180;
  const Mat3 R = to_matrix(from_axis_angle({0, 1, 0}, -slope));  // up along x
  SceneSpec s = scene(0.002);
  s.field.push_back(block({4, 4, 0.2}, {R, R * Vec3{0, 0, -0.1}}));
  add(s, humanoid28(), "kinematic_walk", {0, 0, kHumanoid28Height});
  const auto world = make_world(s);
  put_leg(*world, "l", Leg(0.02, 0.185));
  put_leg(*world, "r", Leg(-0.02, 0.185));
  run(*world, 1);
  walk_ahead(*world, 2);  // both feet have been put down
  const Vec3 start = base_at(*world);
  const auto z = world->private_state(0);
  EXPECT_LT(norm(to_matrix(Quat{z[4], z[5], z[6], z[7]}).z - R.z), 1e-9);
  walk_ahead(*world, 10);
  const Vec3 way = base_at(*world) - start;
  EXPECT_NEAR(norm(way), 0.4, 0.01);
  EXPECT_NEAR(way.z / way.x, std::tan(slope), 1e-3);
}

}  // namespace
}  // namespace gradus::test

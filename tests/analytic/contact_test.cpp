/// The ground: sliding, sticking, rolling and resting against closed forms, for any direction on any slope.
#include <gtest/gtest.h>

#include <cmath>

#include "support/order.h"
#include "support/robots.h"

namespace gradus::test {
namespace {

constexpr double kG = 9.81;

/// A slope that falls by `angle` towards `heading` (both rad): its normal and the direction straight down it.
struct Slope {
  Vec3 normal, down;
  Quat turn;  // body axes: x down the slope, z along the normal
  Slope(double angle, double heading) {
    const Quat yaw = from_axis_angle({0, 0, 1}, heading), pitch = from_axis_angle({0, 1, 0}, angle);
    turn = yaw * pitch;
    const Mat3 R = to_matrix(turn);
    normal = R.z;
    down = R.x;
  }
};

const double kHeadings[] = {0, 0.5235987755982988, 0.7853981633974483, 2.0};

/// A body put on a slope at rest, already sunk in as far as its weight demands.
std::unique_ptr<World> on_slope(const RobotSpec& body, double height, int points, double angle, double heading,
                                double h) {
  const Slope slope(angle, heading);
  SceneSpec s = scene(h);
  add_ground(s, slope.normal);
  const double sunk = body.objects[0].mass * kG * std::cos(angle) / (points * s.contact.moving_stiffness);
  add(s, body, "free_body", slope.normal * (height - sunk), slope.turn);
  return make_world(s);
}

TEST(Rest, contact_force_is_the_weight_and_nothing_moves) {
  for (const double h : {0.001, 0.002, 0.005}) {
    SceneSpec s = scene(h);
    add_ground(s);
    add(s, solid_box(3, {0.2, 0.3, 0.1}), "free_body", {0, 0, 0.06});
    const auto world = make_world(s);
    run(*world, 5);
    EXPECT_NEAR(world->contact_force(0, 0), 3 * kG, 1e-9 * 3 * kG) << h;
    EXPECT_LT(fastest(*world), 1e-8) << h;  // the solver stops at 1e-6 m/s
    EXPECT_NEAR(base_at(*world).z, 0.05 - 3 * kG / (4 * s.contact.moving_stiffness), 1e-9) << h;
  }
}

TEST(Sliding, accelerates_by_g_sin_minus_mu_cos) {
  // v = g (sin α − μ cos α) t; exact for constant forces
  const double alpha = 0.5, mu = 0.3, want = kG * (std::sin(alpha) - mu * std::cos(alpha));
  for (const double heading : kHeadings) {
    const auto world = on_slope(solid_box(1, {0.2, 0.2, 0.1}, mu), 0.05, 4, alpha, heading, 0.001);
    run(*world, 1);
    const Slope slope(alpha, heading);
    const Vec3 v = base_velocity_of(*world);
    std::printf("  heading %.2f: a %.6f, closed form %.6f, sideways %.1e m/s\n", heading, dot(v, slope.down), want,
                dot(v, cross(slope.normal, slope.down)));
    EXPECT_NEAR(dot(v, slope.down), want, 1e-3 * want) << heading;
    EXPECT_LT(std::fabs(dot(v, cross(slope.normal, slope.down))), 1e-4) << heading;
  }
}

TEST(Friction, holds_just_below_the_friction_angle_without_creeping) {
  for (const double heading : kHeadings) {
    const double mu = 0.5, alpha = std::atan(0.98 * mu);
    const auto world = on_slope(solid_box(1, {0.2, 0.2, 0.1}, mu), 0.05, 4, alpha, heading, 0.001);
    run(*world, 1);  // the sticking springs take the load
    const Vec3 start = base_at(*world);
    run(*world, 10);
    const double creep = norm(base_at(*world) - start);
    std::printf("  heading %.2f: creep %.2e m in 10 s\n", heading, creep);
    EXPECT_LT(creep, 1e-9) << heading;
  }
}

TEST(Friction, lets_go_just_above_the_friction_angle) {
  for (const double heading : kHeadings) {
    const double mu = 0.5, alpha = std::atan(1.02 * mu), want = kG * (std::sin(alpha) - mu * std::cos(alpha));
    const auto world = on_slope(solid_box(1, {0.2, 0.2, 0.1}, mu), 0.05, 4, alpha, heading, 0.001);
    run(*world, 2);
    const double v0 = dot(base_velocity_of(*world), Slope(alpha, heading).down);
    run(*world, 2);
    const double a = (dot(base_velocity_of(*world), Slope(alpha, heading).down) - v0) / 2;
    EXPECT_NEAR(a, want, 0.02 * want) << heading;
  }
}

/// The sliding cube of ContactBench [facts/legged.md 1.3]. v h/2, 0.39 %, is what exact discrete Coulomb friction
/// gives.
TEST(StopDistance, of_a_sliding_cube_is_that_of_exact_discrete_coulomb_in_every_direction) {
  for (const char* motion : {"free_body", "articulated"}) {
    for (const double degrees : {0.0, 30.0, 45.0, 77.0}) {
      const double a = degrees * M_PI / 180;
      const Vec3 ahead{std::cos(a), std::sin(a), 0}, left{-std::sin(a), std::cos(a), 0};
      SceneSpec s = scene(0.001);
      add_ground(s);
      const double k = std::string(motion) == "free_body" ? s.contact.moving_stiffness : s.contact.stiffness;
      auto& r = add(s, solid_box(1, {0.2, 0.2, 0.2}, 0.4), motion, {0, 0, 0.1 - kG / (4 * k)});
      r.v_WB = ahead;
      const auto world = make_world(s);
      run(*world, 1);
      const double exact = 1 / (2 * 0.4 * kG), error = dot(base_at(*world), ahead) / exact - 1;
      std::printf("  %s %2.0f deg: %+.3f %%, sideways %.4f mm\n", motion, degrees, 100 * error,
                  1000 * dot(base_at(*world), left));
      EXPECT_NEAR(error, -0.0039, 0.0005) << degrees;
      EXPECT_LT(std::fabs(dot(base_at(*world), left)), 1e-4) << degrees;
      EXPECT_LT(fastest(*world), 1e-3) << degrees;
    }
  }
}

TEST(Rolling, down_a_slope_accelerates_by_five_sevenths_g_sin) {
  // Drake's case [facts/legged.md 1.4]: r 0.05 m, 0.1 kg, 15 degrees, 1 s, 1 ms; tolerance 5.5e-4
  const double alpha = 15 * M_PI / 180, want = 5.0 / 7 * kG * std::sin(alpha);
  for (const double heading : kHeadings) {
    const auto world = on_slope(solid_ball(0.1, 0.05, 1.0), 0.05, 1, alpha, heading, 0.001);
    run(*world, 1);
    const Slope slope(alpha, heading);
    const double v = dot(base_velocity_of(*world), slope.down);
    const Vec3 w = base_angular_velocity(world->v(0).data());
    const double roll = dot(w, cross(slope.normal, slope.down)) * 0.05;
    std::printf("  heading %.2f: v %+.1e, r w %+.1e of the closed form\n", heading, v / want - 1, roll / want - 1);
    EXPECT_NEAR(v, want, 5.5e-4 * want) << heading;
    EXPECT_NEAR(roll, want, 5.5e-4 * want) << heading;
  }
}

TEST(Rolling, a_ball_thrown_along_the_ground_slides_and_then_rolls_at_five_sevenths) {
  // Friction acts at the ground: m v + (2/5) m r w/r … the momentum about the contact line is kept, v₁ = 5/7 v₀ + 2/7 r
  // w₀.
  for (const double backspin : {0.0, 30.0, -60.0}) {
    for (const double heading : kHeadings) {
      const Vec3 ahead{std::cos(heading), std::sin(heading), 0}, axis = cross(Vec3{0, 0, 1}, ahead);
      SceneSpec s = scene(0.001);
      add_ground(s);
      auto& r = add(s, solid_ball(0.4, 0.1, 0.3), "free_body", {0, 0, 0.1 - 0.4 * kG / s.contact.moving_stiffness});
      r.v_WB = ahead * 2.0;
      r.w_WB = axis * -backspin;
      const auto world = make_world(s);
      run(*world, 3);
      const double want = 5.0 / 7 * 2 - 2.0 / 7 * 0.1 * backspin, v = dot(base_velocity_of(*world), ahead);
      EXPECT_NEAR(v, want, 2e-4) << backspin << " " << heading;
      EXPECT_NEAR(dot(base_angular_velocity(world->v(0).data()), axis) * 0.1, want, 2e-4) << backspin << " " << heading;
      EXPECT_LT(std::fabs(dot(base_velocity_of(*world), axis)), 1e-6);
    }
  }
}

TEST(Rolling, sliding_lasts_as_long_as_coulomb_says) {
  // v = v₀ − μ g t until t₁ = 2 v₀/(7 μ g)
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, solid_ball(0.4, 0.1, 0.3), "free_body", {0, 0, 0.1 - 0.4 * kG / s.contact.moving_stiffness}).v_WB = {2, 0, 0};
  const auto world = make_world(s);
  const double t1 = 2 * 2 / (7 * 0.3 * kG);
  run(*world, 0.15);
  ASSERT_LT(world->time(), t1);
  EXPECT_NEAR(base_velocity_of(*world).x, 2 - 0.3 * kG * 0.15, 2e-3);
  run(*world, t1 - 0.15 + 0.02);
  EXPECT_NEAR(base_velocity_of(*world).x, 5.0 / 7 * 2, 5e-3);
}

TEST(Spin, a_spinning_box_on_the_ground_turns_the_right_way_and_stops) {
  SceneSpec s = scene(0.001);
  add_ground(s);
  add(s, solid_box(1, {0.2, 0.2, 0.1}, 0.4), "free_body", {0, 0, 0.05 - kG / (4 * s.contact.moving_stiffness)}).w_WB = {
      0, 0, 5};
  const auto world = make_world(s);
  run(*world, 2);
  EXPECT_LT(fastest(*world), 1e-6);
  EXPECT_LT(norm(Vec3{base_at(*world).x, base_at(*world).y, 0}), 1e-4);
  // Corners at 0.1414 m: J ẇ = −μ m g R (a point load each), angle = w² J/(2 μ m g R)
  const double J = (0.04 + 0.04) / 12, R = 0.1 * std::sqrt(2.0);
  EXPECT_NEAR(to_roll_pitch_yaw(base_orientation(world->q(0).data())).z, 25 * J / (2 * 0.4 * kG * R), 0.01);
}

}  // namespace
}  // namespace gradus::test

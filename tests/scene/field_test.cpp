/// Robots on static objects of the field: the same law as on the ground plane, for every shape; nothing sinks or
/// tunnels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/robots.h"

namespace gradus::test {
namespace {

constexpr double kG = 9.81;

FieldObjectSpec& put(SceneSpec& s, const std::string& name, ShapeSpec shape, Pose X_WO = identity_pose()) {
  FieldObjectSpec f;
  f.name = name;
  f.shape = shape;
  f.X_WO = X_WO;
  s.field.push_back(f);
  return s.field.back();
}

ShapeSpec box_of(Vec3 size) {
  ShapeSpec b;
  b.kind = ShapeKind::box;
  b.size = size;
  return b;
}

/// Heights z(x, y) on n × n nodes of `cell`, centred.
template <class Height>
ShapeSpec map_of(SceneSpec& s, int n, double cell, const Height& height) {
  HeightMapSpec m;
  m.grid = {n, n, cell, cell, -0.5 * cell * (n - 1), -0.5 * cell * (n - 1), {}};
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) m.grid.z.push_back(height(m.grid.x0 + i * cell, m.grid.y0 + j * cell));
  s.maps.push_back(m);
  ShapeSpec h;
  h.kind = ShapeKind::height_field;
  h.map = static_cast<int>(s.maps.size()) - 1;
  return h;
}

/// A block with its top at z = 0, as box, hull, mesh or terrain.
void put_block(SceneSpec& s, const std::string& kind) {
  if (kind == "box") put(s, "block", box_of({4, 4, 0.5}), {identity3<double>(), {0, 0, -0.25}});
  if (kind == "height_field") put(s, "block", map_of(s, 41, 0.1, [](double, double) { return 0.0; }));
  if (kind != "hull" && kind != "mesh") return;
  MeshSpec m;
  for (int k = 0; k < 8; ++k) m.vertices.push_back({k & 1 ? 2.0 : -2.0, k & 2 ? 2.0 : -2.0, k & 4 ? 0.0 : -0.5});
  m.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  s.meshes.push_back(m);
  ShapeSpec shape;
  shape.kind = kind == "hull" ? ShapeKind::hull : ShapeKind::mesh;
  shape.mesh = 0;
  put(s, "block", shape);
}

class Block : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Block, testing::Values("box", "hull", "mesh", "height_field"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(Block, carries_a_box_at_the_depth_of_its_weight) {
  for (const double h : {0.001, 0.005}) {
    SceneSpec s = scene(h);
    put_block(s, GetParam());
    add(s, solid_box(3, {0.2, 0.3, 0.1}), "single_body", {0.013, 0.021, 0.06});
    const auto world = make_world(s);
    run(*world, 3);
    EXPECT_NEAR(world->contact_force(0, 0), 3 * kG, 1e-6 * 3 * kG) << h;
    EXPECT_LT(fastest(*world), 1e-6) << h;
    EXPECT_NEAR(base_at(*world).z, 0.05 - 3 * kG / (4 * s.contact.stiffness), 1e-6) << h;
  }
}

TEST_P(Block, lets_a_humanoid_stand_as_on_the_plane) {
  SceneSpec plane = scene(0.001), block = scene(0.001);
  add_ground(plane);
  put_block(block, GetParam());
  for (SceneSpec* s : {&plane, &block}) add(*s, humanoid28(), "articulated", {0.013, 0.021, kHumanoid28Height});
  const auto a = make_world(plane), b = make_world(block);
  run(*a, 3), run(*b, 3);
  EXPECT_NEAR(base_at(*a).z, base_at(*b).z, 1e-4);
  EXPECT_LT(norm(base_at(*b) - Vec3{base_at(*a).x, base_at(*a).y, base_at(*b).z}), 1e-3);
  EXPECT_LT(fastest(*b), 1e-3);
  EXPECT_EQ(b->report().field_dropped, 0);
}

/// v = g (sin α − μ cos α) t on a ramp that is a box; below the angle of friction it stays.
TEST(Ramp, slides_and_sticks_by_coulomb) {
  for (const double mu : {0.3, 0.8}) {
    const double alpha = 0.5, want = std::max(0.0, kG * (std::sin(alpha) - mu * std::cos(alpha)));
    SceneSpec s = scene(0.001);
    const Quat turn = from_axis_angle({0, 1, 0}, alpha);
    const Mat3 R = to_matrix(turn);
    put(s, "ramp", box_of({20, 4, 1}), {R, R.z * -0.5});
    add(s, solid_box(1, {0.2, 0.2, 0.1}, mu), "single_body",
        R.z * (0.05 - kG * std::cos(alpha) / (4 * s.contact.stiffness)), turn);
    const auto world = make_world(s);
    run(*world, 1);
    EXPECT_NEAR(dot(base_velocity_of(*world), R.x), want, 2e-3) << mu;
    EXPECT_LT(std::fabs(base_velocity_of(*world).y), 1e-6) << mu;
  }
}

/// Friction of a pair of materials replaces that of the surfaces.
TEST(Ramp, a_pair_of_materials_has_its_own_friction) {
  SceneSpec s = scene(0.001);
  const Quat turn = from_axis_angle({0, 1, 0}, 0.5);
  const Mat3 R = to_matrix(turn);
  put(s, "ramp", box_of({20, 4, 1}), {R, R.z * -0.5}).surface.material = "ice";
  RobotSpec body = solid_box(1, {0.2, 0.2, 0.1}, 0.8);
  body.objects[0].surface.material = "steel";
  s.contact.pairs.push_back({"steel", "ice", 0.1, {}, {}, {}, {}, {}, {}});
  add(s, body, "single_body", R.z * 0.05, turn);
  const auto world = make_world(s);
  run(*world, 1);
  EXPECT_NEAR(dot(base_velocity_of(*world), R.x), kG * (std::sin(0.5) - 0.1 * std::cos(0.5)), 0.02);
}

/// A box of 10 cm at 3 m/s and 5 ms (15 mm a step) against a wall of 2 cm, and dropped at 3 m/s on rough terrain.
TEST(Tunnelling, nothing_passes_a_thin_wall) {
  for (const double yaw : {0.0, 0.4, 0.785}) {
    SceneSpec s = scene(0.005);
    add_ground(s);
    put(s, "wall", box_of({0.02, 2, 1}), {identity3<double>(), {0.5, 0, 0.5}});
    add(s, solid_box(1, {0.1, 0.1, 0.1}, 0.1), "single_body", {0, 0, 0.0501}, from_axis_angle({0, 0, 1}, yaw)).v_WB = {
        3, 0, 0};
    const auto world = make_world(s);
    double farthest = 0;
    for (int i = 0; i < 200; ++i) world->step(), farthest = std::max(farthest, base_at(*world).x);
    EXPECT_LT(farthest, 0.5) << yaw;
    EXPECT_GT(farthest, 0.38) << yaw;
  }
}

TEST(Tunnelling, nothing_sinks_into_rough_terrain) {
  SceneSpec s = scene(0.005);
  const auto rough = [](double x, double y) {
    return 0.05 * std::sin(7 * x) * std::cos(5 * y) + 0.02 * std::sin(31 * x + 11 * y) +
           0.01 * std::sin(97 * x) * std::sin(89 * y);
  };
  put(s, "rough", map_of(s, 300, 0.02, rough));
  Random random(5);
  for (int i = 0; i < 16; ++i) {
    const Vec3 at{-2.0 + (i % 4) * 1.2, -2.0 + (i / 4) * 1.2, 0.35};
    const Quat turn = random.rotation();
    if (i % 2 == 0)
      add(s, solid_box(1, {0.12, 0.08, 0.04}), "single_body", at, turn).v_WB = {0.5, 0, -3};
    else
      add(s, humanoid28(), "articulated", at + Vec3{0, 0, 0.2}, turn).v_WB = {0, 0.3, -3};
  }
  const auto world = make_world(s);
  run(*world, 2);
  const HeightGrid& map = s.maps[0].grid;
  for (int r = 0; r < world->robot_count(); ++r) {
    ASSERT_TRUE(std::isfinite(fastest(*world, r)));
    for (const ContactPoint& p : world->model().robots[static_cast<std::size_t>(r)].kind->points) {
      const Vec3 at = world->X_WL(r, p.link) * p.p_BC;
      EXPECT_GT(at.z, height_at(map, at.x, at.y) - 0.015) << r;
    }
  }
  EXPECT_EQ(world->report().field_dropped, 0);
  EXPECT_EQ(world->report().not_finite, -1);
}

TEST(FieldContacts, are_state_and_the_same_for_any_number_of_threads) {
  SceneSpec s = scene(0.001);
  put_block(s, "height_field");
  for (int i = 0; i < 4; ++i)
    add(s, humanoid28(), "articulated", {-1.5 + i, 0.1 * i, kHumanoid28Height + 0.02},
        from_roll_pitch_yaw(0.1 * i, 0.05, 0.3));
  const auto one = make_world(s), four = make_world(s, 4);
  run(*one, 0.3), run(*four, 0.3);
  EXPECT_EQ(one->hash(), four->hash());
  const Snapshot saved = one->snapshot();
  EXPECT_GT(one->contact_force(0, one->model().robots[0].kind->feet.at(0)), 0);
  run(*one, 0.2);
  ASSERT_TRUE(four->restore(saved));
  run(*four, 0.2);
  EXPECT_EQ(one->hash(), four->hash());
}

SceneSpec spring_scene(double h, SpringLawSpec numbers) {
  SceneSpec s = scene(h);
  add_ground(s);
  s.contact.law = "spring";
  s.contact.spring = numbers;
  return s;
}

/// At rest the depth is the weight over s_c; v = v0 e^(−s_μ g t).
TEST(Spring, rests_at_its_depth_and_slides_as_in_honey) {
  SceneSpec s = spring_scene(0.0005, {2e4, 1, 0.5, 0});
  add(s, solid_box(1, {0.2, 0.2, 0.1}), "single_body", {0, 0, 0.05 - kG / (4 * 2e4)}).v_WB = {1, 0, 0};
  const auto world = make_world(s);
  run(*world, 0.4);
  EXPECT_NEAR(base_velocity_of(*world).x, std::exp(-0.5 * kG * 0.4), 3e-3);
  EXPECT_NEAR(base_at(*world).z, 0.05 - kG / (4 * 2e4), 2e-5);
}

/// Turning about the vertical without sliding friction, only the pseudo friction acts: I ω' = −s_ν m g ω, so that
/// ω = ω0 e^(−s_ν m g t / I). At every level of robots (free bodies meet the world in couple), one contact (ball) or
/// four (box); implicit Euler errs by ½ h (s_ν m g/I)² t.
TEST(Spring, pseudo_friction_stops_a_spin_exponentially) {
  const double nu = 0.002, w0 = 5, t = 0.4, h = 0.0005;
  for (const char* motion : {"single_body", "prescribed_joints", "articulated"})
    for (const bool ball : {true, false}) {
      SceneSpec s = spring_scene(h, {2e4, 1, 0, nu});
      const double I = ball ? 0.4 * 0.1 * 0.1 : (0.2 * 0.2 + 0.2 * 0.2) / 12, rate = nu * kG / I;
      if (ball)
        add(s, solid_ball(1, 0.1), motion, {0, 0, 0.1 - kG / 2e4}).w_WB = {0, 0, w0};
      else
        add(s, solid_box(1, {0.2, 0.2, 0.1}), motion, {0, 0, 0.05 - kG / (4 * 2e4)}).w_WB = {0, 0, w0};
      const auto world = make_world(s);
      run(*world, t);
      const double want = w0 * std::exp(-rate * t);
      EXPECT_NEAR(base_angular_velocity(world->v(0).data()).z, want, want * h * rate * rate * t) << motion << ball;
    }
}

/// Dropped from H, a ball is stopped at the depth δ, ½ s_c δ² = m g (H + δ); the spring gives the part s_b of that
/// back, so it rises to s_b (H + δ) − δ. First order in the step: the error falls with it.
TEST(Spring, gives_back_the_part_s_b_of_its_energy) {
  const double H = 0.5, k = 2e4, s_b = 0.3, d = (kG + std::sqrt(kG * kG + 2 * k * kG * H)) / k,
               want = s_b * (H + d) - d;
  double error[2];
  for (int i = 0; i < 2; ++i) {
    const double h = i == 0 ? 1e-4 : 5e-5;
    SceneSpec s = spring_scene(h, {k, s_b, 0, 0});
    add(s, solid_ball(1, 0.1), "single_body", {0, 0, 0.1 + H});
    const auto ball = make_world(s);
    run(*ball, 0.33);  // falls for 0.319 s, then turns within the contact
    double highest = 0;
    for (int n = 0; n < static_cast<int>(0.5 / h); ++n) {
      ball->step();
      highest = std::max(highest, base_at(*ball).z - 0.1);
    }
    error[i] = highest - want;
  }
  EXPECT_LT(std::fabs(error[0]), 0.01);
  EXPECT_NEAR(error[1] / error[0], 0.5, 0.15);
}

}  // namespace
}  // namespace gradus::test

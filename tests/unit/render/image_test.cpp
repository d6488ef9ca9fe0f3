#include "render/image.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/hash.h"
#include "render/cast.h"
#include "shape/library.h"
#include "shape/narrow/ray.h"
#include "unit/render/scenes.h"

namespace gradus {
namespace {

constexpr double kDeg = 0.017453292519943295;

CameraSpec small_camera(int w = 160, int h = 120) {
  CameraSpec c;
  c.width = w, c.height = h, c.view = 60 * kDeg;
  return c;
}

std::uint64_t hash_of(const Picture& p) {
  std::uint64_t h = hash_bytes(p.rgb.data(), p.rgb.size());
  h = hash_bytes(p.yuyv.data(), p.yuyv.size(), h), h = hash_bytes(p.grey.data(), p.grey.size(), h);
  h = hash_bytes(p.depth.data(), p.depth.size() * 4, h);
  return hash_bytes(p.segment.data(), p.segment.size() * 2, h);
}

/// A sphere of radius r at distance D straight ahead is seen under sin α = r/D: its outline is a circle of f tan α.
TEST(Image, outline_of_a_sphere_is_its_tangent_cone) {
  SceneSpec s;
  s.field.push_back(field_object(ShapeKind::sphere, {3, 0, 1}, {1, 0, 0, 0}, {0, 0, 0}, 0.5, 0, {1, 0, 0}));
  const Studio studio(s);
  const CameraSpec c = small_camera(400, 400);
  const Picture p = take(studio, c, free_mount({0, 0, 1}, {1, 0, 1}));
  const double f = 200 / std::tan(30 * kDeg), radius = f * 0.5 / std::sqrt(9 - 0.25);
  int wrong = 0, near_rim = 0;
  for (int y = 0; y < 400; ++y)
    for (int x = 0; x < 400; ++x) {
      const double away = std::hypot(x - 199.5, y - 199.5);
      if (std::abs(away - radius) < 1e-3) continue;  // rounding
      wrong += (p.segment_at(x, y) == 3) != (away < radius);
      near_rim += std::abs(away - radius) < 1;
    }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(near_rim, 500);
}

/// Height h above the ground, pitched down: depth along the axis is h/(−d_z) · (d · axis).
TEST(Image, depth_of_the_ground_is_that_of_the_plane) {
  SceneSpec s;
  s.field.push_back(field_object(ShapeKind::plane, {0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0}, 0, 0, {0.1, 0.5, 0.1}));
  const Studio studio(s);
  const CameraSpec c = small_camera();
  const CameraMount m = free_mount({0, 0, 0.5}, {1, 0.2, 0});
  const Picture p = take(studio, c, m);
  const LensTable lens(c);
  int ground = 0;
  for (int y = 0; y < c.height; ++y)
    for (int x = 0; x < c.width; ++x) {
      const Vec3 d = lens.direction(x, y), w = m.X_LC.R * d;
      if (w.z > -1e-3) continue;
      EXPECT_NEAR(p.depth_at(x, y), 0.5 / -w.z * d.z, 2e-6 * (1 + 0.5 / (w.z * w.z)));
      ++ground;
    }
  EXPECT_GT(ground, 10000);
}

/// Every pixel against the rays of src/shape in double.
TEST(Image, depth_agrees_with_the_rays_of_the_shapes_in_double) {
  const Studio studio(all_shapes());
  const CameraSpec c = small_camera(320, 240);
  const CameraMount m = free_mount({0, 0, 0.7}, {2, 0, 0.2});
  const Picture p = take(studio, c, m);
  const LensTable lens(c);
  ShapeLibrary library;
  struct Solid {
    Shape shape;
    Pose X;
  };
  std::vector<Solid> solids;
  for (const FieldObjectSpec& f : studio.model.field)
    if (f.shape.collides) solids.push_back({*library.add(f.shape, studio.model.meshes), f.X_WO});
  solids.push_back({sphere_shape(0.1), studio.poses.links[0].X_WL});
  int differ = 0, solid = 0;
  for (int y = 0; y < c.height; ++y)
    for (int x = 0; x < c.width; ++x) {
      const Vec3 d = lens.direction(x, y), w = m.X_LC.R * d;
      double t = 1e6;
      RayHit hit;
      for (const Solid& s : solids)
        if (cast_ray(s.shape, s.X, m.X_LC.p, w, t, hit)) t = hit.t;
      const double due = t < 1e5 ? t * d.z : 0;
      solid += p.segment_at(x, y) > 2;
      differ += std::abs(p.depth_at(x, y) - due) > 1e-4 * (1 + due * due);
    }
  EXPECT_GT(solid, 10000);
  EXPECT_LE(differ, 10) << "of 76800: outlines that rounding moves";
}

TEST(Image, segmentation_names_what_is_seen) {
  const Studio studio(all_shapes());
  const Picture p = take(studio, small_camera(), free_mount({0, 0, 0.7}, {2, 0, 0.2}));
  std::vector<int> seen(studio.drawn->segments.size(), 0);
  for (const std::uint16_t s : p.segment) ++seen.at(s);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_GT(seen[i], 10) << studio.drawn->segments[i];
  EXPECT_EQ(studio.drawn->segments[3], "ball.ball");
}

/// With the light straight above, a sphere's shadow is a disc of its radius right under it.
TEST(Image, shadow_of_a_sphere_is_a_disc_under_it) {
  SceneSpec s;
  s.field.push_back(field_object(ShapeKind::plane, {0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0}, 0, 0, {0.5, 0.5, 0.5}));
  s.field.push_back(field_object(ShapeKind::sphere, {0, 0, 5}, {1, 0, 0, 0}, {0, 0, 0}, 0.5, 0, {1, 1, 1}));
  Studio studio(s);
  const_cast<DrawnScene&>(*studio.drawn).to_light = {0, 0, 1};
  const_cast<DrawnScene&>(*studio.drawn).ground_grain = 0;
  const CameraSpec c = small_camera(200, 200);
  const Picture p = take(studio, c, free_mount({0, 0, 2}, {0, 0, 0}));
  const double f = 100 / std::tan(30 * kDeg);
  const int dark = p.grey[100 * 200 + 100], light = p.grey[5 * 200 + 5];
  EXPECT_LT(dark, light - 20);
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) {
      const double away = std::hypot(x - 99.5, y - 99.5) * 2 / f;
      if (std::abs(away - 0.5) < 0.015) continue;
      EXPECT_EQ(p.grey[static_cast<std::size_t>(y) * 200 + x], away < 0.5 ? dark : light) << x << " " << y;
    }
}

/// A plate above a box shades its top, and only where the light says.
TEST(Image, bodies_shade_bodies) {
  SceneSpec s;
  s.field.push_back(field_object(ShapeKind::box, {0, 0, 0.5}, {1, 0, 0, 0}, {2, 2, 1}, 0, 0, {0.5, 0.5, 0.5}));
  s.field.push_back(field_object(ShapeKind::box, {0, 0, 3}, {1, 0, 0, 0}, {0.5, 0.5, 0.1}, 0, 0, {1, 0, 0}));
  s.field.back().name = "plate";
  Studio studio(s);
  const Vec3 l = studio.drawn->to_light;
  const CameraMount m = free_mount({0, 0, 2.5}, {0, 0, 0});
  const CameraSpec c = small_camera(200, 200);
  const Picture with = take(studio, c, m), without = take(studio, c, m, {true, Shadows::ground, false, false});
  const LensTable lens(c);
  int shaded = 0;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) {
      const Vec3 w = m.X_LC.R * lens.direction(x, y);
      const Vec3 top = m.X_LC.p + w * (1.5 / -w.z);
      if (std::max(std::abs(top.x), std::abs(top.y)) > 0.98) continue;
      const Vec3 at = top + l * (2.0 / l.z);  // at the plate's height
      const double rim = std::max(std::abs(at.x), std::abs(at.y)) - 0.25;
      const std::size_t i = static_cast<std::size_t>(y) * 200 + x;
      if (std::abs(rim) < 0.07) continue;  // the plate is 10 cm thick, and a pixel 1 cm
      EXPECT_EQ(with.grey[i] < without.grey[i], rim < 0) << x << " " << y;
      shaded += with.grey[i] < without.grey[i];
    }
  EXPECT_GT(shaded, 200);
}

CameraSpec everything() {
  CameraSpec c = small_camera(163, 121);  // no multiples of a tile
  c.lens = {-0.28, 0.09, -0.012, 0.0008, -0.0005, 0.6};
  c.readout = 0.03, c.exposure = 0.01, c.full_well = 5000, c.read = 1.6;
  return c;
}

TEST(Image, same_bits_for_every_number_of_lanes) {
  Studio studio(all_shapes());
  studio.poses.links[0].v = {1, 2, 0.3}, studio.poses.links[0].w = {5, 1, 9};
  for (const CameraSpec& c : {everything(), small_camera()}) {
    CameraMount m = free_mount({-0.5, 0, 0.1}, {1, 0, 0});
    m.robot = 0, m.X_LC.p = {-1, 0, 0.6};  // on the ball, which turns
    const std::uint64_t due = hash_of(take(studio, c, m, {}, 3, render::kernels()[0]));
    for (const render::RenderKernel& k : render::kernels())
      EXPECT_EQ(hash_of(take(studio, c, m, {}, 3, k)), due) << k.name;
  }
}

TEST(Image, same_bits_for_bands_in_any_order) {
  const Studio studio(all_shapes());
  const CameraSpec c = everything();
  const CameraMount m = free_mount({0, 0, 0.7}, {2, 0, 0.2});
  const std::uint64_t due = hash_of(take(studio, c, m));
  Camera camera(studio.drawn, std::make_shared<const LensTable>(c), m, {true, Shadows::all, true, true});
  BandRoom a(*studio.drawn, c.width), b(*studio.drawn, c.width);
  Picture out(c.width, c.height);
  camera.begin(studio.poses, camera_key(1, -1, "free"), 0);
  for (int i = camera.band_count(); i-- > 0;) camera.render_band(i, i % 3 ? a : b);
  for (int i = camera.band_count(); i-- > 0;) camera.finish_band(i, i % 2 ? a : b, out.image());
  EXPECT_EQ(hash_of(out), due);
}

/// A player's trunk: blue, with a white 7 on chest and back, none on its sides.
TEST(Image, players_wear_their_colour_and_number) {
  SceneSpec s;
  RobotInstanceSpec player;
  player.name = "blue7", player.motion = "single_body", player.p_WB = {0, 0, 1};
  RobotBuilder b("player");
  b.base("trunk").solid_box(1, {0.2, 0.3, 0.4}, {0, 0, 0});
  for (int i = 0; i < 10; ++i) b.revolute("joint" + std::to_string(i), {0, 1, 0}).solid_sphere(0.1, 0.01, {0, 0, 0});
  player.robot = b.spec();
  s.robots.push_back(player);
  const Studio studio(s);
  ASSERT_EQ(jerseys_by_name(studio.model).size(), 1u);
  ASSERT_EQ(studio.drawn->shapes[0].pattern, render::kNumberPattern + 7);
  const CameraSpec c = small_camera(200, 200);
  const auto white_at = [&](Vec3 eye) {
    const Picture p = take(studio, c, free_mount(eye, {0, 0, 1}));
    std::vector<int> rows(200, 0);
    for (int y = 0; y < 200; ++y)
      for (int x = 0; x < 200; ++x)
        rows[static_cast<std::size_t>(y)] +=
            p.segment_at(x, y) == 3 && p.rgb[3 * (static_cast<std::size_t>(y) * 200 + x)] > 120;
    return rows;
  };
  for (const double side : {1.0, -1.0}) {  // the bar of a 7 is above its foot
    const std::vector<int> rows = white_at({side, 0, 1});
    int first = 0, last = 199;
    while (first < 199 && rows[static_cast<std::size_t>(first)] == 0) ++first;
    while (last > 0 && rows[static_cast<std::size_t>(last)] == 0) --last;
    ASSERT_LT(first, last);
    EXPECT_GT(rows[static_cast<std::size_t>(first) + 2], 3 * rows[static_cast<std::size_t>(last) - 2]);
  }
  for (const int n : white_at({0, 1, 1})) EXPECT_EQ(n, 0);
}

TEST(Cast, answers_are_those_of_the_image) {
  const Studio studio(all_shapes());
  const CameraSpec c = small_camera(64, 48);
  const CameraMount m = free_mount({0, 0, 0.7}, {2, 0, 0.2});
  const Picture p = take(studio, c, m);
  const LensTable lens(c);
  std::vector<Vec3> rays;
  for (int y = 0; y < c.height; ++y)
    for (int x = 0; x < c.width; ++x) rays.push_back(lens.direction(x, y));
  for (const render::RenderKernel& k : render::kernels()) {
    RayCaster caster(studio.drawn, rays.size(), k);
    caster.place(studio.poses, m.X_LC);
    const auto answers = caster.cast(RayFan(rays), 1e5);
    ASSERT_EQ(answers.size(), rays.size());
    for (std::size_t i = 0; i < rays.size(); ++i) {
      const int x = static_cast<int>(i) % c.width, y = static_cast<int>(i) / c.width, segment = p.segment_at(x, y);
      EXPECT_EQ(answers[i].shape == kNothing, segment == 0);
      EXPECT_EQ(answers[i].shape == kGround, segment == 1 || segment == 2);
      if (segment > 2) {
        EXPECT_EQ(studio.drawn->shapes[static_cast<std::size_t>(answers[i].shape)].segment, segment);
      }
      if (segment > 0) {
        EXPECT_EQ(answers[i].distance * static_cast<float>(rays[i].z), p.depth_at(x, y));
        EXPECT_NEAR(norm(answers[i].normal), 1, 1e-4);
        EXPECT_LT(dot(answers[i].normal, rays[i]), 1e-3);
      }
    }
  }
}

TEST(Cast, hidden_shapes_and_the_ground_let_rays_pass) {
  const Studio studio(all_shapes());
  RayCaster caster(studio.drawn, 1);
  const Pose X = {identity3<double>(), {0, 0.4, 0.1}};
  const RayFan fan(std::vector<Vec3>{{1, 0, 0}});
  caster.place(studio.poses, X);
  EXPECT_NEAR(caster.cast(fan, 10)[0].distance, 1.2, 1e-5);  // the ball
  caster.place(studio.poses, X, shapes_of_robot(*studio.drawn, 0));
  EXPECT_GT(caster.cast(fan, 10)[0].distance, 1.5);
  const RayFan down(std::vector<Vec3>{{0, 0, -1}});
  EXPECT_EQ(caster.cast(down, 10)[0].shape, kGround);
  EXPECT_EQ(caster.cast(down, 10, false)[0].shape, kNothing);
  EXPECT_EQ(caster.cast(down, 10, false)[0].distance, 10);
}

}  // namespace
}  // namespace gradus

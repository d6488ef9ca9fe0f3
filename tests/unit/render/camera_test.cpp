#include "render/camera.h"

#include <gtest/gtest.h>

#include <cmath>

#include "render/image.h"
#include "unit/render/scenes.h"

namespace gradus {
namespace {

CameraSpec wide() {
  CameraSpec c;
  c.width = 640, c.height = 480, c.view = 1.3;
  c.lens = {-0.28, 0.09, -0.012, 0.0008, -0.0005, 0};
  return c;
}

/// OpenCV's documented formulas (calib3d: projectPoints), written out once more.
ImagePoint opencv(const CameraSpec& c, double x, double y) {
  const double r2 = x * x + y * y, r4 = r2 * r2, r6 = r4 * r2,
               radial = 1 + c.lens.k1 * r2 + c.lens.k2 * r4 + c.lens.k3 * r6;
  const double xd = x * radial + 2 * c.lens.p1 * x * y + c.lens.p2 * (r2 + 2 * x * x);
  const double yd = y * radial + c.lens.p1 * (r2 + 2 * y * y) + 2 * c.lens.p2 * x * y;
  return {c.fx * xd + c.cx, c.fy * yd + c.cy};
}

TEST(Camera, view_rays_are_seen_at_their_pixels_by_opencvs_formulas) {
  const CameraSpec c = resolved(wide());
  const LensTable table(c);
  double worst = 0;
  for (int y = 0; y < c.height; ++y)
    for (int x = 0; x < c.width; ++x) {
      const Vec3 d = table.direction(x, y);
      const ImagePoint p = opencv(c, d.x / d.z, d.y / d.z);
      worst = std::max({worst, std::abs(p.u - x), std::abs(p.v - y)});
    }
  EXPECT_LT(worst, 1e-3) << "pixels";
}

TEST(Camera, projection_and_its_inverse_belong_together) {
  const CameraSpec c = resolved(wide());
  for (double u = 0; u < 640; u += 37)
    for (double v = 0; v < 480; v += 31) {
      const ImagePoint d = unproject(c, u, v), p = project(c, d.u, d.v);
      EXPECT_NEAR(p.u, u, 1e-9);
      EXPECT_NEAR(p.v, v, 1e-9);
    }
}

TEST(Camera, the_angle_of_view_is_between_the_outer_edges_of_the_image) {
  CameraSpec c;
  c.view = 1.0;
  c = resolved(c);
  const ImagePoint left = unproject(c, -0.5, c.cy), right = unproject(c, c.width - 0.5, c.cy);
  EXPECT_NEAR(std::atan(right.u) - std::atan(left.u), 1.0, 1e-12);
}

std::string first_error(const CameraSpec& c) {
  const Diagnostics d = check(c);
  return d.empty() ? "" : d[0].text;
}

TEST(Camera, bad_numbers_get_a_clear_error) {
  CameraSpec c;
  EXPECT_EQ(first_error(c), "");
  EXPECT_EQ(first_error(wide()), "");
  c.width = 0;
  EXPECT_NE(first_error(c).find("has none"), std::string::npos);
  c.width = 31623, c.height = 31623;  // 1e9 pixels
  EXPECT_NE(first_error(c).find("too large"), std::string::npos);
  c = {};
  c.view = 3.2;
  EXPECT_NE(first_error(c).find("angle of view"), std::string::npos);
  c = {};
  c.lens.k1 = std::nan("");
  EXPECT_NE(first_error(c).find("not finite"), std::string::npos);
  c = {};
  c.full_well = -1, c.readout = -1;
  EXPECT_EQ(check(c).size(), 2u);
}

/// r g(r) with k1 alone turns back at r = 1/√(−3 k1): a view that reaches it is refused, one that does not is not.
TEST(Camera, lenses_that_fold_are_refused_and_others_are_not) {
  CameraSpec c;
  c.width = c.height = 400, c.lens.k1 = -0.4;
  const double turn = 1 / std::sqrt(1.2), height = turn * (1 - 0.4 * turn * turn);  // the largest x'
  c.fx = c.fy = 200 * std::sqrt(2.0) / (0.97 * height);                             // the corner is seen at 0.97 of it
  EXPECT_EQ(first_error(c), "");
  c.fx = c.fy = 200 * std::sqrt(2.0) / (1.03 * height);
  EXPECT_NE(first_error(c).find("folds"), std::string::npos);
}

/// A grey wall that fills the image.
SceneSpec wall(double grey) {
  SceneSpec s;
  s.field.push_back(field_object(ShapeKind::box, {2, 0, 0}, {1, 0, 0, 0}, {0.2, 20, 20}, 0, 0, {grey, grey, grey}));
  return s;
}

/// (4) of camera.h: var = a p + b in linear light, over 1e6 numbers; gamma is undone by its slope at p.
TEST(Camera, variance_of_noise_is_that_of_the_equation) {
  CameraSpec c;
  c.width = 640, c.height = 540, c.view = 0.5, c.full_well = 5000, c.read = 30;
  std::vector<std::uint16_t> row(640);
  for (const double p : {20.0, 300.0, 1500.0, 3000.0}) {
    double sum = 0, sum2 = 0;
    std::int64_t n = 0;
    const double a = 4095 / c.full_well, b = std::pow(4095 * c.read / c.full_well, 2);
    for (std::uint32_t y = 0; y < 1600; ++y) {
      std::fill(row.begin(), row.end(), static_cast<std::uint16_t>(p));
      render::best_kernel().noise(row.data(), 640, static_cast<float>(a), static_cast<float>(b), 12345, y * 640);
      for (const std::uint16_t x : row) sum += x, sum2 += double(x) * x, ++n;
    }
    const double mean = sum / static_cast<double>(n), var = sum2 / static_cast<double>(n) - mean * mean;
    const double due = a * p + b + 1.0 / 12;  // rounding to whole numbers adds 1/12
    if (p * p < 13 * due) continue;           // darkness is cut off at zero
    EXPECT_EQ(n, 1024000);
    EXPECT_NEAR(mean, p, 5 * std::sqrt(due / 1e6));
    EXPECT_NEAR(var, due, 5 * due * std::sqrt(2 / 1e6)) << p;
  }
}

TEST(Camera, noise_differs_between_frames_channels_and_cameras_and_not_otherwise) {
  const Studio studio(wall(0.5));
  CameraSpec c;
  c.width = 64, c.height = 64, c.full_well = 500;
  const CameraMount m = free_mount({0, 0, 0}, {1, 0, 0});
  const Picture a = take(studio, c, m, {}, 1), again = take(studio, c, m, {}, 1), next = take(studio, c, m, {}, 2);
  CameraMount other = m;
  other.name = "other";
  const Picture elsewhere = take(studio, c, other, {}, 1);
  EXPECT_EQ(a.rgb, again.rgb);
  const auto equal = [](const Picture& x, const Picture& y) {
    int n = 0;
    for (std::size_t i = 0; i < x.rgb.size(); ++i) n += x.rgb[i] == y.rgb[i];
    return static_cast<double>(n) / static_cast<double>(x.rgb.size());
  };
  EXPECT_LT(equal(a, next), 0.1);
  EXPECT_LT(equal(a, elsewhere), 0.1);
  int same = 0;
  for (std::size_t i = 0; i < a.rgb.size(); i += 3) same += a.rgb[i] == a.rgb[i + 1];
  EXPECT_LT(same, 400);  // of 4096: channels have noise of their own
}

/// Row y of a rolling shutter is row y of a camera that shows all rows at that row's time: 480 images.
TEST(Camera, rolling_shutter_is_480_images_of_one_row_each) {
  Studio studio(all_shapes());
  studio.poses.links[0].w = {0.4, -0.3, 2.5}, studio.poses.links[0].v = {0.3, 0.2, 0.1};
  CameraSpec c;
  c.width = 160, c.height = 480, c.view = 0.6, c.readout = 0.03;
  CameraMount m = free_mount({0, 0, 0.4}, {2, 0, 0.2});
  m.robot = 0, m.X_LC.p = {-1.3, -0.4, 0.6};  // rides on the ball
  const RenderOptions options{false, Shadows::ground, false, false};
  const Picture rolling = take(studio, c, m, options);
  CameraSpec still = c;
  still.readout = 0;
  const LinkMotion start = studio.poses.links[0];
  int different = 0, differs_from_still = 0;
  const Picture at_once = take(studio, still, m, options);
  for (int y = 0; y < c.height; ++y) {
    const double t = c.readout * ((y + 0.5) / c.height - 0.5);
    studio.poses.links[0].X_WL = after(start.X_WL, start.v, start.w, t);
    const Picture row = take(studio, still, m, options);
    for (int x = 0; x < c.width; ++x) {
      const double d = row.depth_at(x, y), off = std::abs(d - rolling.depth_at(x, y));
      different += row.segment_at(x, y) != rolling.segment_at(x, y) || off > 0.002 * (1 + d * d);  // ground: d²/height
      differs_from_still += at_once.segment_at(x, y) != rolling.segment_at(x, y);
    }
  }
  EXPECT_GT(differs_from_still, 500);
  EXPECT_LT(different, 77) << "of 76800: outlines at the rim of a pixel";
}

/// Blur of a bright stripe that passes at v: light spreads evenly over v · exposure, and its sum stays.
TEST(Camera, blur_spreads_light_evenly_over_the_exposure_and_is_paid_only_in_motion) {
  SceneSpec s = all_shapes();
  Studio studio(s);
  CameraSpec c;
  c.width = 160, c.height = 120, c.exposure = 0.01;
  const CameraMount m = free_mount({0, 0, 0.7}, {2, 0, 0.2});
  Camera camera(studio.drawn, std::make_shared<const LensTable>(c), m);
  camera.begin(studio.poses, 1, 0);
  EXPECT_EQ(camera.instants(), 1);
  studio.poses.links[0].v = {0, 5, 0};  // 1.3 m away: 5/1.4 rad/s, 5.3 pixels in 10 ms
  camera.begin(studio.poses, 1, 0);
  EXPECT_EQ(camera.instants(), 3);
  studio.poses.links[0].v = {0, 500, 0};
  camera.begin(studio.poses, 1, 0);
  EXPECT_EQ(camera.instants(), 8);
}

/// The sum of the blur's weights is one: a uniform image stays, a point spreads over 25 pixels.
TEST(Camera, optical_blur_keeps_what_is_uniform) {
  const Studio studio(wall(0.5));
  CameraSpec c;
  c.width = 40, c.height = 30;
  const CameraMount m = free_mount({0, 0, 0}, {1, 0, 0});
  const Picture sharp = take(studio, c, m);
  c.lens.blur = 0.8;
  const Picture soft = take(studio, c, m);
  for (std::size_t i = 0; i < sharp.rgb.size(); ++i) EXPECT_NEAR(sharp.rgb[i], soft.rgb[i], 1);
}

/// (6) of camera.h: grey has no colour, and luma is that of RGB.
TEST(Camera, yuyv_of_grey_has_no_colour_and_luma_is_that_of_rgb) {
  const Studio studio(all_shapes());
  CameraSpec c;
  c.width = 161, c.height = 60;  // odd: rows are padded
  const Picture p = take(studio, c, free_mount({0, 0, 0.7}, {2, 0, 0.2}));
  ASSERT_EQ(yuyv_row_bytes(161), 324u);
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 161; ++x) {
      const std::uint8_t* rgb = &p.rgb[3 * (static_cast<std::size_t>(y) * 161 + x)];
      const double luma = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
      EXPECT_NEAR(p.yuyv[static_cast<std::size_t>(y) * 324 + 2 * x], luma, 1.2);
      EXPECT_EQ(p.grey[static_cast<std::size_t>(y) * 161 + x], p.yuyv[static_cast<std::size_t>(y) * 324 + 2 * x]);
    }
  const Studio grey(wall(0.4));
  const Picture g = take(grey, c, free_mount({0, 0, 0}, {1, 0, 0}));
  for (std::size_t i = 1; i < g.yuyv.size(); i += 2) EXPECT_EQ(g.yuyv[i], 128);
}

}  // namespace
}  // namespace gradus

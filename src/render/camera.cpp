#include "render/camera.h"

#include <fmt/format.h>

#include <cmath>

#include "math/power.h"

namespace gradus {
namespace {

struct Distorted {
  double x, y;            // (2)
  double xx, xy, yx, yy;  // its slopes: d x'/d x, d x'/d y, d y'/d x, d y'/d y
};

Distorted distort(const LensSpec& l, double x, double y) {
  const double r2 = x * x + y * y, g = 1 + r2 * (l.k1 + r2 * (l.k2 + r2 * l.k3));
  const double dg = 2 * (l.k1 + r2 * (2 * l.k2 + r2 * 3 * l.k3));  // dg/dx = dg · x
  return {x * g + 2 * l.p1 * x * y + l.p2 * (r2 + 2 * x * x), y * g + l.p1 * (r2 + 2 * y * y) + 2 * l.p2 * x * y,
          g + dg * x * x + 2 * l.p1 * y + 6 * l.p2 * x,       dg * x * y + 2 * l.p1 * x + 2 * l.p2 * y,
          dg * x * y + 2 * l.p1 * x + 2 * l.p2 * y,           g + dg * y * y + 6 * l.p1 * y + 2 * l.p2 * x};
}

/// Newton's method from (x, y); false where the slopes' determinant is not clearly above zero.
bool improve(const LensSpec& l, double x1, double y1, double& x, double& y) {
  for (int i = 0; i < 8; ++i) {
    const Distorted d = distort(l, x, y);
    const double det = d.xx * d.yy - d.xy * d.yx;
    if (!(det > 1e-3)) return false;
    const double ex = x1 - d.x, ey = y1 - d.y;
    x += (d.yy * ex - d.xy * ey) / det, y += (d.xx * ey - d.yx * ex) / det;
    if (std::abs(ex) + std::abs(ey) < 1e-9) break;  // quadratic: the step that was just taken leaves less than 1e-16
  }
  return true;
}

/// Finds (x, y) that (2) takes to (x1, y1), going out from the middle in small strides, so that the branch of the
/// middle is kept. False where the lens folds on the way: its slopes' determinant reaches zero before.
bool undistort(const LensSpec& l, double x1, double y1, double& x, double& y) {
  constexpr int kStrides = 16;
  x = y = 0;
  for (int k = 1; k <= kStrides; ++k)
    if (!improve(l, x1 * k / kStrides, y1 * k / kStrides, x, y)) return false;
  const Distorted d = distort(l, x, y);
  return d.xx * d.yy - d.xy * d.yx > 1e-3 && std::abs(d.x - x1) + std::abs(d.y - y1) < 1e-9;
}

bool folds(const CameraSpec& c) {
  if (!c.lens.distorts()) return false;
  for (int k = 0; k <= 32; ++k)  // the rim of the image is the farthest from the middle
    for (const auto& [u, v] : {ImagePoint{c.width * k / 32.0, 0}, ImagePoint{c.width * k / 32.0, double(c.height)},
                               ImagePoint{0, c.height * k / 32.0}, ImagePoint{double(c.width), c.height * k / 32.0}}) {
      double x, y;
      if (!undistort(c.lens, (u - 0.5 - c.cx) / c.fx, (v - 0.5 - c.cy) / c.fy, x, y)) return true;
    }
  return false;
}

bool all_finite(const CameraSpec& c) {
  for (const double x : {c.fx, c.fy, c.cx, c.cy, c.view, c.lens.k1, c.lens.k2, c.lens.k3, c.lens.p1, c.lens.p2,
                         c.lens.blur, c.readout, c.exposure, c.full_well, c.read, c.gain})
    if (!std::isfinite(x)) return false;
  return true;
}

}  // namespace

Diagnostics check(const CameraSpec& c, const Place& place) {
  Diagnostics out;
  const auto error = [&](std::string text, std::string suggestion) {
    out.push_back({place, Severity::error, std::move(text), std::move(suggestion)});
  };
  if (!all_finite(c)) return error("a number of the camera is not finite", ""), out;
  if (c.width < 1 || c.height < 1)
    error(fmt::format("an image of {} × {} pixels has none", c.width, c.height), "size = [640, 480]");
  else if (static_cast<std::int64_t>(c.width) * c.height > kPixelLimit)
    error(fmt::format("an image of {} × {} pixels is too large", c.width, c.height),
          fmt::format("at most {} pixels, as in 8192 × 8192", kPixelLimit));
  if ((c.fx == 0 || c.fy == 0) && !(c.view > 0 && c.view < 3.1))
    error(fmt::format("an angle of view of {:.4g} deg cannot be", c.view * 57.29577951308232),
          "between 0 and 177 deg, as in view = \"60 deg\"");
  if (c.fx < 0 || c.fy < 0) error("a focal length is negative", "focal = [fx, fy] in pixels");
  if (c.readout < 0 || c.exposure < 0) error("readout and exposure are times and not negative", "");
  if (c.full_well < 0 || c.read < 0) error("numbers of electrons are not negative", "");
  if (c.lens.blur < 0 || c.lens.blur > 2) error("the optical blur is between 0 and 2 pixels", "");
  if (!(c.gain > 0)) error("the gain is above zero", "");
  if (out.empty() && folds(resolved(c)))
    error("the lens folds: two directions are seen at one pixel before the corner of the image is reached",
          "check the signs and the order of radial = [k1, k2, k3] and tangential = [p1, p2]");
  return out;
}

CameraSpec resolved(const CameraSpec& camera) {
  CameraSpec c = camera;
  const double f = 0.5 * c.width / tangent(0.5 * c.view);
  if (c.fx == 0) c.fx = c.fy > 0 ? c.fy : f;
  if (c.fy == 0) c.fy = c.fx;
  if (c.cx < 0) c.cx = 0.5 * c.width - 0.5;
  if (c.cy < 0) c.cy = 0.5 * c.height - 0.5;
  return c;
}

ImagePoint project(const CameraSpec& c, double x, double y) {
  const Distorted d = distort(c.lens, x, y);
  return {c.fx * d.x + c.cx, c.fy * d.y + c.cy};
}

ImagePoint unproject(const CameraSpec& c, double u, double v) {
  const double x1 = (u - c.cx) / c.fx, y1 = (v - c.cy) / c.fy;
  double x = x1, y = y1;
  if (c.lens.distorts()) undistort(c.lens, x1, y1, x, y);
  return {x, y};
}

ImagePoint unproject_near(const CameraSpec& c, double u, double v, ImagePoint near_by) {
  const double x1 = (u - c.cx) / c.fx, y1 = (v - c.cy) / c.fy;
  if (!c.lens.distorts()) return {x1, y1};
  ImagePoint out = near_by;
  improve(c.lens, x1, y1, out.u, out.v);
  return out;
}

Mat3 camera_axes_from(const Mat3& R) { return {-R.y, -R.z, R.x}; }

Pose look_at(Vec3 eye, Vec3 target) {
  const Vec3 to = target - eye;
  const double length = norm(to);
  const Vec3 x = length > 1e-12 ? to * (1 / length) : Vec3{1, 0, 0};
  Vec3 y = cross(Vec3{0, 0, 1}, x);
  const double level = norm(y);
  y = level > 1e-9 ? y * (1 / level) : Vec3{0, 1, 0};  // straight up or down: the image's top is at +x
  return {camera_axes_from({x, y, cross(x, y)}), eye};
}

}  // namespace gradus

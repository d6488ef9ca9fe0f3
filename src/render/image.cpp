#include "render/image.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/rng.h"
#include "math/power.h"

namespace gradus {
namespace {

using render::kTileHeight;

constexpr int kMostInstants = 8;
float f32(double x) { return static_cast<float>(x); }

/// (5) of camera.h, as whole numbers.
void fill_gamma(std::uint8_t* table, double gain) {
  for (int i = 0; i < 4096; ++i)
    table[i] = static_cast<std::uint8_t>(std::min(255.0, 255 * power(std::min(1.0, gain * i / 4095.0), 1 / 2.2) + 0.5));
}

/// Gaussian of deviation s at 0, 1, 2 pixels, in 256ths; the middle takes what is left.
void fill_blur(int* w, double s) {
  w[0] = 256, w[1] = w[2] = 0;
  if (s <= 0) return;
  const double one = exponential(-0.5 / (s * s)), two = exponential(std::max(-600.0, -2 / (s * s))),
               sum = 1 + 2 * one + 2 * two;
  w[1] = static_cast<int>(256 * one / sum + 0.5), w[2] = static_cast<int>(256 * two / sum + 0.5);
  w[0] = 256 - 2 * w[1] - 2 * w[2];
}

/// By 3 degrees: within a band of rows a camera turns by less.
ViewCone widened(const ViewCone& s) {
  constexpr double c = 0.99863, d = 0.05234;
  if (s.cosine < 0.1) return {};
  return {s.axis, s.cosine * c - s.sine * d, s.sine * c + s.cosine * d};
}

/// x is at most 128 above and below zero.
std::uint8_t chroma(int x) { return static_cast<std::uint8_t>(std::min(x + 128, 255)); }
std::uint8_t luma(int r, int g, int b) { return static_cast<std::uint8_t>((77 * r + 150 * g + 29 * b + 128) >> 8); }

}  // namespace

std::size_t yuyv_row_bytes(int width) { return static_cast<std::size_t>(width + width % 2) * 2; }

std::uint64_t camera_key(std::uint64_t seed, int robot, const std::string& name) {
  return mix64(seed + 0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(robot + 2)) ^
         hash_bytes(name.data(), name.size());
}

BandRoom::BandRoom(const DrawnScene& scene, int width) : placed(scene) {
  lists.resize(scene.shapes.size() * 2 + scene.paint.size() + 16);
  rows.resize(3 * (static_cast<std::size_t>(width) + 64));
}

Camera::Camera(std::shared_ptr<const DrawnScene> scene, std::shared_ptr<const LensTable> view, CameraMount mount,
               RenderOptions options, const render::RenderKernel& kernel)
    : scene_(std::move(scene)),
      view_(std::move(view)),
      mount_(std::move(mount)),
      options_(options),
      kernel_(kernel),
      light_(view_->padded_pixels() * 3),
      blockers_(*scene_) {
  const CameraSpec& c = view_->camera();
  const render::TileCone& w = view_->whole();
  sight_ = {{w.axis[0], w.axis[1], w.axis[2]}, w.cosine, w.sine};
  if (c.readout > 0) sight_ = widened(sight_);
  if (options_.depth) depth_.resize(view_->padded_pixels());
  if (options_.segmentation) segment_.resize(view_->padded_pixels());
  for (int k = 0; c.readout == 0 && k < (c.exposure > 0 ? kMostInstants : 1); ++k) shared_.emplace_back(*scene_);
  fill_gamma(gamma_, c.gain);
  fill_blur(blur_weight_, c.lens.blur);
}

MovingFrame Camera::eye(const Poses& poses) const {
  if (mount_.robot < 0) return {mount_.X_LC, {0, 0, 0}, {0, 0, 0}};
  const LinkMotion& m =
      poses.links[static_cast<std::size_t>(scene_->link_first[static_cast<std::size_t>(mount_.robot)] + mount_.link)];
  return {m.X_WL * mount_.X_LC, m.v + cross(m.w, m.X_WL.R * mount_.X_LC.p), m.w};
}

/// The largest motion of anything in front of the camera during the exposure, in pixels: K of the header.
int Camera::instants_for(const Poses& poses) const {
  const CameraSpec& c = view_->camera();
  if (c.exposure <= 0) return 1;
  const Plane& g = scene_->ground;
  double most = norm(eye_.w);  // the world at large; near ground by the camera's own speed  [rad/s]
  if (g.present) most += norm(eye_.v) / std::max(0.1, dot(g.n, eye_.X_WC.p) - g.offset);
  for (const DrawnShape& s : scene_->shapes) {
    if (s.robot < 0) continue;
    const LinkMotion& m =
        poses.links[static_cast<std::size_t>(scene_->link_first[static_cast<std::size_t>(s.robot)] + s.link)];
    const Vec3 arm = m.X_WL.R * s.middle, d = m.X_WL.p + arm - eye_.X_WC.p,
               u = m.v + cross(m.w, arm) - eye_.v - cross(eye_.w, d);
    const double away = norm(d);
    if (dot(d, eye_.X_WC.R.z) < -s.bound || away < s.bound) continue;  // behind, or its own housing
    const Vec3 n = d * (1 / away);
    most = std::max(most, norm(u - n * dot(u, n)) / away);
  }
  return std::clamp(1 + static_cast<int>(std::min(100.0, 0.5 * most * c.exposure * c.fx)), 1, kMostInstants);
}

double Camera::time_of(int band, int instant) const {
  const CameraSpec& c = view_->camera();
  const double row = c.readout == 0 ? 0 : c.readout * ((band + 0.5) * kTileHeight / c.height - 0.5);
  return row + c.exposure * ((instant + 0.5) / instants_ - 0.5);
}

void Camera::begin(const Poses& poses, std::uint64_t key, std::uint32_t frame) {
  const CameraSpec& c = view_->camera();
  poses_ = &poses, key_ = key, frame_ = frame;
  eye_ = eye(poses);
  instants_ = instants_for(poses);
  if (options_.shadows == Shadows::all) blockers_.find(*scene_, poses, 0.5 * (c.readout + c.exposure));
  if (c.readout > 0) return;
  for (int k = 0; k < instants_; ++k)
    shared_[static_cast<std::size_t>(k)].place(*scene_, poses, eye_, time_of(0, k), mount_.hidden, sight_);
}

void Camera::render_band(int band, BandRoom& room) {
  const CameraSpec& c = view_->camera();
  const bool rolling = c.readout > 0;
  const Vec3 turn = transpose_times(eye_.X_WC.R, eye_.w) * (rolling ? c.readout / c.height : 0);  // a row
  const double slack = norm(turn) * kTileHeight * 0.5;
  const std::size_t plane = view_->padded_pixels();
  for (int k = 0; k < instants_; ++k) {
    PlacedRoom& placed = rolling ? room.placed : shared_[static_cast<std::size_t>(k)];
    if (rolling)
      placed.place(*scene_, *poses_, eye_, time_of(band, k), mount_.hidden, slack < 0.05 ? sight_ : ViewCone{});
    render::Placed view = placed.placed();
    view.blocker_first = blockers_.first(), view.blockers = blockers_.list();
    const bool geometry = k == instants_ / 2;  // depth and segmentation are of one instant
    kernel_.band({view_->rays(),
                  &view,
                  band,
                  options_.smooth,
                  options_.shadows != Shadows::none,
                  options_.shadows == Shadows::all,
                  rolling,
                  {f32(turn.x), f32(turn.y), f32(turn.z)},
                  f32(1 - 0.5 * slack * slack),
                  f32(slack),
                  k > 0,
                  light_.data(),
                  light_.data() + plane,
                  light_.data() + 2 * plane,
                  view_->stride(),
                  geometry && options_.depth ? depth_.data() : nullptr,
                  geometry && options_.segmentation ? segment_.data() : nullptr,
                  room.lists.data()});
  }
}

/// One channel of a row: optical blur, mean of the instants, noise. In `row`, or where it is if there is nothing to do.
const std::uint16_t* Camera::finished_row(int y, int channel, std::uint16_t* row) const {
  const CameraSpec& c = view_->camera();
  const std::uint16_t* plane = light_.data() + static_cast<std::size_t>(channel) * view_->padded_pixels();
  const auto line = [&](int k) {
    return plane + static_cast<std::size_t>(std::clamp(k, 0, c.height - 1)) * view_->stride();
  };
  if (blur_weight_[0] == 256 && instants_ == 1 && c.full_well <= 0) return line(y);
  if (blur_weight_[0] == 256) {
    std::copy_n(line(y), c.width, row);
  } else {
    const int *w = blur_weight_, n = c.width;
    const std::uint16_t *l0 = line(y - 2), *l1 = line(y - 1), *l2 = line(y), *l3 = line(y + 1), *l4 = line(y + 2);
    const auto column = [&](int x) {
      x = std::clamp(x, 0, n - 1);
      return w[2] * (l0[x] + l4[x]) + w[1] * (l1[x] + l3[x]) + w[0] * l2[x];
    };
    int a = column(-2), b = column(-1), m = column(0), d = column(1), e = column(2);
    for (int x = 0; x < n; ++x) {
      row[x] = static_cast<std::uint16_t>(
          (w[2] * (a / 256 + e / 256) + w[1] * (b / 256 + d / 256) + w[0] * (m / 256) + 128) / 256);
      a = b, b = m, m = d, d = e, e = column(x + 3);
    }
  }
  if (instants_ > 1)
    for (int x = 0; x < c.width; ++x) row[x] = static_cast<std::uint16_t>((row[x] + instants_ / 2) / instants_);
  if (c.full_well <= 0) return row;
  const double b = 4095 * c.read / c.full_well;
  const std::uint64_t key = mix64(key_ ^ mix64(frame_ * 4ull + static_cast<std::uint64_t>(channel)));
  kernel_.noise(row, c.width, f32(4095 / c.full_well), f32(b * b), static_cast<std::uint32_t>(key >> 32),
                static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(c.width));
  return row;
}

/// (5), (6) of camera.h.
void Camera::convert_row(int y, const std::uint16_t* const* rgb, const Image& out) const {
  const int n = view_->camera().width;
  const std::size_t at = static_cast<std::size_t>(y) * n;
  const std::uint16_t *r = rgb[0], *g = rgb[1], *b = rgb[2];
  if (out.rgb != nullptr)
    for (int x = 0; x < n; ++x) {
      std::uint8_t* p = out.rgb + 3 * (at + static_cast<std::size_t>(x));
      p[0] = gamma_[r[x]], p[1] = gamma_[g[x]], p[2] = gamma_[b[x]];
    }
  if (out.grey != nullptr)
    for (int x = 0; x < n; ++x)
      out.grey[at + static_cast<std::size_t>(x)] = luma(gamma_[r[x]], gamma_[g[x]], gamma_[b[x]]);
  if (out.yuyv == nullptr) return;
  std::uint8_t* p = out.yuyv + static_cast<std::size_t>(y) * yuyv_row_bytes(n);
  for (int x = 0; x < n; x += 2, p += 4) {  // two pixels share the mean of their chroma
    const int z = std::min(x + 1, n - 1), r0 = gamma_[r[x]], g0 = gamma_[g[x]], b0 = gamma_[b[x]], r1 = gamma_[r[z]],
              g1 = gamma_[g[z]], b1 = gamma_[b[z]], rs = r0 + r1, gs = g0 + g1, bs = b0 + b1;
    p[0] = luma(r0, g0, b0), p[2] = luma(r1, g1, b1);
    p[1] = chroma((-43 * rs - 85 * gs + 128 * bs + 256) >> 9);
    p[3] = chroma((128 * rs - 107 * gs - 21 * bs + 256) >> 9);
  }
}

void Camera::finish_band(int band, BandRoom& room, const Image& out) const {
  const CameraSpec& c = view_->camera();
  const std::size_t step = static_cast<std::size_t>(c.width) + 64;
  for (int y = band * kTileHeight; y < std::min(c.height, (band + 1) * kTileHeight); ++y) {
    if (out.rgb != nullptr || out.grey != nullptr || out.yuyv != nullptr) {
      const std::uint16_t* rgb[3];
      for (int k = 0; k < 3; ++k) rgb[k] = finished_row(y, k, room.rows.data() + static_cast<std::size_t>(k) * step);
      convert_row(y, rgb, out);
    }
    const std::size_t from = static_cast<std::size_t>(y) * view_->stride(), to = static_cast<std::size_t>(y) * c.width;
    if (out.depth != nullptr && options_.depth) std::copy_n(depth_.data() + from, c.width, out.depth + to);
    if (out.segment != nullptr && options_.segmentation) std::copy_n(segment_.data() + from, c.width, out.segment + to);
  }
}

void Camera::render(const Poses& poses, std::uint64_t key, std::uint32_t frame, BandRoom& room, const Image& out) {
  begin(poses, key, frame);
  for (int b = 0; b < band_count(); ++b) render_band(b, room);
  for (int b = 0; b < band_count(); ++b) finish_band(b, room, out);
}

}  // namespace gradus

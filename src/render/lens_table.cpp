#include "render/lens_table.h"

#include <algorithm>

namespace gradus {

using render::kTileHeight;
using render::kTilePixels;
using render::kTileWidth;

LensTable::LensTable(const CameraSpec& camera)
    : camera_(resolved(camera)),
      tiles_x_((camera.width + kTileWidth - 1) / kTileWidth),
      tiles_y_((camera.height + kTileHeight - 1) / kTileHeight) {
  fill();
  fill_cones();
  fill_whole();
}

render::ViewRays LensTable::rays() const {
  return {directions_.data(), cones_.data(), tiles_x_, tiles_y_, static_cast<float>(1 / camera_.fx)};
}

Vec3 LensTable::direction(int x, int y) const {
  const std::size_t tile = static_cast<std::size_t>(y / kTileHeight) * tiles_x_ + x / kTileWidth;
  const float* d = &directions_[(tile * kTileHeight + y % kTileHeight) * 3 * kTileWidth + x % kTileWidth];
  return {d[0], d[kTileWidth], d[2 * kTileWidth]};
}

void LensTable::fill() {
  directions_.resize(padded_pixels() * 3);
  ImagePoint row_start = unproject(camera_, 0, 0);
  for (int y = 0; y < padded_height(); ++y) {
    const int v = std::min(y, camera_.height - 1);  // beyond the image: its last pixels once more
    ImagePoint p = row_start = unproject_near(camera_, 0, v, row_start);
    for (int x = 0; x < stride(); ++x) {
      p = unproject_near(camera_, std::min(x, camera_.width - 1), v, p);
      const double n = 1 / square_root(p.u * p.u + p.v * p.v + 1);
      const std::size_t tile = static_cast<std::size_t>(y / kTileHeight) * tiles_x_ + x / kTileWidth;
      float* d = &directions_[(tile * kTileHeight + y % kTileHeight) * 3 * kTileWidth + x % kTileWidth];
      d[0] = static_cast<float>(p.u * n), d[kTileWidth] = static_cast<float>(p.v * n),
      d[2 * kTileWidth] = static_cast<float>(n);
    }
  }
}

void LensTable::fill_cones() {
  float x[kTilePixels], y[kTilePixels], z[kTilePixels];
  for (int t = 0; t < tiles_x_ * tiles_y_; ++t) {
    const float* d = &directions_[static_cast<std::size_t>(t) * 3 * kTilePixels];
    for (int i = 0; i < kTilePixels; ++i) {
      const float* row = d + i / kTileWidth * 3 * kTileWidth + i % kTileWidth;
      x[i] = row[0], y[i] = row[kTileWidth], z[i] = row[2 * kTileWidth];
    }
    cones_.push_back(render::TileCone{});
    cones_.back() = cone_around(x, y, z, kTilePixels, 1, 1.5 / camera_.fx);  // samples reach half a pixel out
  }
}

void LensTable::fill_whole() {
  std::vector<float> all[3];  // rays of the rim and of the middle: the outermost of all
  for (int y = 0; y < camera_.height; ++y)
    for (int x = 0; x < camera_.width; ++x) {
      const bool rim = x == 0 || y == 0 || x == camera_.width - 1 || y == camera_.height - 1;
      if (!rim && (x != camera_.width / 2 || y != camera_.height / 2)) continue;
      const Vec3 d = direction(x, y);
      const double part[3] = {d.x, d.y, d.z};
      for (int k = 0; k < 3; ++k) all[k].push_back(static_cast<float>(part[k]));
    }
  whole_ =
      cone_around(all[0].data(), all[1].data(), all[2].data(), static_cast<int>(all[0].size()), 1, 1.5 / camera_.fx);
}

render::TileCone cone_around(const float* x, const float* y, const float* z, int count, int step, double margin) {
  Vec3 axis{0, 0, 0};
  for (int i = 0; i < count; ++i) axis += Vec3{x[i * step], y[i * step], z[i * step]};
  const double length = norm(axis);
  axis = length > 1e-9 ? axis * (1 / length) : Vec3{x[0], y[0], z[0]};
  double c = 1;
  for (int i = 0; i < count; ++i) c = std::min(c, dot(axis, Vec3{x[i * step], y[i * step], z[i * step]}));
  double s_margin, c_margin;
  sine_cosine(margin + 1e-5, s_margin, c_margin);
  const double s = square_root(std::max(0.0, 1 - c * c));
  double cosine = c * c_margin - s * s_margin, sine = s * c_margin + c * s_margin;
  if (c < 0.1 || cosine < 0.05) cosine = -1, sine = 0;  // nearly a half space or more: a cone of everything
  return {{static_cast<float>(axis.x), static_cast<float>(axis.y), static_cast<float>(axis.z)},
          static_cast<float>(cosine),
          static_cast<float>(sine)};
}

}  // namespace gradus

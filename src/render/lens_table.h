/// View rays of a lens: one unit vector a pixel, tile by tile in the order of use, and a cone around each tile. Made
/// once for a camera's numbers; 3.7 MB at 640 × 480.
#pragma once
#include <memory>
#include <vector>

#include "render/camera.h"
#include "render/flat.h"

namespace gradus {

class LensTable {
 public:
  /// The camera must have passed check().
  explicit LensTable(const CameraSpec& camera);
  const CameraSpec& camera() const { return camera_; }  // resolved
  render::ViewRays rays() const;
  int band_count() const { return tiles_y_; }
  int stride() const { return tiles_x_ * render::kTileWidth; }  // pixels of a padded row
  int padded_height() const { return tiles_y_ * render::kTileHeight; }
  std::size_t padded_pixels() const { return static_cast<std::size_t>(stride()) * padded_height(); }
  const render::TileCone& whole() const { return whole_; }  // around all of the image
  /// Ray of a pixel, camera axes.
  Vec3 direction(int x, int y) const;

 private:
  void fill();
  void fill_cones();
  void fill_whole();
  CameraSpec camera_;
  int tiles_x_, tiles_y_;
  std::vector<float> directions_;
  std::vector<render::TileCone> cones_;
  render::TileCone whole_;
};

/// Around 16 or 128 unit vectors given as x, y, z; `margin`: angle that is added.
render::TileCone cone_around(const float* x, const float* y, const float* z, int count, int step, double margin);

}  // namespace gradus

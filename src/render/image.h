/// Images of a camera: rays, shutter, blur, noise, what the sensor sends. An image is a function of one State's poses,
/// the camera, a key and the frame's number: the same bits for any number of threads and lanes.
///
///   Camera camera(scene, spec, mount);                         allocates; then nothing does
///   camera.begin(poses, key, frame);                           once an image
///   camera.render_band(b, room);  for all bands, any thread    rays to linear light
///   camera.finish_band(b, room, image);  likewise, after all   blur, noise, gamma, formats
///
/// Time of a row: t = t_frame + readout ((row + ½)/height − ½); shapes are placed anew for each band of 8 rows, and
/// within it rays turn with the camera. Blur: mean of K instants over the exposure in linear light,
/// K = 1 + ⌊largest motion in pixels / 2⌋, at most 8: a standing camera pays nothing.
#pragma once
#include <memory>

#include "render/camera.h"
#include "render/kernels.h"
#include "render/lens_table.h"
#include "render/place.h"

namespace gradus {

enum class Shadows { none, ground, all };

struct RenderOptions {
  bool smooth = true;  // three more rays where shapes meet
  Shadows shadows = Shadows::all;
  bool depth = false, segmentation = false;  // are they wanted?
};

/// Where an image goes: rows of width pixels without gaps, owned by the caller; null: not wanted.
struct Image {
  std::uint8_t* rgb = nullptr;   // 3 bytes a pixel
  std::uint8_t* grey = nullptr;  // 1
  std::uint8_t* yuyv =
      nullptr;             // 2; of an odd width the last pixel's chroma stands alone, rows are rounded up to 4 bytes
  float* depth = nullptr;  // along the optical axis, 0: sky     [m]
  std::uint16_t* segment = nullptr;  // DrawnScene::segments
};
std::size_t yuyv_row_bytes(int width);

/// What one thread needs besides.
struct BandRoom {
  explicit BandRoom(const DrawnScene& scene, int width);
  PlacedRoom placed;
  std::vector<std::int32_t> lists;
  std::vector<std::uint16_t> rows;  // 3 finished rows, padded
};

class Camera {
 public:
  Camera(std::shared_ptr<const DrawnScene> scene, std::shared_ptr<const LensTable> view, CameraMount mount,
         RenderOptions options = {}, const render::RenderKernel& kernel = render::best_kernel());
  const LensTable& view() const { return *view_; }
  const CameraMount& mount() const { return mount_; }
  const DrawnScene& scene() const { return *scene_; }
  int band_count() const { return view_->band_count(); }
  /// Where the camera is at the poses' instant.
  MovingFrame eye(const Poses& poses) const;

  /// `poses` must live until the image is finished.
  void begin(const Poses& poses, std::uint64_t key, std::uint32_t frame);
  void render_band(int band, BandRoom& room);
  void finish_band(int band, BandRoom& room, const Image& out) const;
  /// All of it on the calling thread.
  void render(const Poses& poses, std::uint64_t key, std::uint32_t frame, BandRoom& room, const Image& out);

  const std::uint8_t* gamma() const { return gamma_; }                  // (4096) linear light to 8 bits
  int instants() const { return instants_; }                            // K of this image
  std::int64_t dropped_shadows() const { return blockers_.dropped(); }  // of this image

 private:
  int instants_for(const Poses& poses) const;
  double time_of(int band, int instant) const;
  const std::uint16_t* finished_row(int y, int channel, std::uint16_t* room) const;
  void convert_row(int y, const std::uint16_t* const* rgb, const Image& out) const;

  std::shared_ptr<const DrawnScene> scene_;
  std::shared_ptr<const LensTable> view_;
  CameraMount mount_;
  RenderOptions options_;
  const render::RenderKernel& kernel_;
  std::vector<std::uint16_t> light_;  // 3 padded planes, linear, sum of the instants
  std::vector<float> depth_;
  std::vector<std::uint16_t> segment_;
  std::vector<PlacedRoom> shared_;  // all rows at once: one for each instant
  Blockers blockers_;
  ViewCone sight_;
  std::uint8_t gamma_[4096];
  int blur_weight_[3];  // of the middle and its neighbours, sum of both sides 256
  const Poses* poses_ = nullptr;
  MovingFrame eye_;
  int instants_ = 1;
  std::uint64_t key_ = 0;
  std::uint32_t frame_ = 0;
};

/// Key of a camera's noise: of nothing but the world's seed, the robot and the camera's name.
std::uint64_t camera_key(std::uint64_t seed, int robot, const std::string& name);

}  // namespace gradus

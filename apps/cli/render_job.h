/// `gradus render`: which cameras there are, and images of them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/threads.h"
#include "render/image.h"
#include "world/world.h"

namespace gradus::cli {

enum class What { rgb, grey, depth, segmentation };

/// Where the camera is that was asked for by name ("nao1.camera_top") or by two points ("2m 1m 80cm / 0m 0m 30cm"); ""
/// for one that sees the whole scene. "" or what is wrong.
std::string find_mount(const World& world, const std::string& text, CameraMount& out);
/// The same of a robot's sensor of kind camera, with all that it is; false: there is none of that name.
bool find_sensor(const World& world, const std::string& text, CameraSpec& spec, CameraMount& out,
                 std::vector<std::string>& hides);
/// All objects of robots that are called cameras.
std::vector<CameraMount> all_mounts(const World& world);
/// Shapes of these objects of the camera's robot are not seen by it. "" or what is wrong.
std::string hide(const World& world, const DrawnScene& scene, const std::vector<std::string>& objects,
                 CameraMount& out);

/// Cameras with all that they need, for images of a world at several times.
class Photographer {
 public:
  Photographer(const World& world, std::shared_ptr<const DrawnScene> scene, const CameraSpec& spec,
               std::vector<CameraMount> mounts, RenderOptions options, What what, int threads);
  /// All cameras, beside and below each other: a contact sheet; one camera: its image.
  void shoot(const World& world, std::uint32_t frame);
  int width() const { return columns_ * spec_.width; }
  int height() const { return rows_ * spec_.height; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }       // rgb or grey
  const std::vector<std::uint16_t>& numbers() const { return numbers_; }  // depth in mm, or segments
  std::uint64_t hash() const;                                             // of the last image
  double seconds() const { return seconds_; }                             // wall time of all images so far
  std::vector<std::size_t> segment_pixels() const;                        // how many pixels show each segment

 private:
  void shoot_one(Camera& camera, std::uint64_t key, std::uint32_t frame, int number);
  void paste(int number);

  std::shared_ptr<const DrawnScene> scene_;
  CameraSpec spec_;
  What what_;
  std::vector<Camera> cameras_;
  std::vector<std::uint64_t> keys_;
  PoseMaker maker_;
  Poses poses_;
  Team team_;
  std::vector<BandRoom> rooms_;
  int columns_, rows_;
  std::vector<std::uint8_t> one_, bytes_;
  std::vector<float> depth_;
  std::vector<std::uint16_t> segment_, numbers_;
  double seconds_ = 0;
};

/// A colour for each number of a segmentation image, the same in every picture.
void segment_colour(int segment, std::uint8_t* rgb);

}  // namespace gradus::cli

/// Cameras as sensors: when images are taken and when they arrive. What is on them is rendered elsewhere, if somebody asks
/// [world/cameras.h].
#pragma once
#include "render/camera.h"
#include "sense/sense.h"

namespace gradus::sense {

/// Frame n has the middle of its exposure at phase + n/rate and arrives half of readout and exposure, and `delay`, later.
/// Its one channel is the number of the newest frame.
struct CameraSensor {
  static constexpr std::string_view name = "camera", about = "number of the newest frame";
  static constexpr Dimension unit = dimension::kNumber;
  static constexpr bool images = true;
  static constexpr Key keys[] = {
      {"size", dimension::kNumber, false, 2, 1, 8192, "width and height in pixels; 640 and 480 if not given"},
      {"view", dimension::kAngle, false, 1, 1e-3, 3.1, "horizontal angle of view; 56.3 deg if not given"},
      {"focal", dimension::kNumber, false, 2, 1e-3, 1e6, "fx and fy in pixels, instead of view"},
      {"centre", dimension::kNumber, false, 2, -1e5, 1e5, "principal point in pixels; the middle if not given"},
      {"shutter.readout", dimension::kTime, false, 1, 0, 1, "rolling shutter: from the first row to the last"},
      {"shutter.exposure", dimension::kTime, false, 1, 0, 1, "of a row; what moves is blurred"},
      {"lens.radial", dimension::kNumber, false, -3, -100, 100, "k1, k2, k3 of OpenCV's lens"},
      {"lens.tangential", dimension::kNumber, false, 2, -100, 100, "p1, p2 of OpenCV's lens"},
      {"lens.blur", dimension::kNumber, false, 1, 0, 2, "optical blur, standard deviation in pixels"},
      {"noise.full_well", dimension::kNumber, false, 1, 0, 1e9, "electrons at full light; 0: no noise"},
      {"noise.read", dimension::kNumber, false, 1, 0, 1e6, "of reading, in electrons"},
      {"gain", dimension::kNumber, false, 1, 1e-3, 1e3, "of the light"},
      {"format", dimension::kNumber, false, 0, 0, 0, "rgb, grey, yuyv, depth, segmentation: one or several; the first is what programs get"},
      {"hides", dimension::kNumber, false, 0, 0, 0, "objects of the robot that it does not see: its own housing"}};
  static void bind(Binding& b);
  static void truth(const Surroundings& w, const Sensor& s, double* own, double* x);
};

/// What a [[sensor]] of kind camera describes. detail = "ideal" or "image", and levels of sensing below real: neither lens
/// nor shutter nor noise.
CameraSpec camera_spec(const SensorSpec& sensor);
/// At the levels of sensing `image` and `real`.
bool gives_images(const SensorSpec& sensor);
enum class ImageFormat { rgb, grey, yuyv, depth, segmentation };
const char* name_of(ImageFormat format);
/// As asked for, each once; rgb if nothing is.
std::vector<ImageFormat> image_formats(const SensorSpec& sensor);

}  // namespace gradus::sense

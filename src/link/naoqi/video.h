/// ALVideoDevice: programs subscribe to a camera and fetch images, in the size and colours that they asked for.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "state/controller.h"

namespace gradus::naoqi {

/// Numbers of the robot's interface.
enum Resolution { kQqvga = 0, kQvga = 1, kVga = 2 };                           // 160 × 120, 320 × 240, 640 × 480
enum ColourSpace { kLuma = 0, kYuv422 = 9, kYuv = 10, kRgb = 11, kBgr = 13 };  // bytes per pixel: 1, 2, 3, 3, 3

/// One image of a camera (yuyv) in another size and colour space; every n-th pixel is taken. "" or what is wrong.
std::string convert(const SensorImage& yuyv, int resolution, int colour_space, std::string& out);

class Video {
 public:
  using json = nlohmann::json;
  /// subscribe(name, resolution, colour space, frames a second), subscribeCamera(name, camera, …),
  /// getImageRemote(name), getImageLocal, releaseImage, setParam, getParam, setActiveCamera, getActiveCamera,
  /// unsubscribe, … Throws CallFault.
  json call(const RobotOutput& output, const std::string& method, const json& arguments);

 private:
  struct Subscription {
    int camera, resolution, colour_space;
  };
  json subscribe(const std::string& name, const Subscription& s);
  json image(const RobotOutput& output, const Subscription& s) const;

  std::map<std::string, Subscription> subscriptions_;
  std::map<int, json> parameters_;
  int active_ = 0;  // camera: 0 top, 1 bottom
};

}  // namespace gradus::naoqi

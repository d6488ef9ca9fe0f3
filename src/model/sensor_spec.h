/// The description of a sensor. What its numbers mean only its kind knows [sense/sense.h]: a loader keeps them as they
/// were written, with unit and place, and the kind checks them when the robot is bound. So a new kind of sensor needs
/// nothing here or in the loader.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dimension.h"
#include "base/result.h"
#include "math/vec.h"

namespace gradus {

/// One line of a description: `noise = "0.05 deg/s"`, `drift = { time = "1000 s" }` as "drift.time", `format = "yuyv"`.
struct SensorSetting {
  std::string key;
  std::vector<double> numbers;     // SI; a truth is 0 or 1
  std::vector<std::string> words;  // instead of numbers
  std::optional<Dimension> unit;   // of all numbers; none: SI of whatever is due
  Place place;
};

struct SensorSpec {
  std::string name;
  std::string kind;               // "gyroscope"
  std::string on;                 // object that carries it; "": the base
  Pose X_OS = identity_pose();    // its axes in the object's frame
  std::vector<SensorSetting> settings;  // a later one of the same key counts
  Place place;

  const SensorSetting* find(std::string_view key) const {
    for (std::size_t i = settings.size(); i-- > 0;)
      if (settings[i].key == key) return &settings[i];
    return nullptr;
  }
};

/// How much a program gets of what there is to be sensed: one switch for all sensors of a robot [docs/sensors.md].
///   truth    every sensor shows the truth at once; no images
///   objects  sensors as described; no images: what there is to be seen comes from sensors of kind `objects`
///   image    sensors as described; images without lens, shutter and noise
///   real     all as described
enum class Sensing { truth, objects, image, real };
inline constexpr const char* kSensingNames[] = {"truth", "objects", "image", "real"};

/// Real unless its setting `sensing`, a number, says otherwise.
inline Sensing sensing_of(const SensorSpec& sensor) {
  const SensorSetting* s = sensor.find("sensing");
  if (!s || s->numbers.empty() || !(s->numbers[0] < 3)) return Sensing::real;
  return s->numbers[0] < 1 ? Sensing::truth : s->numbers[0] < 2 ? Sensing::objects : Sensing::image;
}
inline void set_sensing(std::vector<SensorSpec>& sensors, double level, const Place& place = {}) {
  for (SensorSpec& s : sensors) s.settings.push_back({"sensing", {level}, {}, {}, place});
}
/// The number of a level; −1: there is none of that name.
inline int sensing_level(std::string_view name) {
  for (int i = 0; i < 4; ++i)
    if (name == kSensingNames[i]) return i;
  return -1;
}

}  // namespace gradus

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

}  // namespace gradus

/// Sensors in TOML [docs/sensors.md]:
///
///   [[sensor]]             of robot files and of sensor sets (sensors/nao_v6.toml)
///   name, kind or type, on, at, rpy; then numbers and words that only the kind knows [sense/sense.h]
///
///   [sensor_type.NAME]     numbers that several sensors share
///
///   [robot.blue]           of scenes
///   sensors = "off" | "ideal" | "real" | "sensors/nao_v6.toml" | [...]
///   sensor.gyro = { noise = "0.2 deg/s" }
#pragma once
#include <map>
#include <string>
#include <vector>

#include "load/find_file.h"
#include "load/toml_file.h"
#include "model/spec.h"

namespace gradus {

/// Reads the [sensor_type.NAME] and [[sensor]] tables of one file; types stay known for the next one.
class SensorReader {
 public:
  SensorReader(std::vector<SensorSpec>& out, Diagnostics& log) : out_(out), log_(log) {}
  void read_file(const toml::table& file);
  /// What a scene says of one robot: `sensors`, `sensor` and `sensing`.
  void read_instance(TableReader& t, const LoadOptions& options);
  /// "off", "ideal", "real", or a set.
  void use(const std::string& word, const Place& place, const LoadOptions& options);
  /// Everything that is not common to all kinds, as it stands.
  void read_settings(const toml::table& table, const std::string& prefix, SensorSpec& out);

 private:
  void read_types(const toml::node& node);
  void read_sensor(const toml::table& table);
  void read_changes(const toml::table& changes);  // sensor.NAME of a robot
  void read_setting(const toml::node& node, const std::string& key, SensorSpec& out);
  bool read_value(const toml::node& node, SensorSetting& out);
  void fault(const Place& place, std::string text, std::string suggestion = "") {
    log_.push_back({place, Severity::error, std::move(text), std::move(suggestion)});
  }

  std::vector<SensorSpec>& out_;
  Diagnostics& log_;
  std::map<std::string, SensorSpec> types_;
};

/// The camera above a group's pitch: numbers of a sensor of kind `overhead`, without [[sensor]] around them.
SensorSpec read_group_camera(const toml::table& table, const std::string& group, Diagnostics& log);

/// Adds a set that comes with gradus ("nao_v6"), as `sensors = "…"` of a scene does.
Diagnostics add_sensor_set(const std::string& name, std::vector<SensorSpec>& out);

}  // namespace gradus

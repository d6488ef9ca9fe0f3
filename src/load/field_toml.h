/// [field.NAME] tables of scenes and field files, and the places of everything that a scene says.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "load/parts_toml.h"
#include "model/spec.h"

namespace gradus {

/// Where each path of a scene ("world.step", "robot.blue1.motion") was written; nothing for what was bad and is
/// reported.
class ScenePlaces {
 public:
  void note(const std::string& path, const Place& place, bool good) {
    places_[path] = good ? std::optional<Place>(place) : std::nullopt;
  }
  /// Robot `copy` was written as `original`.
  void alias(const std::string& copy, const std::string& original) { alias_[copy] = original; }
  /// Of the path, or of the longest beginning of it that was written.
  std::optional<Place> of(const std::string& path) const;

 private:
  std::map<std::string, std::optional<Place>> places_;
  std::map<std::string, std::string> alias_;
};

class FieldReader {
 public:
  FieldReader(SceneSpec& scene, const LoadOptions& options, ScenePlaces& places, Diagnostics& log)
      : scene_(scene), options_(options), meshes_{scene.meshes, options, {}, &scene.maps}, places_(places), log_(log) {}

  /// A field file: about, include, [pitch], [field.NAME].
  void include(const std::string& name, const std::string& from, const Place& place);
  void read_objects(const toml::table& table);
  /// [pitch]: its walls and lines become field objects.
  void read_pitch(const toml::table& table);

 private:
  void read_file(const std::string& path);
  void read_object(const std::string& name, const toml::table& table, const Place& place);

  SceneSpec& scene_;
  const LoadOptions& options_;
  ShapeMeshes meshes_;
  ScenePlaces& places_;
  Diagnostics& log_;
  std::vector<std::string> open_, done_;  // files being read, files read
};

}  // namespace gradus

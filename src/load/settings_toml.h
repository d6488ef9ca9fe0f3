/// Settings: values for parameters of a scene by path, in a file of their own, as `gradus optimise` writes its result:
///
///   [settings]
///   "trotter.controller.period" = "0.42 s"
///
/// A scene takes them by `[world] settings = ["best.toml"]`, commands by --settings. They are applied after everything
/// else of the scene, in the order of the file, as --set would.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace gradus {

struct SettingLine {
  std::string assignment;  // PATH=VALUE
  Place place;
};
/// Every line of the file, or what is wrong with it.
Result<std::vector<SettingLine>> load_settings(const std::string& path);

struct SceneSpec;
/// False if one of them could not be applied; why is in out, at its place.
bool apply_settings(SceneSpec& scene, const std::vector<SettingLine>& lines, Diagnostics& out);

}  // namespace gradus

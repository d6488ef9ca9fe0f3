#include "cli/scene_changes.h"

#include <map>
#include <nlohmann/json.hpp>

#include "load/scene_json.h"

namespace gradus::cli {
namespace {

using nlohmann::json;

/// Every number and text of a description by its path; members of lists that have names are called by them.
void flatten(const json& j, const std::string& path, std::map<std::string, std::string>& out) {
  if (!j.is_structured()) {
    out[path] = j.dump(-1, ' ', false, json::error_handler_t::replace);
    return;
  }
  std::size_t i = 0;
  for (const auto& item : j.items()) {
    const bool has_name = item.value().is_object() && item.value().contains("name") && item.value()["name"].is_string();
    const std::string key = !j.is_array() ? item.key()
                            : has_name    ? item.value()["name"].get<std::string>()
                                          : std::to_string(i);
    ++i;
    const bool is_list =
        key == "robots" || key == "objects" || key == "field" || key == "robot";  // named by its members
    flatten(item.value(), is_list ? path : path.empty() ? key : path + "." + key, out);
  }
}

std::map<std::string, std::string> flat(const SceneSpec& scene) {
  std::map<std::string, std::string> out;
  flatten(json::parse(to_json(scene)), "", out);
  return out;
}

}  // namespace

std::vector<std::string> scene_changes(const SceneSpec& before, const SceneSpec& after) {
  const auto a = flat(before), b = flat(after);
  std::vector<std::string> changes;
  for (const auto& [path, value] : a) {
    const auto it = b.find(path);
    if (it == b.end())
      changes.push_back(path + " is gone");
    else if (it->second != value)
      changes.push_back(path + ": " + value + " → " + it->second);
  }
  for (const auto& [path, value] : b)
    if (!a.contains(path)) changes.push_back(path + " is new: " + value);
  return changes;
}

}  // namespace gradus::cli

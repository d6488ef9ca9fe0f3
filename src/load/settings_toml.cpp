#include "load/settings_toml.h"

#include <fmt/format.h>

#include <algorithm>

#include "load/set.h"
#include "load/toml_file.h"

namespace gradus {

Result<std::vector<SettingLine>> load_settings(const std::string& path) {
  Diagnostics log;
  std::vector<SettingLine> out;
  if (const auto file = read_toml(path, log)) {
    TableReader top(*file, log);
    const toml::table* all = top.table("settings");
    if (!all && !top.has("settings"))
      top.fault({path, 1, 1}, "there is no table [settings]", "write [settings] and lines like \"robot.joint.kp\" = \"30 N m/rad\"");
    top.finish("a file of settings");
    if (all)
      for (const NamedTable& one : in_file_order(*all)) {
        if (const auto text = one.node->value<std::string>(); text && one.node->is_string())
          out.push_back({one.name + "=" + *text, place_of(*one.node)});
        else if (const auto number = one.node->value<double>(); number && one.node->is_number())
          out.push_back({fmt::format("{}={}", one.name, *number), place_of(*one.node)});
        else
          top.fault(place_of(*one.node), "a value is due here", "write the path in quotes: \"robot.joint.kp\" = \"30 N m/rad\"");
      }
  }
  Diagnostics notes = tidy(std::move(log), path);
  if (has_errors(notes)) return notes;
  return {std::move(out), std::move(notes)};
}

bool apply_settings(SceneSpec& scene, const std::vector<SettingLine>& lines, Diagnostics& out) {
  bool good = true;
  for (const SettingLine& line : lines) {
    Diagnostics faults;
    good = apply_set(scene, line.assignment, faults) && good;
    for (Diagnostic& d : faults) d.place = line.place, out.push_back(std::move(d));
  }
  return good;
}

}  // namespace gradus

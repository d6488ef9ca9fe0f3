#include "session/scene_file.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "load/robot_toml.h"
#include "load/scene_toml.h"
#include "load/shipped.h"
#include "session/record.h"

namespace gradus {

namespace fs = std::filesystem;

std::string find_scene(const std::string& name) { return find_shipped(name, "scenes"); }

FileKind kind_of(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  for (const char* robot : {".urdf", ".xacro", ".xml", ".sdf", ".mjcf", ".world"})
    if (extension == robot) return FileKind::robot;
  if (extension == ".mcap") return FileKind::log;
  std::FILE* f = std::fopen(path.c_str(), "rb");
  if (!f) return FileKind::scene;
  std::string text(1 << 16, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), f));
  std::fclose(f);
  const auto has = [&](const std::string& table) {
    return text.find("\n" + table) != text.npos || text.starts_with(table);
  };
  if (has("[motion]")) return FileKind::motion;
  if (has("[walk]")) return FileKind::walk;
  if (has("[[object]]") || has("[robot]")) return FileKind::robot;
  for (const char* stage : {"[servo]", "[controller]", "[motor]", "[friction]", "[gear]"})
    if (has(stage)) return FileKind::servo;
  return FileKind::scene;
}

namespace {

/// A name that a scene may give a robot.
std::string plain_name(const std::string& path) {
  std::string name = fs::path(path).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "robot_" + name : name;
}

/// As TOML writes it between quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) (c == '"' || c == '\\' ? out += '\\' : out) += c;
  return out + "\"";
}

Result<SceneSpec> scene_of_robot(const std::string& path) {
  const auto robot = load_robot(path, shipped_files());
  if (!robot) return robot.notes();
  const bool has_joints =
      std::any_of(robot->objects.begin(), robot->objects.end(), [](const ObjectSpec& o) { return o.is_joint(); });
  const std::string name = plain_name(path);
  const bool bolted = robot->root == RootKind::fixed && touches_anything(*robot);  // high enough for its arm
  return parse_scene("[world]\nname = " + quoted(name) + "\nabout = " + quoted(name + " alone on a plane") +
                         "\nduration = \"10 s\"\ninclude = [\"fields/plane.toml\"]\n[robot." + name +
                         "]\nmodel = " + quoted(fs::absolute(path).string()) + "\nmotion = \"" +
                         (has_joints ? "articulated" : "free_body") + "\"\n" +
                         (bolted ? "pose = { on_ground = true }\n" : ""),
                     path, shipped_files());
}

}  // namespace

Result<SceneSpec> load_scene_or_robot(const std::string& name) {
  const std::string path = find_scene(name);
  switch (kind_of(path)) {
    case FileKind::robot:
      return scene_of_robot(path);
    case FileKind::log:
      return scene_of_log(path);
    default:
      return load_scene(path, shipped_files());
  }
}

}  // namespace gradus

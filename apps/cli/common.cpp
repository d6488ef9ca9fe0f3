#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "cli/advice.h"
#include "cli/commands.h"
#include "load/robot_toml.h"
#include "load/scene_toml.h"
#include "load/set.h"
#include "load/shipped.h"
#include "session/record.h"

namespace gradus::cli {

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

void print(const Diagnostics& notes) {
  for (const Diagnostic& d : notes) std::fprintf(stderr, "%s\n", to_string(d).c_str());
}

namespace {

/// "no scene 'levls'; did you mean 'levels'?"
void print_no_scene(const std::string& name) {
  std::vector<std::string> names;
  for (const std::string& folder : shipped_files().search)
    if (fs::is_directory(folder + "/scenes"))
      for (const auto& entry : fs::directory_iterator(folder + "/scenes"))
        names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  const std::string near = nearest(name, names);
  std::string all;
  for (const std::string& n : names) all += " " + n;
  std::fprintf(
      stderr, "error: there is no file and no scene '%s'; %s\n", name.c_str(),
      near.empty() ? ("scenes that come with gradus:" + all).c_str() : ("did you mean '" + near + "'?").c_str());
}

/// ROBOT=LEVEL, or LEVEL for all. Faults name the option that was typed; of those that all robots share the first is
/// enough.
void apply_motion(SceneSpec& scene, const std::string& text, Diagnostics& problems) {
  Diagnostics faults;
  const std::size_t eq = text.find('=');
  std::vector<std::string> robots;  // by name: every assignment makes a new scene
  if (eq != std::string::npos)
    robots.push_back(text.substr(0, eq));
  else
    for (const RobotInstanceSpec& r : scene.robots) robots.push_back(r.name);
  for (const std::string& robot : robots)
    if (!apply_set(scene, robot + ".motion=" + text.substr(eq + 1), faults)) break;  // npos + 1 = 0
  for (Diagnostic& d : faults) {
    d.place = {"--motion " + text, 0, 0};
    problems.push_back(std::move(d));
  }
}

}  // namespace

std::optional<SceneSpec> load_scene_with(const std::string& name, const std::vector<std::string>& sets,
                                         const std::vector<std::string>& motions) {
  if (!fs::exists(find_scene(name))) return print_no_scene(name), std::nullopt;
  auto scene = load_scene_or_robot(name);
  print(scene.notes());
  if (!scene) return std::nullopt;
  Diagnostics problems;
  for (const std::string& s : sets) apply_set(*scene, s, problems);
  for (const std::string& m : motions) apply_motion(*scene, m, problems);
  print(problems);
  if (has_errors(problems)) return std::nullopt;
  print(advice(*scene));
  return std::move(*scene);
}

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

double thread_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace gradus::cli

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <thread>

#include "common/advice.h"
#include "common/files.h"
#include "load/set.h"
#include "load/settings_toml.h"
#include "load/shipped.h"

namespace gradus::cli {

namespace fs = std::filesystem;

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
                                         const std::vector<std::string>& motions,
                                         const std::vector<std::string>& settings) {
  if (!fs::exists(find_scene(name))) return print_no_scene(name), std::nullopt;
  auto scene = load_scene_or_robot(name);
  print(scene.notes());
  if (!scene) return std::nullopt;
  Diagnostics problems;
  for (const std::string& file : settings) {
    const auto lines = load_settings(file);
    append(problems, lines.notes());
    if (lines) apply_settings(*scene, *lines, problems);
  }
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

int spare_threads(int threads) {
  return std::max(0, static_cast<int>(std::thread::hardware_concurrency()) - threads);
}

}  // namespace gradus::cli

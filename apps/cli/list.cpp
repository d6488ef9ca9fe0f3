#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "cli/commands.h"

namespace gradus::cli {
namespace {

namespace fs = std::filesystem;

struct Folder {
  const char *name, *use;
};
constexpr Folder kFolders[] = {
    {"scenes", "gradus run NAME"},
    {"robots", "model = \"robots/NAME\" in a scene; alone: gradus run FILE"},
    {"motions", "controller = { keyframes = \"motions/NAME\" } or { walk = … } in a scene"},
    {"fields", "include = [\"fields/NAME\"] in [world]"},
    {"servos", "servo = \"servos/NAME\" in a robot or a scene"},
    {"sensors", "sensors = \"NAME\" on a robot of a scene"},
};

/// The first  about = "…"  of a file; what is wrong with a file is for `gradus check` to say.
std::string about(const fs::path& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("about")) continue;
    const std::size_t a = line.find('"'), b = line.rfind('"');
    if (a != line.npos && b > a) return line.substr(a + 1, b - a - 1);
  }
  return "";
}

/// By name; of two files of one name the first folder's, which is the one that a scene would get.
std::map<std::string, fs::path> files_in(const std::string& name) {
  std::map<std::string, fs::path> files;
  for (const std::string& folder : shipped_files().search) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / name, missing))
      if (entry.is_regular_file()) files.emplace(entry.path().filename().string(), entry.path());
  }
  return files;
}

void print_folder(const Folder& folder) {
  const bool scenes = folder.name == std::string("scenes");
  std::printf("%s: %s\n", folder.name, folder.use);
  for (const auto& [name, path] : files_in(folder.name))
    std::printf("  %-24s %s\n", scenes ? path.stem().c_str() : name.c_str(), about(path).c_str());
}

}  // namespace

void add_list(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("list", "Scenes, robots, motions, fields, servos and sensors that come with gradus");
  auto which = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Folder& f : kFolders) names.emplace_back(f.name);
  cmd->add_option("WHICH", *which, "scenes, robots, motions, fields, servos or sensors (default: scenes and robots)")
      ->check(CLI::IsMember(names));
  cmd->footer("Example: gradus list motions");
  cmd->callback([which, &outcome] {
    outcome.status = 0;
    for (const Folder& f : kFolders)
      if (which->empty() ? &f < kFolders + 2 : f.name == *which) print_folder(f);
  });
}

}  // namespace gradus::cli

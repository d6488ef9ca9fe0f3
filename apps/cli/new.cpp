#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "cli/commands.h"

namespace gradus::cli {
namespace {

namespace fs = std::filesystem;

struct Starter {
  const char *language, *example, *about, *next;
};
constexpr Starter kStarters[] = {
    {"python", "python", "a control program in Python", "gradus run {}/squat.toml --view\n"},
    {"c", "controller", "a control library in C",
     "cmake -S {0} -B {0}/build{1} && cmake --build {0}/build\n  gradus run {0}/squat.toml --view\n"},
    {"walk", "walker", "a control library in C that decides and leaves the steps to gradus",
     "cmake -S {0} -B {0}/build{1} && cmake --build {0}/build\n  gradus run {0}/square.toml --view\n"},
    {"cpp", "many_worlds", "a C++ program that runs many worlds",
     "cmake -S {0} -B {0}/build{1} && cmake --build {0}/build\n  {0}/build/many_worlds\n"},
    {"firasim", "firasim_client", "a team for FIRASim's protocol in Python",
     "gradus run mirosot_5v5 --firasim=yellow --view &\n  {}/client.py --team yellow\n"},
};

/// {} and {0} are the folder, {1} is what CMake has to be told.
std::string filled(std::string text, const std::string& folder, const std::string& hints) {
  for (const auto& [mark, word] : {std::pair{std::string("{0}"), folder}, {"{}", folder}, {"{1}", hints}})
    for (std::size_t at; (at = text.find(mark)) != text.npos;) text.replace(at, mark.size(), word);
  return text;
}

/// Where headers and library are, for an example of SHIPPED/examples: in a checkout, or in a prefix that CMake does not
/// know.
std::string cmake_hints(const fs::path& shipped) {
  std::error_code missing;
  if (fs::is_directory(shipped / "include/gradus", missing))
    return " -DCMAKE_INCLUDE_PATH=" + (shipped / "include").string() +
           " -DCMAKE_LIBRARY_PATH=" + (shipped / "build/release").string();
  const std::string prefix = shipped.parent_path().parent_path().string();  // of PREFIX/share/gradus
  return prefix == "/usr" || prefix == "/usr/local" ? "" : " -DCMAKE_PREFIX_PATH=" + prefix;
}

fs::path find_example(const std::string& name) {
  std::error_code missing;
  for (const std::string& folder : shipped_files().search)
    if (fs::is_directory(fs::path(folder) / "examples" / name, missing)) return fs::path(folder) / "examples" / name;
  return {};
}

int make(const std::string& folder, const Starter& starter) {
  const fs::path from = find_example(starter.example);
  if (from.empty()) return std::fprintf(stderr, "error: the example '%s' is not installed\n", starter.example), 1;
  if (fs::exists(folder))
    return std::fprintf(stderr, "error: '%s' is there already; choose another name\n", folder.c_str()), 1;
  try {
    fs::create_directories(folder);
    for (const auto& entry : fs::directory_iterator(from))
      if (entry.is_regular_file()) fs::copy_file(entry.path(), fs::path(folder) / entry.path().filename());
  } catch (const fs::filesystem_error& e) {
    return std::fprintf(stderr, "error: %s\n", e.what()), 1;
  }
  std::printf("%s: %s. Next:\n  %s", folder.c_str(), starter.about,
              filled(starter.next, folder, cmake_hints(from.parent_path().parent_path())).c_str());
  return 0;
}

}  // namespace

void add_new(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("new", "Begin your own: a folder with a control program that works, and its scene");
  auto folder = std::make_shared<std::string>(), language = std::make_shared<std::string>("python");
  std::vector<std::string> names;
  for (const Starter& s : kStarters) names.emplace_back(s.language);
  cmd->add_option("FOLDER", *folder, "folder to make")->required();
  cmd->add_option("LANGUAGE", *language, "python (default), c, walk, cpp, firasim")->check(CLI::IsMember(names));
  std::string footer;
  for (const Starter& s : kStarters)
    footer += std::string("  ") + s.language + std::string(10 - std::string(s.language).size(), ' ') + s.about + "\n";
  cmd->footer(footer + "Example: gradus new my_team python");
  cmd->callback([folder, language, &outcome] {
    for (const Starter& s : kStarters)
      if (s.language == *language) outcome.status = make(*folder, s);
  });
}

}  // namespace gradus::cli

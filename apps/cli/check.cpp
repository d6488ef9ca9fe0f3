#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/advice.h"
#include "cli/commands.h"
#include "io/mcap_reader.h"
#include "load/motion_toml.h"
#include "load/robot_toml.h"
#include "load/scene_toml.h"
#include "load/servo_toml.h"
#include "load/walk_toml.h"
#include "world/world.h"

namespace gradus::cli {
namespace {

Diagnostics check_scene(const std::string& path) {
  auto scene = load_scene(path, shipped_files());
  if (!scene) return scene.notes();
  Diagnostics notes = scene.notes();
  auto model = compile(*scene);
  if (!model) return model.notes();
  auto world = World::make(std::move(*model));
  const Diagnostics hints = advice(*scene);
  notes.insert(notes.end(), world.notes().begin(), world.notes().end());
  notes.insert(notes.end(), hints.begin(), hints.end());
  return notes;
}

/// Every sum and count of the log; that its states can be computed again is for `gradus replay` to say.
Diagnostics check_log(const std::string& path) {
  auto log = McapReader::open(path);
  if (!log) return log.notes();
  log->verify();
  return log->notes();
}

Diagnostics check_file(const std::string& path) {
  switch (kind_of(path)) {
    case FileKind::motion:
      return load_motion(path).notes();
    case FileKind::walk:
      return load_walk(path).notes();
    case FileKind::servo:
      return load_servo(path).notes();
    case FileKind::robot:
      return load_robot(path, shipped_files()).notes();
    case FileKind::log:
      return check_log(path);
    case FileKind::scene:
      break;
  }
  return check_scene(find_scene(path));
}

}  // namespace

void add_check(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("check", "Check scene, robot, servo and motion files, and logs; all errors at once");
  auto files = std::make_shared<std::vector<std::string>>();
  cmd->add_option("FILE", *files, "scene, robot (.toml, .urdf), servo or motion files, logs (.mcap)")->required();
  cmd->footer("Exit status 1 if there are errors.\nExample: gradus check scenes/levels.toml robots/kidsize.toml");
  cmd->callback([files, &outcome] {
    for (const std::string& f : *files) {
      const Diagnostics notes = check_file(f);
      print(notes);
      if (has_errors(notes))
        outcome.status = 1;
      else
        std::printf("%s: ok\n", f.c_str());
    }
  });
}

}  // namespace gradus::cli

/// The commands of the program. Each adds itself to the command line and returns its exit status.
///   0  done     1  the answer is no (errors in files, hashes differ, a controller failed)     2  wrong usage
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/shipped.h"
#include "model/spec.h"

namespace CLI {
class App;  // <CLI/CLI.hpp> takes seconds to compile: only files that add a command include it
}

namespace gradus::cli {

/// Exit status of the chosen command; set by its callback.
struct Outcome {
  int status = 0;
};

void add_new(CLI::App& app, Outcome& outcome);
void add_list(CLI::App& app, Outcome& outcome);
void add_run(CLI::App& app, Outcome& outcome);
void add_check(CLI::App& app, Outcome& outcome);
void add_show(CLI::App& app, Outcome& outcome);
void add_replay(CLI::App& app, Outcome& outcome);
void add_view(CLI::App& app, Outcome& outcome);
void add_export(CLI::App& app, Outcome& outcome);
void add_plot(CLI::App& app, Outcome& outcome);
void add_fit(CLI::App& app, Outcome& outcome);
void add_bench(CLI::App& app, Outcome& outcome);
void add_paper(CLI::App& app, Outcome& outcome);

/// The scene file itself, or a scene of that name that comes with gradus ("levels").
std::string find_scene(const std::string& name);
/// What a file is, told by its name (.urdf, .mcap) or its tables: scenes have [world] or [robot.NAME], motions
/// [motion], walks [walk], robots [robot] or [[object]].
enum class FileKind { scene, robot, motion, walk, servo, log };
FileKind kind_of(const std::string& path);
/// A scene by file or name, or that of a log; a robot file becomes a scene: the robot alone on a plane.
Result<SceneSpec> load_scene_or_robot(const std::string& name);
/// Prints all, one a line, to standard error.
void print(const Diagnostics& notes);
/// Loads a scene or robot and applies --set and --motion; nothing on errors, which are printed.
std::optional<SceneSpec> load_scene_with(const std::string& name, const std::vector<std::string>& sets,
                                         const std::vector<std::string>& motions);
double now();          // wall clock from any start [s]
double thread_time();  // processor time of the calling thread [s]

}  // namespace gradus::cli

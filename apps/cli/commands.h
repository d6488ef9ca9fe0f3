/// The commands of the program. Each adds itself to the command line and returns its exit status.
///   0  done     1  the answer is no (errors in files, hashes differ, a controller failed)     2  wrong usage
#pragma once
#include "common/files.h"

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
void add_render(CLI::App& app, Outcome& outcome);
void add_optimise(CLI::App& app, Outcome& outcome);
void add_fit(CLI::App& app, Outcome& outcome);
void add_bench(CLI::App& app, Outcome& outcome);
void add_paper(CLI::App& app, Outcome& outcome);
void add_learn(CLI::App& app, Outcome& outcome);
void add_terrain(CLI::App& app, Outcome& outcome);

}  // namespace gradus::cli

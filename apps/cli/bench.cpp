#include <cstdio>

#include "cli/commands.h"

namespace gradus::cli {

void add_bench(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("bench", "Benchmarks, with peer engines where installed, interleaved in one run");
  cmd->callback([&outcome] { outcome.status = 2; });
}

void add_paper(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("paper", "Experiments of the papers that gradus unites");
  cmd->callback([&outcome] { outcome.status = 2; });
}

}  // namespace gradus::cli

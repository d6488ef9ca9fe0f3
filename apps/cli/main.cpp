// gradus: robots that walk, roll and play soccer, each at the level of detail that the question needs.
#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace gradus::cli;
  CLI::App app{"gradus: a simulator of robots that walk, roll and play soccer.\n"
               "Every robot runs at its own level of detail; all levels share one world."};
  app.footer(
      "Examples:\n"
      "  gradus run levels                        one humanoid at four levels of detail, side by side\n"
      "  gradus run levels --for 30s --log w.mcap run it and keep a log\n"
      "  gradus replay w.mcap                     run the log again, compare every state\n"
      "  gradus export w.mcap -o walk.html        the log as one page that needs no server\n"
      "  gradus check my_robot.toml               all errors of a file at once\n"
      "  gradus COMMAND --help                    more, with examples");
  app.set_version_flag("--version", GRADUS_VERSION);
  app.require_subcommand(1);
  Outcome outcome;
  add_run(app, outcome);
  add_check(app, outcome);
  add_show(app, outcome);
  add_replay(app, outcome);
  add_view(app, outcome);
  add_export(app, outcome);
  add_bench(app, outcome);
  add_paper(app, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return outcome.status;
}

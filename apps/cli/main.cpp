// gradus: robots that walk, roll and play soccer, each at the level of detail that the question needs.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "cli/commands.h"
#include "cli/usage.h"

namespace {

/// What somebody sees who types the name alone.
void print_welcome() {
  std::printf(
      "gradus %s: robots that walk, roll and play soccer, each at the level of detail that you need.\n\n"
      "  gradus run levels --view                 watch one humanoid at four levels of detail, in your browser\n"
      "  gradus run levels                        the same as fast as possible, with a summary\n"
      "  gradus list                              the scenes and robots that come with it\n"
      "  gradus new my_team                       your own control program, in Python or C\n"
      "  gradus run my_robot.urdf --view          your own robot, alone on a plane\n"
      "  gradus check my_robot.urdf               all errors of a file at once\n"
      "  gradus show levels --properties          everything that can be read, plotted, logged, set\n\n"
      "  gradus --help                            all commands\n"
      "  gradus COMMAND --help                    one of them, with examples\n",
      GRADUS_VERSION);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace gradus::cli;
  if (argc == 1) return print_welcome(), 0;
  CLI::App app{
      "gradus: a simulator of robots that walk, roll and play soccer.\n"
      "Every robot runs at its own level of detail; all levels share one world.",
      "gradus"};
  app.footer(
      "Examples:\n"
      "  gradus run levels                        one humanoid at four levels of detail, side by side\n"
      "  gradus run levels --view                 watch and steer it in the browser\n"
      "  gradus run levels --for 30s --log w.mcap run it and keep a log\n"
      "  gradus replay w.mcap                     run the log again, compare every state\n"
      "  gradus export w.mcap -o walk.html        the log as one page that needs no server\n"
      "  gradus plot w.mcap level3.x -o walk.svg  draw properties over time\n"
      "  gradus check my_robot.toml               all errors of a file at once\n"
      "  gradus COMMAND --help                    more, with examples");
  app.set_version_flag("--version", GRADUS_VERSION);
  app.require_subcommand(1);
  Outcome outcome;
  for (const auto add : {add_run, add_list, add_new, add_check, add_show, add_replay, add_view, add_export, add_plot,
                         add_render, add_fit, add_optimise, add_learn, add_terrain, add_bench, add_paper})
    add(app, outcome);
  if (const std::string problem = unknown_command(app, argc, argv); !problem.empty())
    return std::fprintf(stderr, "error: %s\n  gradus --help lists the commands\n", problem.c_str()), 2;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return explain(app, e);
  } catch (const std::bad_alloc&) {
    return std::fprintf(stderr, "error: there is not enough memory for this\n"), 1;
  } catch (const std::exception& e) {  // of the file system: no permission, a name that is too long
    return std::fprintf(stderr, "error: %s\n", e.what()), 1;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return std::fprintf(stderr, "error: the results could not be written: %s\n", std::strerror(errno)), 1;
  return outcome.status;
}

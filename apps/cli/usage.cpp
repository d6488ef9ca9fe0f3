#include "cli/usage.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/result.h"

namespace gradus::cli {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* c : app.get_subcommands({})) names.push_back(c->get_name());
  return names;
}

/// The command that was chosen, or the program itself.
const CLI::App& chosen(const CLI::App& app) {
  for (const CLI::App* c : app.get_subcommands({}))
    if (c->parsed()) return *c;
  return app;
}

/// "--fro": "there is no option --fro; did you mean --for?"
std::string unknown_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* o : command.get_options())
    for (const std::string& n : o->get_lnames()) names.push_back(n);
  const std::string name = word.substr(0, word.find('='));
  const std::string near = nearest(name.substr(std::min(name.size(), name.find_first_not_of('-'))), names);
  return "there is no option " + name + (near.empty() ? "" : "; did you mean --" + near + "?");
}

}  // namespace

std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  const std::vector<std::string> names = command_names(app);
  const std::string word = argv[1];
  std::string all;
  for (const std::string& n : names) {
    if (n == word) return "";
    all += (all.empty() ? "" : ", ") + n;
  }
  const std::string near = nearest(word, names);
  return "there is no command '" + word + "'; " + (near.empty() ? "known: " + all : "did you mean '" + near + "'?");
}

int explain(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  const CLI::App& command = chosen(app);
  std::string text = error.what();
  const std::vector<std::string> unknown = app.remaining(true);
  // A misspelt option takes its value for an argument, which then is one too many, or hides the lack of one: told
  // first.
  for (std::size_t i = unknown.size(); i-- > 0;)
    if (unknown[i].starts_with("-")) text = unknown_option(command, unknown[i]);
  std::fprintf(stderr, "error: %s\n  gradus%s%s --help tells more\n", text.c_str(), &command == &app ? "" : " ",
               &command == &app ? "" : command.get_name().c_str());
  return 2;
}

}  // namespace gradus::cli

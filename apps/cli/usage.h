/// What somebody is told who typed a command that is not understood: what is wrong, what was probably meant, where to
/// read more. The parser's own words name neither.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace gradus::cli {

/// Is the first word a command? If not, what to say about it; "" if all is well, or if it is an option.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv);
/// Prints what is wrong with the command line and returns the exit status; help and version are no errors.
int explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace gradus::cli

#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>

#include "cli/commands.h"
#include "cli/replay_log.h"

namespace gradus::cli {
namespace {

void print_result(const std::string& path, const Replay& r, bool json) {
  if (json) {
    std::printf("{\"log\":\"%s\",\"same\":%s,\"steps\":%" PRId64 ",\"first_difference\":%" PRId64
                ",\"hash\":\"%016" PRIx64 "\"}\n",
                path.c_str(), r.first_difference < 0 ? "true" : "false", r.steps, r.first_difference, r.hash);
  } else if (r.first_difference < 0) {
    std::printf("same: %" PRId64 " steps, last hash %016" PRIx64 "\n", r.steps, r.hash);
  } else {
    std::printf("different: the first state that differs is that of step %" PRId64 "\n", r.first_difference);
  }
}

}  // namespace

void add_replay(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("replay", "Run a log again and compare the hash of every state");
  struct Options {
    std::string log;
    int threads = 1;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  cmd->add_option("LOG", o->log, "log written by gradus run --log FILE.mcap")->required();
  cmd->add_option("--threads", o->threads, "the result does not depend on it")->check(CLI::Range(1, 256));
  cmd->add_flag("--json", o->json, "one JSON object on standard output");
  cmd->footer("Exit status 1, and the first differing step, if a state differs.\nExample: gradus replay walk.mcap");
  cmd->callback([o, &outcome] {
    const auto result = replay_with_bar(o->log, o->threads, o->json);
    print(result ? result->notes : result.notes());
    if (result) print_result(o->log, *result, o->json);
    outcome.status = result && result->first_difference < 0 ? 0 : 1;
  });
}

}  // namespace gradus::cli

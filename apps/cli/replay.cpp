#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/replay_log.h"

namespace gradus::cli {
namespace {

void print_result(const std::string& path, const Replay& r, bool json) {
  if (json) {
    nlohmann::ordered_json j{{"log", path},
                             {"same", r.first_difference < 0 && r.different_image.empty()},
                             {"steps", r.steps},
                             {"first_difference", r.first_difference},
                             {"hash", fmt::format("{:016x}", r.hash)},
                             {"images", r.images},
                             {"different_image", r.different_image}};
    std::printf("%s\n", j.dump().c_str());
    return;
  }
  if (r.first_difference >= 0)
    std::printf("different: the first state that differs is that of step %" PRId64 "\n", r.first_difference);
  else if (r.different_image.empty())
    std::printf("same: %" PRId64 " steps%s, last hash %016" PRIx64 "\n", r.steps,
                r.images > 0 ? fmt::format(", {} images", r.images).c_str() : "", r.hash);
  if (!r.different_image.empty()) std::printf("different: the first image that differs is %s\n", r.different_image.c_str());
}

}  // namespace

void add_replay(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("replay", "Run a log again and compare the hash of every state, and of every image that a program looked at");
  struct Options {
    std::string log;
    int threads = 1;
    bool json = false, no_images = false;
  };
  auto o = std::make_shared<Options>();
  cmd->add_option("LOG", o->log, "log written by gradus run --log FILE.mcap")->required();
  cmd->add_option("--threads", o->threads, "the result does not depend on it")->check(CLI::Range(1, 256));
  cmd->add_flag("--no-images", o->no_images, "do not render the images that programs asked for: faster");
  cmd->add_flag("--json", o->json, "one JSON object on standard output");
  cmd->footer("Exit status 1, and the first differing step or image, if one differs.\nExample: gradus replay walk.mcap");
  cmd->callback([o, &outcome] {
    const auto result = replay_with_bar(o->log, {o->threads, spare_threads(o->threads), !o->no_images}, o->json);
    print(result ? result->notes : result.notes());
    if (result) print_result(o->log, *result, o->json);
    outcome.status = result && result->first_difference < 0 && result->different_image.empty() ? 0 : 1;
  });
}

}  // namespace gradus::cli

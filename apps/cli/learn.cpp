#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "io/progress.h"
#include "papers/belter_way.h"

namespace gradus::cli {
namespace {

struct LearnOptions {
  LearnSettings settings;
  std::string output;
  bool json = false;
};

int learn(const LearnOptions& o) {
  if (!std::ofstream(o.output, std::ios::app))  // not after all the walking
    return std::fprintf(stderr, "error: %s cannot be written\n", o.output.c_str()), 1;
  Progress progress({stderr, progress_style(stderr), static_cast<double>(o.settings.maps), {"maps", " maps/s"}, now, {}});
  const auto learned = learn_footholds(o.settings, [&](int done) { return progress.update(done), true; });
  progress.finish();
  if (!learned) return 1;
  std::ofstream file(o.output);
  file << learned->cost.text();
  file.close();
  if (!file) return std::fprintf(stderr, "error: %s cannot be written\n", o.output.c_str()), 1;
  if (o.json) {
    const nlohmann::ordered_json j{
        {"file", o.output}, {"footholds", learned->samples}, {"slipped", learned->slipped}, {"spread", learned->spread}, {"error", learned->error}};
    std::printf("%s\n", j.dump(2).c_str());
  } else {
    std::printf("%zu footholds, of which %zu slipped; slips left out spread %.2f cm, the model is off by %.2f cm\n", learned->samples,
                learned->slipped, 100 * learned->spread, 100 * learned->error);
    std::printf("written: %s\n  controller = { plan = ..., footholds = \"%s\" }\n", o.output.c_str(), o.output.c_str());
  }
  return 0;
}

}  // namespace

void add_learn(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<LearnOptions>();
  CLI::App* all = app.add_subcommand("learn", "learn where to step, in simulation");
  all->require_subcommand(1);
  all->footer("Example:\n  gradus learn footholds -o footholds.json");
  CLI::App* c = all->add_subcommand("footholds", "walk a robot over slippery ground and learn what its footholds cost");
  c->add_option("SCENE", o->settings.scene, "whose first object is a map or terrain and whose first robot has a plan (default messor_plan)");
  c->add_option("-o,--output", o->output, "file to write")->required();
  c->add_option("--maps", o->settings.maps, "generated grounds to walk over")->check(CLI::Range(1, 10000))->capture_default_str();
  c->add_option("--friction", o->settings.friction, "of these grounds")->check(CLI::Range(0.05, 2.0))->capture_default_str();
  c->add_option("--centres", o->settings.centres, "Gaussians of the model")->check(CLI::Range(1, 1000))->capture_default_str();
  c->add_option("--seed", o->settings.seed, "of the first ground")->capture_default_str();
  c->add_flag("--json", o->json, "print the result as JSON");
  c->footer("Examples:\n  gradus learn footholds -o footholds.json\n  gradus learn footholds --maps 60 --friction 0.3 -o ice.json");
  c->callback([o, &outcome] { outcome.status = learn(*o); });
}

}  // namespace gradus::cli

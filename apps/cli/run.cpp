#include <CLI/CLI.hpp>

#include "cli/running.h"
#include "load/units.h"
#include "model/check.h"

namespace gradus::cli {
namespace {

/// "10s", "10 s", "500 ms", "2 min".
std::string check_duration(const std::string& text) {
  double seconds = 0;
  if (const auto fault = parse_quantity(text, dimension::kTime, seconds)) return fault->text + "; " + fault->suggestion;
  return seconds > 0 && seconds <= kLongestRun ? "" : "a time above 0 and up to 1e8 s (three years) is due";
}

std::string check_seed(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  return digits ? "" : "a whole number, 0 or more, is due";
}

std::string check_speed(const std::string& text) {
  if (text == "max" || text == "real") return "";
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  return *end == '\0' && x > 0 ? "" : "max, real or a positive factor is due, as in 0.5";
}

}  // namespace

void add_run(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("run", "Run a scene");
  auto o = std::make_shared<RunOptions>();
  cmd->add_option("SCENE", o->scene,
                  "scene file, the name of one that comes with gradus, a robot file (.urdf, .toml), or a log whose "
                  "scene is run anew")
      ->required();
  cmd->add_option("--for", o->duration, "simulated time, as in 10s (default: the scene's)")
      ->check(CLI::Validator([](std::string& s) { return check_duration(s); }, "TIME"));
  cmd->add_option("--speed", o->speed,
                  "max, real, or a factor of real time (default: max; real with --view, --firasim and free links)")
      ->check(CLI::Validator([](std::string& s) { return check_speed(s); }, "SPEED"));
  auto* log = cmd->add_option("--log", o->logs, "write a log: FILE.mcap (replayable) or FILE.csv");
  cmd->add_option("--record", o->properties,
                  "property to write into the logs, or a pattern as in 'level3.*.q'; default: base and joints")
      ->needs(log);
  auto* images = cmd->add_option("--images", o->images.cameras,
                                 "camera whose images .mcap logs hold, as JPEG, or a pattern as in 'blue*.camera_top'")
                     ->needs(log);
  cmd->add_flag("--raw-images", o->images.raw, "hold them as they are")->needs(images);
  cmd->add_option("--seed", o->seed, "instead of the scene's")
      ->check(CLI::Validator([](std::string& s) { return check_seed(s); }, "SEED"));
  cmd->add_option("--threads", o->threads, "the result does not depend on it")->check(CLI::Range(1, 256));
  cmd->add_option("--render-threads", o->render_threads,
                  "threads that render images beside the steps (default: the processor's, less --threads); the result does "
                  "not depend on it")
      ->check(CLI::Range(0, 256));
  cmd->add_option("--motion", o->motions, "ROBOT=LEVEL, or LEVEL for all robots");
  cmd->add_option("--set", o->sets, "PATH=VALUE, as in level3.left_knee.kp='40 N m/rad'");
  cmd->add_option("--settings", o->settings, "file with values for parameters, as gradus optimise writes them");
  cmd->add_option("--at", o->timed,
                  "TIME: PATH=VALUE, a property set while it runs, as in '2 s: level3.left_knee.kp=20 N m/rad'");
  auto* view =
      cmd->add_option("--view", o->view_port, "watch and steer it in the browser; --view=PORT chooses the port")
          ->expected(0, 1)
          ->default_str("0")
          ->check(CLI::Range(0, 65535));
  cmd->add_option("--past", o->past_megabytes, "with --view: megabytes for going back in time (default: 256)")
      ->check(CLI::Range(1, 65536))
      ->needs(view);
  for (const LinkTable& l : all_links())
    cmd->add_option("--" + std::string(l.name), o->links[std::string(l.name)],
                    std::string(l.about) + (l.usage.empty() ? "" : ": " + std::string(l.usage) + ", between commas"))
        ->expected(0, 1)
        ->default_str("");
  cmd->add_flag("--json", o->json, "one JSON object on standard output and nothing else");
  cmd->add_flag("--quiet", o->quiet, "no progress");
  cmd->footer(
      "Examples:\n"
      "  gradus run levels\n"
      "  gradus run levels --view\n"
      "  gradus run my_robot.urdf --view                  alone on a plane\n"
      "  gradus run fall --for 3s --speed real\n"
      "  gradus run levels --motion level3=prescribed_joints --log walk.mcap\n"
      "  gradus run levels --log walk.csv --record level3.x --record level3.left_knee.tau\n"
      "  gradus run mirosot_5v5 --view --speed 0.5\n"
      "  gradus run mirosot_5v5 --firasim=yellow,watchdog=0.5s\n"
      "  gradus run levels --set world.contact.friction=0.3 --json\n"
      "  gradus run levels --at '2 s: level3.kp_factor=0.3'");
  cmd->callback([o, &outcome] { outcome.status = run_scene(*o); });
}

}  // namespace gradus::cli

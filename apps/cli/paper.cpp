#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/runner.h"

namespace gradus::cli {
namespace {

using Json = nlohmann::ordered_json;

/// One experiment: its table and what agrees or does not, in a line.
struct Paper {
  const char *name, *about;
  std::optional<Json> (*run)();
};

/// Paper 000, sections 4 and 7.5: the levels walk by the same motion; how many robots run in real time at 1000 Hz?
/// The paper's machine was a 1.86 GHz Pentium M: 6 kinematic robots (each with a camera at 20 Hz), 10 single-body robots and a car.
std::optional<Json> murosimf_levels() {
  RunOptions o;
  o.scene = "levels";
  auto run = Runner::make(o);
  if (!run) return std::nullopt;
  World& w = run->world();
  std::vector<double> start;
  for (int r = 0; r < w.robot_count(); ++r) start.push_back(w.q(r)[0]);
  while (w.time() < 20) run->step();
  Json distance{{"quantity", "distance walked in 20 s"}, {"unit", "m"}, {"paper", nullptr}, {"real", nullptr}, {"peers", Json::object()}};
  Json count{{"quantity", "robots in real time at 1000 Hz, one core"}, {"unit", ""}, {"paper", {{"kinematic_walk", 6}, {"single_body", 10}}},
             {"real", nullptr}, {"peers", Json::object()}};
  bool upright = true;
  double least = 1e9, most = 0;
  for (int r = 0; r < w.robot_count(); ++r) {
    const std::string level(w.motion(r).name);
    const double walked = w.q(r)[0] - start[static_cast<std::size_t>(r)];
    distance["gradus"][level] = walked;
    count["gradus"][level] = std::floor(1000 * w.model().step * 1000 / w.microseconds(r));
    least = std::min(least, walked);
    most = std::max(most, walked);
    upright &= !w.fallen(r);
  }
  Json out{{"name", "murosimf-levels"}, {"rows", Json::array({distance, count})}};
  char verdict[160];
  std::snprintf(verdict, sizeof verdict, "%s; the levels' distances differ by %.1f %%; the paper gives none",
                upright ? "all levels walk" : "not all levels stay upright", 100 * (most - least) / most);
  out["verdict"] = verdict;
  return out;
}

const Paper kPapers[] = {
    {"murosimf-levels", "paper 000: one motion at four levels of detail, and how many robots run in real time", murosimf_levels},
};

void print_paper(const Json& p) {
  std::printf("%s\n\n", p["name"].get<std::string>().c_str());
  for (const Json& row : p["rows"]) {
    std::printf("  %s%s%s\n", row["quantity"].get<std::string>().c_str(), row["unit"].get<std::string>().empty() ? "" : ", ",
                row["unit"].get<std::string>().c_str());
    for (const auto& [level, value] : row["gradus"].items()) {
      std::printf("    %-20s gradus %10.4g", level.c_str(), value.get<double>());
      if (row["paper"].is_object() && row["paper"].contains(level)) std::printf("    paper %10.4g", row["paper"][level].get<double>());
      std::printf("\n");
    }
  }
  std::printf("\n  %s\n", p["verdict"].get<std::string>().c_str());
}

}  // namespace

void add_paper(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("paper", "Experiments of the papers that gradus unites; without a name: the list");
  struct Options {
    std::vector<std::string> names;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  cmd->add_option("NAME", o->names, "which experiments");
  cmd->add_flag("--json", o->json, "one JSON object on standard output");
  cmd->footer("Example: gradus paper murosimf-levels");
  cmd->callback([o, &outcome] {
    if (o->names.empty())
      for (const Paper& p : kPapers) std::printf("%-20s %s\n", p.name, p.about);
    for (const std::string& name : o->names) {
      const Paper* found = nullptr;
      for (const Paper& p : kPapers)
        if (name == p.name) found = &p;
      if (!found) {
        std::fprintf(stderr, "error: there is no experiment '%s'; gradus paper lists them\n", name.c_str());
        outcome.status = 2;
        return;
      }
      const auto result = found->run();
      if (!result) { outcome.status = 1; return; }
      if (o->json) std::printf("%s\n", result->dump(1).c_str());
      else print_paper(*result);
    }
  });
}

}  // namespace gradus::cli

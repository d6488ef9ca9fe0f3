#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#include "cli/commands.h"
#include "common/plot.h"
#include "cli/samples.h"
#include "load/units.h"

namespace gradus::cli {
namespace {

struct PlotOptions {
  std::string log, output;
  std::vector<std::string> properties;
  std::string from, to;
  double rate = 0;
};

/// "2s", "500 ms".
std::string check_time(const std::string& text) {
  double seconds = 0;
  const auto fault = parse_quantity(text, dimension::kTime, seconds);
  return fault ? fault->text + "; " + fault->suggestion : "";
}

/// Only what lies between two times; either may be "".
void cut(Samples& s, const std::string& from, const std::string& to) {
  double first = -std::numeric_limits<double>::infinity(), last = std::numeric_limits<double>::infinity();
  if (!from.empty()) parse_quantity(from, dimension::kTime, first);
  if (!to.empty()) parse_quantity(to, dimension::kTime, last);
  const std::vector<double> time = s.values[0];
  for (std::vector<double>& column : s.values) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < time.size(); ++i)
      if (time[i] >= first && time[i] <= last) kept.push_back(column[i]);
    column = std::move(kept);
  }
}

/// One panel for each unit, in the order in which units come.
std::vector<Plot> panels(const Samples& s, const std::string& title) {
  std::vector<Plot> plots;
  for (std::size_t i = 1; i < s.columns.size(); ++i) {
    const std::string label = s.columns[i].unit.empty() ? "" : "[" + s.columns[i].unit + "]";
    std::size_t p = 0;
    while (p < plots.size() && plots[p].y_label != label) ++p;
    if (p == plots.size()) plots.push_back({plots.empty() ? title : "", "time [s]", label, {}});
    plots[p].series.push_back({s.columns[i].name, s.values[0], s.values[i]});
  }
  return plots;
}

int draw(const PlotOptions& o) {
  auto samples = read_samples(o.log, o.properties, o.rate);
  if (!samples) return 1;
  cut(*samples, o.from, o.to);
  if (samples->values[0].empty())
    return std::fprintf(stderr, "error: the log has no samples between --from and --to\n"), 1;
  std::ofstream out(o.output, std::ios::binary);
  out << to_svg(panels(*samples, std::filesystem::path(o.log).stem().string()));
  out.close();
  if (!out) return std::fprintf(stderr, "error: cannot write %s\n", o.output.c_str()), 1;
  std::printf("%s: %zu curve%s of %zu points\n", o.output.c_str(), samples->columns.size() - 1,
              samples->columns.size() == 2 ? "" : "s", samples->values[0].size());
  return 0;
}

}  // namespace

void add_plot(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<PlotOptions>();
  auto* cmd = app.add_subcommand("plot", "Draw properties of a log over time, as an SVG picture");
  cmd->add_option("LOG", o->log, "log written by gradus run --log FILE.mcap or FILE.csv")->required();
  cmd->add_option("PROPERTY", o->properties, "what to draw, as in level3.x or 'level3.*.tau'; one panel for each unit")
      ->required();
  cmd->add_option("-o,--output", o->output, "picture to write, as in walk.svg; any browser opens it")->required();
  const CLI::Validator time([](std::string& s) { return check_time(s); }, "TIME");
  cmd->add_option("--from", o->from, "first simulated time, as in 2s")->check(time);
  cmd->add_option("--to", o->to, "last simulated time")->check(time);
  cmd->add_option("--rate", o->rate, "samples per simulated second (default: as often as was logged)")
      ->check(CLI::Range(0.1, 1e5));
  cmd->footer(
      "An .mcap log is run again, so that properties can be drawn that were not recorded.\n"
      "Examples:\n"
      "  gradus plot walk.mcap level3.x level0.x -o walk.svg\n"
      "  gradus plot walk.mcap 'level3.*_knee.*' --from 2s --to 4s -o knees.svg\n"
      "  gradus show walk.mcap --properties        what can be drawn");
  cmd->callback([o, &outcome] { outcome.status = draw(*o); });
}

}  // namespace gradus::cli

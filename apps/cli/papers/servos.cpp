#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/papers/paper.h"
#include "cli/papers/plot.h"
#include "cli/papers/recordings.h"
#include "load/servo_toml.h"

namespace gradus::cli {
namespace {

/// What a set of recordings is replayed with, and what others reach on it [facts: actuators.md].
struct Set {
  const char *folder, *servo, *quantity;
  bool rms;    // root mean square, else mean of |error|
  double due;  // acceptance of issue 4 [rad]
  Json peers;
};

void plot_first(const Set& set, const Recording& r, const Replay& sim, const std::string& out) {
  Plot plot{std::string(set.folder) + ": " + r.trajectory, "time [s]", "angle [rad]", {}};
  plot.series = {{"command", r.t, r.goal}, {"recorded", r.t, r.pos}, {"gradus", r.t, sim.q}};
  write_plot(plot, out, std::string("servos_") + set.folder);
}

std::optional<Json> run_set(const Set& set, const PaperOptions& options, bool& reached) {
  DriveSpec servo;
  Diagnostics notes;
  if (!read_chain_file(set.servo, {"servos", 0, 0}, load_options(), servo, notes)) return print(notes), std::nullopt;
  const std::vector<Recording> recordings = read_set(options.data, set.folder);
  if (recordings.empty()) return std::nullopt;
  double sum = 0;
  Json by_log = Json::object();
  for (const Recording& r : recordings) {
    const std::optional<Replay> sim = replay(r, for_log(servo, r));
    if (!sim) return std::nullopt;
    const double error = set.rms ? sim->rms : sim->mean_abs;
    by_log[r.file] = error;
    sum += error;
    if (!options.out.empty() && &r == &recordings[0]) plot_first(set, r, *sim, options.out);
    if (options.quick) break;
  }
  const double mean = sum / static_cast<double>(by_log.size());
  reached &= mean <= set.due;
  return Json{{"quantity", set.quantity}, {"unit", "rad"},      {"paper", set.due},
              {"real", nullptr},          {"peers", set.peers}, {"gradus", {{"articulated", mean}}},
              {"recordings", by_log}};
}

}  // namespace

/// Recorded servos: the chains of servos/*.toml, fitted to these recordings (tools/fit_servos), replayed by the engine.
/// Column `paper` is the figure to reach. Peers: a Coulomb–viscous model, and the best of the models published for the
/// set.
std::optional<Json> servos(const PaperOptions& options) {
  if (options.data.empty()) {
    fmt::print(stderr, "servos: name the folder of the recordings with --data\n");
    return std::nullopt;
  }
  const Set sets[] = {
      {"xl330_pendulum",
       "xl330.toml",
       "XL330 pendulum, mean |error|",
       false,
       0.036,
       {{"Coulomb and viscous", 0.0584}, {"load-dependent friction (M6)", 0.0336}}},
      {"go1_pendulum",
       "go1.toml",
       "Go1 pendulum, mean |error|",
       false,
       0.0135,
       {{"Coulomb and viscous", 0.0161}, {"M6 with delay", 0.0127}}},
      {"xm430_w210",
       "xm430_w210.toml",
       "XM430 on an inertia, rms error",
       true,
       0.0025,
       {{"step, PD", 0.0036}, {"mixed, PD", 0.0021}}},
  };
  Json rows = Json::array();
  bool reached = true;
  for (const Set& set : sets) {
    const std::optional<Json> row = run_set(set, options, reached);
    if (!row) return std::nullopt;
    rows.push_back(*row);
  }
  return Json{
      {"name", "servos"},
      {"rows", rows},
      {"verdict", reached ? "all three servos are within the figures asked for, on the recordings they were fitted to"
                          : "not all servos reach the figures asked for"}};
}

}  // namespace gradus::cli

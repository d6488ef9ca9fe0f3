#include <fmt/format.h>

#include <cstdio>

#include "common/files.h"
#include "papers/paper.h"
#include "common/plot.h"
#include "common/recordings.h"
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

/// Errors of one servo file by recording; plots the first one.
std::optional<Json> errors_of(const Set& set, const std::string& file, const std::vector<Recording>& recordings,
                              const std::string& out) {
  DriveSpec servo;
  Diagnostics notes;
  if (!read_chain_file(file, {"servos", 0, 0}, shipped_files(), servo, notes)) return print(notes), std::nullopt;
  Json by_log = Json::object();
  for (const Recording& r : recordings) {
    const std::optional<Replay> sim = replay(r, for_log(servo, r));
    if (!sim) return std::nullopt;
    if (!out.empty() && by_log.empty()) plot_first(set, r, *sim, out);
    by_log[r.file] = set.rms ? sim->rms : sim->mean_abs;
  }
  return by_log;
}

double mean_of(const Json& by_log) {
  double sum = 0;
  for (const auto& error : by_log) sum += error.get<double>();
  return sum / static_cast<double>(by_log.size());
}

std::optional<Json> run_set(const Set& set, const PaperOptions& options, bool& reached) {
  std::vector<Recording> all = read_set(options.data, set.folder), rest;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!is_fitted(i)) rest.push_back(all[i]);
  if (options.quick)
    all.resize(std::min<std::size_t>(all.size(), 1)), rest.resize(std::min<std::size_t>(rest.size(), 1));
  if (all.empty()) return std::nullopt;
  const auto fitted = errors_of(set, set.servo, all, options.out);
  const auto held_out = errors_of(set, std::string("held_out/") + set.servo, rest, "");
  if (!fitted || !held_out) return std::nullopt;
  const double mean = mean_of(*fitted);
  reached &= mean <= set.due;
  Json row = PaperRow{.quantity = set.quantity,
                      .unit = "rad",
                      .paper = {{"all recordings", set.due}},
                      .peers = set.peers,
                      .gradus = {{"all recordings", mean}, {"held out", mean_of(*held_out)}}};
  row["recordings"] = *fitted;
  row["held_out"] = *held_out;
  return row;
}

std::vector<Set> all_sets() {
  return {{"xl330_pendulum",
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
           {{"step, PD", 0.0036}, {"mixed, PD", 0.0021}}}};
}

}  // namespace

/// Recorded servos: the chains of servos/*.toml, fitted to these recordings, replayed by the engine.
/// Column `paper` is the figure to reach. `held out`: chains fitted to one half of the recordings, judged on the other
/// half. Peers: a Coulomb–viscous model, and the best of the models published for the set.
std::optional<Json> servos(const PaperOptions& options) {
  if (options.data.empty()) {
    fmt::print(stderr, "servos: name the folder of the recordings with --data\n");
    return std::nullopt;
  }
  Json rows = Json::array();
  bool reached = true;
  for (const Set& set : all_sets()) {
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

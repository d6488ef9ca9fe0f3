#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "common/plot.h"
#include "fit/fit.h"
#include "fit/numbers.h"
#include "load/servo_toml.h"
#include "load/units.h"

namespace gradus::cli {
namespace {

struct FitOptions {
  std::vector<std::string> recordings;
  std::string from, output, only, drive, volts, limit, mass, arm, length, inertia, error = "mean", plots;
  int evaluations = 0, threads = 0, restarts = 3;
  std::int64_t seed = 1;
  bool json = false, quiet = false;
};

std::atomic<bool> stop_asked{false};

bool read_quantity(const char* option, const std::string& text, Dimension due, double& out) {
  if (text.empty()) return true;
  const auto fault = parse_quantity(text, due, out);
  if (fault) std::fprintf(stderr, "error: %s: %s; %s\n", option, fault->text.c_str(), fault->suggestion.c_str());
  return !fault;
}

bool moves_something(const fit::Recording& r) { return r.measures_torque() || (r.mass + r.arm > 0 && r.length > 0) != (r.inertia > 0); }

std::optional<std::vector<fit::Recording>> read_all(const FitOptions& o) {
  fit::Recording bench;
  const bool read[] = {read_quantity("--mass", o.mass, dimension::kMass, bench.mass),  // all, so that all errors are told
                       read_quantity("--arm", o.arm, dimension::kMass, bench.arm),
                       read_quantity("--length", o.length, dimension::kLength, bench.length),
                       read_quantity("--inertia", o.inertia, dimension::kInertia, bench.inertia),
                       read_quantity("--volts", o.volts, dimension::kVoltage, bench.volts)};
  if (!std::all_of(std::begin(read), std::end(read), [](bool ok) { return ok; })) return std::nullopt;
  std::vector<fit::Recording> all;
  bool good = true;
  for (const std::string& file : o.recordings) {
    if (fit::is_index(file)) {
      auto some = fit::read_index(file, o.only);
      print(some.notes());
      if (!some) good = false;
      else all.insert(all.end(), some->begin(), some->end());
      continue;
    }
    fit::Recording r = bench;
    r.file = file;
    const std::string problem = fit::read_recording(file, r);
    if (!problem.empty()) std::fprintf(stderr, "%s: error: it %s\n", file.c_str(), problem.c_str()), good = false;
    else all.push_back(std::move(r));
  }
  if (!good) return std::nullopt;
  for (const fit::Recording& r : all) {
    if (!moves_something(r)) {
      std::fprintf(stderr,
                   "error: what does the servo move? give --mass and --length of a pendulum that hangs at 0, or "
                   "--inertia of a flywheel\n");
      return std::nullopt;
    }
    if (r.measures_torque() != all[0].measures_torque()) {
      std::fprintf(stderr, "error: %s measures %s, %s does not: fit them one after the other\n", all[0].file.c_str(),
                   all[0].measures_torque() ? "torque" : "position", r.file.c_str());
      return std::nullopt;
    }
  }
  return all;
}

std::optional<fit::Options> options_of(const FitOptions& o, const std::vector<fit::Recording>& recordings) {
  fit::Options f;
  f.rms = o.error == "rms";
  f.seed = o.seed, f.evaluations = o.evaluations, f.restarts = o.restarts;
  f.threads = o.threads > 0 ? o.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  f.stop = &stop_asked;
  if (!o.quiet) f.tell = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  if (!o.from.empty()) {
    DriveSpec start;
    Diagnostics notes;
    const bool read = read_chain_file(find_shipped(o.from, "servos"), {"--from", 0, 0}, shipped_files(), start, notes);
    print(notes);
    if (!read) return std::nullopt;
    f.known.model = start;
    f.known.voltage = start.electrical();
    if (start.electrical() && std::isfinite(start.controller.limit)) f.known.volts = start.controller.limit;
    return f;
  }
  if (o.drive.empty() && !recordings[0].measures_torque()) {
    std::fprintf(stderr,
                 "error: which kind of drive is it? --drive voltage for a servo with a motor at a supply (--volts, if "
                 "known), --drive torque for one that is commanded in N m, or --from a servo file\n");
    return std::nullopt;
  }
  f.known.voltage = o.drive == "voltage";
  if (!read_quantity("--limit", o.limit, dimension::kTorque, f.known.limit)) return std::nullopt;
  if (!read_quantity("--volts", o.volts, dimension::kVoltage, f.known.volts)) return std::nullopt;
  for (const fit::Recording& r : recordings)
    if (f.known.voltage && f.known.volts == 0 && r.volts > 0) f.known.volts = r.volts;
  return f;
}

void write_pictures(const FitOptions& o, const fit::Result& r, const std::vector<fit::Recording>& recordings) {
  std::vector<double> simulated;
  for (const fit::Recording& x : recordings) {
    fit::Steps(x, fit::kStep).simulate(r.drive, r.bench, simulated);
    const bool torque = x.measures_torque();
    Plot plot{x.file, "time [s]", torque ? "torque [N m]" : "angle [rad]", {}};
    if (!torque) plot.series.push_back({"command", x.t, x.goal});
    plot.series.push_back({"recorded", x.t, x.measured()});
    plot.series.push_back({"gradus", x.t, simulated});
    std::string name = x.file;
    for (char& c : name)
      if (c == '/' || c == '.') c = '_';
    write_plot(plot, o.plots, name);
  }
}

void print_text(const FitOptions& o, const fit::Result& r, const fit::Options& f, const std::vector<fit::Recording>& recordings) {
  const char* unit = recordings[0].measures_torque() ? "N m" : "rad";
  const char* kind = f.rms ? "root mean square" : "mean";
  if (f.known.model) {
    double before = 0;
    for (const fit::Recording& x : recordings) before += fit::error_on(x, *f.known.model, {}, f.rms) / static_cast<double>(recordings.size());
    std::printf("%zu numbers of %s; %s error %.6f %s, before %.6f %s\n", r.estimates.size(), f.known.model->name.c_str(), kind, r.train, unit, before, unit);
  } else {
    std::printf("%s error %.4g %s; on recordings that were left out %.4g %s\n", kind, r.train, unit, r.held_out, unit);
    std::printf("models tried, with the error on what they had not seen:\n");
    for (const fit::Trial& t : r.trials)
      std::printf("  %-10.4g %s%s\n", t.held_out, fmt::format("{}", fmt::join(t.stages, " + ")).c_str(), t.taken ? "   <- the simplest that is as good as the best" : "");
  }
  if (f.known.model) std::printf("error on recordings that were left out in turn: %.4g %s\n", r.held_out, unit);
  for (std::size_t i = 0; i < recordings.size(); ++i)
    std::printf("  %-50s %.5f %s, left out %s\n", recordings[i].file.c_str(), r.train_by[i], unit,
                r.held_out_by.size() == recordings.size() ? fmt::format("{:.5f}", r.held_out_by[i]).c_str() : "-");
  std::printf("numbers, with their spread (2.6 deviations):\n");
  for (const fit::Estimate& e : r.estimates)
    std::printf("  %-26s %-12.6g %-10s %.4g ... %.4g%s%s\n", e.name.c_str(), e.value, e.unit.c_str(), e.low, e.high,
                e.fixed ? "" : "   not fixed by the recordings", e.at_border ? ", at the border of what was allowed" : "");
  std::printf("%.4g of what was recorded is explained\n", r.share_explained);
  if (!r.describes) std::printf("this model does not describe these recordings\n");
  std::printf("%s: servo = { all = \"%s\" } in a scene\n", o.output.c_str(), o.output.c_str());
}

void print_json(const FitOptions& o, const fit::Result& r, const std::vector<fit::Recording>& recordings) {
  nlohmann::ordered_json j;
  j["servo"] = o.output;
  j["train"] = r.train, j["held_out"] = std::isfinite(r.held_out) ? nlohmann::ordered_json(r.held_out) : nullptr;
  j["stages"] = r.stages, j["explained"] = r.share_explained, j["describes"] = r.describes;
  for (std::size_t i = 0; i < recordings.size(); ++i) j["recordings"][recordings[i].file] = r.train_by[i];
  for (const fit::Estimate& e : r.estimates)
    j["numbers"][e.name] = {{"value", e.value}, {"unit", e.unit}, {"low", e.low}, {"high", e.high}, {"fixed", e.fixed}};
  std::printf("%s\n", j.dump(1).c_str());
}

int fit_servo(const FitOptions& o) {
  const auto recordings = read_all(o);
  if (!recordings) return 1;
  const auto options = options_of(o, *recordings);
  if (!options) return 1;
  stop_asked = false;
  for (const int s : {SIGINT, SIGTERM}) std::signal(s, [](int) { stop_asked = true; });
  auto r = fit::fit(*recordings, *options);
  if (!r) return std::fprintf(stderr, "stopped; nothing was written\n"), 1;
  if (r->estimates.empty()) return std::fprintf(stderr, "error: %s has no number that could be fitted\n", o.from.c_str()), 1;
  r->drive.name = std::filesystem::path(o.output).stem().string();
  r->drive.about.clear(), r->drive.notes.clear(), r->drive.file.clear();
  r->drive.source = fmt::format("gradus fit, {} recording{}{}", recordings->size(), recordings->size() == 1 ? "" : "s",
                                o.from.empty() ? "" : ", from " + options->known.model->name);
  r->drive.valid = fmt::format("the recordings: {} error {:.4g} {}, left out {:.4g}", options->rms ? "rms" : "mean", r->train,
                               (*recordings)[0].measures_torque() ? "N m" : "rad", r->held_out);
  if (!r->describes) r->drive.notes = "this model does not describe these recordings";
  else if (r->bench.reference_kp > 0) r->drive.notes = fmt::format("kp is for a gain of {:.6g} in the recordings", r->bench.reference_kp);
  std::ofstream out(o.output);
  out << fit::to_toml(r->drive, fit::passport(*r, *recordings, options->rms));
  out.close();
  if (!out) return std::fprintf(stderr, "error: cannot write %s\n", o.output.c_str()), 1;
  if (!o.plots.empty()) write_pictures(o, *r, *recordings);
  o.json ? print_json(o, *r, *recordings) : print_text(o, *r, *options, *recordings);
  return r->describes ? 0 : 1;
}

}  // namespace

void add_fit(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<FitOptions>();
  auto* cmd = app.add_subcommand("fit", "Fit a servo to recordings of it on a test bench");
  cmd->add_option("RECORDING", o->recordings,
                  "CSV with columns t_s, goal_rad, pos_rad and, if it was released, torque_on (0, 1); or t_s, "
                  "pos_error_rad, vel_rad_s, torque_Nm; or an index: a CSV whose column file names recordings, with kp, "
                  "kd, mass, arm_mass, length, load_inertia_kgm2, vin of each")
      ->required();
  cmd->add_option("-o,--output", o->output, "servo file to write")->required();
  cmd->add_option("--only", o->only, "of an index: files whose names begin so");
  auto* from = cmd->add_option("--from", o->from, "servo whose stages are taken, as in servos/xl330.toml; numbers that are 0 in it stay 0");
  cmd->add_option("--drive", o->drive, "voltage or torque: without --from, stages are chosen by their error on recordings left out")
      ->check(CLI::IsMember({"voltage", "torque"}))
      ->excludes(from);
  cmd->add_option("--volts", o->volts, "supply of a voltage drive, as in '7.4 V'");
  cmd->add_option("--limit", o->limit, "of a torque drive, as in '20 N m'");
  cmd->add_option("--mass", o->mass, "at the tip of the pendulum that the servo moves, as in '0.5 kg'");
  cmd->add_option("--arm", o->arm, "mass of the pendulum's rod");
  cmd->add_option("--length", o->length, "of the pendulum; it hangs down at 0");
  cmd->add_option("--inertia", o->inertia, "of a flywheel instead of a pendulum, as in '1e-4 kg m^2'");
  cmd->add_option("--error", o->error, "what is made small: mean (of its size; default) or rms")->check(CLI::IsMember({"mean", "rms"}));
  cmd->add_option("--plots", o->plots, "folder for a picture of each recording against the simulation");
  cmd->add_option("--evaluations", o->evaluations, "of the last search (default: 200 for each number)")->check(CLI::Range(1, 1000000));
  cmd->add_option("--restarts", o->restarts, "searches for the numbers; their spread is part of the answer")->check(CLI::Range(1, 100));
  cmd->add_option("--threads", o->threads, "the result does not depend on it (default: all cores)")->check(CLI::Range(1, 256));
  cmd->add_option("--seed", o->seed, "of the search")->check(CLI::NonNegativeNumber);
  cmd->add_flag("--json", o->json, "one JSON object on standard output and nothing else");
  cmd->add_flag("--quiet", o->quiet, "no progress");
  cmd->footer(
      "Examples:\n"
      "  gradus fit swing.csv steps.csv --drive voltage --volts '7.4 V' --mass '0.5 kg' --length '10 cm' -o my_servo.toml\n"
      "  gradus fit recordings/index.csv --only xl330 --drive voltage -o my_servo.toml --plots out/fit\n"
      "  gradus fit swing.csv --from servos/xl330.toml --mass '0.5 kg' --length '10 cm' -o my_servo.toml");
  cmd->callback([o, &outcome] { outcome.status = fit_servo(*o); });
}

}  // namespace gradus::cli

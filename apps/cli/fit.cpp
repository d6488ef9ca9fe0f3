#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/commands.h"
#include "common/recordings.h"
#include "load/servo_toml.h"
#include "load/units.h"
#include "tools/cma.h"

namespace gradus::cli {
namespace {

struct FitOptions {
  std::vector<std::string> recordings;
  std::string from, output, mass, arm, length, inertia;
  int evaluations = 2000;
  unsigned seed = 1;
};

/// A number of a chain: where it is, how a servo file writes it, and may it be fitted? Resistance, limit, ratio and
/// efficiency are known from the data sheet, and what they do to the joint the others can do as well.
struct Number {
  const char *table, *key, *unit;
  double& (*at)(DriveSpec&);
  bool fitted;
};
#define GRADUS_AT(member) [](DriveSpec& d) -> double& { return d.member; }
const Number kNumbers[] = {
    {"", "delay", "s", GRADUS_AT(delay), true},
    {"controller", "kp", "{}/rad", GRADUS_AT(controller.kp), true},
    {"controller", "ki", "{}/rad/s", GRADUS_AT(controller.ki), true},
    {"controller", "kd", "{} s/rad", GRADUS_AT(controller.kd), true},
    {"controller", "limit", "{}", GRADUS_AT(controller.limit), false},
    {"motor", "resistance", "ohm", GRADUS_AT(motor.resistance), false},
    {"motor", "inductance", "H", GRADUS_AT(motor.inductance), false},
    {"motor", "torque_constant", "N m/A", GRADUS_AT(motor.torque_constant), true},
    {"motor", "back_emf", "V s/rad", GRADUS_AT(motor.back_emf), false},
    {"motor", "inertia", "kg m^2", GRADUS_AT(motor.inertia), true},
    {"friction", "coulomb", "N m", GRADUS_AT(friction.coulomb), true},
    {"friction", "viscous", "N m s/rad", GRADUS_AT(friction.viscous), true},
    {"friction", "stribeck", "N m", GRADUS_AT(friction.stribeck), true},
    {"friction", "stribeck_speed", "rad/s", GRADUS_AT(friction.stribeck_speed), true},
    {"friction", "load", "", GRADUS_AT(friction.load), true},
    {"friction", "load_stribeck", "", GRADUS_AT(friction.load_stribeck), true},
    {"gear", "ratio", "", GRADUS_AT(gear.ratio), false},
    {"gear", "efficiency", "", GRADUS_AT(gear.efficiency), false},
    {"gear", "play", "rad", GRADUS_AT(gear.play), true},
    {"gear", "stiffness", "N m/rad", GRADUS_AT(gear.stiffness), true},
    {"gear", "damping", "N m s/rad", GRADUS_AT(gear.damping), true},
    {"gear", "inertia", "kg m^2", GRADUS_AT(gear.inertia), true},
};
#undef GRADUS_AT

constexpr double kDecades = 2;

/// Numbers of the start file that are not zero may move by kDecades either way; what is zero stays: the start file
/// says which stages there are.
class Search {
 public:
  Search(DriveSpec start, std::vector<Recording> recordings)
      : start_(std::move(start)), recordings_(std::move(recordings)) {
    for (const Number& n : kNumbers)
      if (n.fitted && n.at(start_) > 0 && std::isfinite(n.at(start_))) free_.push_back(&n);
  }
  std::size_t size() const { return free_.size(); }
  DriveSpec drive(const tools::Vector& u) const {
    DriveSpec d = start_;
    for (std::size_t i = 0; i < u.size(); ++i) free_[i]->at(d) *= std::pow(10.0, std::clamp(u[i], -kDecades, kDecades));
    if (start_.motor.torque_constant > 0) d.motor.back_emf *= d.motor.torque_constant / start_.motor.torque_constant;
    d.friction.load = std::min(d.friction.load, 0.9);
    d.friction.load_stribeck = std::min(d.friction.load_stribeck, 0.9);
    d.delay = std::min(d.delay, 0.1);
    return d;
  }
  /// Numbers that would go further: the recordings do not tell them, or the start was far off.
  std::string at_the_border(const tools::Vector& u) const {
    std::string names;
    for (std::size_t i = 0; i < u.size(); ++i)
      if (std::fabs(u[i]) >= kDecades) names += fmt::format("{}{}", names.empty() ? "" : ", ", free_[i]->key);
    return names;
  }
  double error(const DriveSpec& d, const Recording& r) const {
    const auto sim = replay(r, d);
    return sim && std::isfinite(sim->rms) ? sim->rms : 1e3;
  }
  /// Root mean square over all recordings [rad].
  double error(const DriveSpec& d) const {
    double sum = 0;
    for (const Recording& r : recordings_) sum += std::pow(error(d, r), 2);
    return std::sqrt(sum / static_cast<double>(recordings_.size()));
  }
  const std::vector<Recording>& recordings() const { return recordings_; }

 private:
  DriveSpec start_;
  std::vector<Recording> recordings_;
  std::vector<const Number*> free_;
};

std::string in_toml(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) (c == '"' || c == '\\' ? out += '\\' : out) += c;
  return out + "\"";
}

/// As servo files are written [load/servo_toml.h].
std::string to_toml(DriveSpec d, const std::string& name, const std::string& source, const std::string& valid) {
  const std::string output = d.electrical() ? "V" : "N m";
  DriveSpec plain;  // what need not be written
  std::string out, table;
  for (const Number& n : kNumbers) {
    const double x = n.at(d);
    if (x == n.at(plain)) continue;
    if (table != n.table) out += fmt::format("\n[{}]\n", table = n.table);
    const std::string unit = fmt::format(fmt::runtime(n.unit), output);
    out += unit.empty() ? fmt::format("{} = {:.6g}\n", n.key, x) : fmt::format("{} = \"{:.6g} {}\"\n", n.key, x, unit);
    if (n.key == std::string("kp")) {
      if (d.controller.motor_side) out += "encoder = \"motor\"\n";
      if (d.controller.error_rate) out += "derivative = \"error\"\n";
      if (d.controller.stiffness != plain.controller.stiffness)
        out += fmt::format("stiffness = {:.6g}\n", d.controller.stiffness);
    }
  }
  if (d.gear.model == GearModel::motoflex) out += "model = \"motoflex\"\n";  // [gear] is the last table
  const std::size_t tables = out.find("\n[");
  const std::string head =
      fmt::format("\n[servo]\nname = {}\nsource = {}\nvalid = {}\n", in_toml(name), in_toml(source), in_toml(valid));
  return out.substr(0, tables) + head + (tables == out.npos ? "" : out.substr(tables));
}

bool read_quantity(const char* option, const std::string& text, Dimension due, double& out) {
  if (text.empty()) return true;
  const auto fault = parse_quantity(text, due, out);
  if (fault) std::fprintf(stderr, "error: %s: %s; %s\n", option, fault->text.c_str(), fault->suggestion.c_str());
  return !fault;
}

std::optional<Recording> bench_of(const FitOptions& o) {
  Recording r;
  const bool read[] = {read_quantity("--mass", o.mass, dimension::kMass, r.mass),  // all, so that all errors are told
                       read_quantity("--arm", o.arm, dimension::kMass, r.arm),
                       read_quantity("--length", o.length, dimension::kLength, r.length),
                       read_quantity("--inertia", o.inertia, dimension::kInertia, r.inertia)};
  if (!std::all_of(std::begin(read), std::end(read), [](bool ok) { return ok; })) return std::nullopt;
  const bool pendulum = r.mass + r.arm > 0 && r.length > 0;
  if (pendulum == (r.inertia > 0)) {
    std::fprintf(stderr,
                 "error: what does the servo move? give --mass and --length of a pendulum that hangs at 0, or "
                 "--inertia of a flywheel\n");
    return std::nullopt;
  }
  return r;
}

std::optional<std::vector<Recording>> read_all(const FitOptions& o) {
  const auto bench = bench_of(o);
  if (!bench) return std::nullopt;
  std::vector<Recording> all;
  for (const std::string& file : o.recordings) {
    Recording r = *bench;
    r.file = file;
    const std::string problem = read_recording(file, r);
    if (!problem.empty()) return std::fprintf(stderr, "%s: error: %s\n", file.c_str(), problem.c_str()), std::nullopt;
    all.push_back(std::move(r));
  }
  return all;
}

/// How well the servo follows the recordings, before and after.
void print_errors(const Search& search, const DriveSpec& start, const DriveSpec& best) {
  std::printf("%zu numbers of %s; root mean square error %.6f rad, before %.6f rad\n", search.size(),
              start.name.c_str(), search.error(best), search.error(start));
  for (const Recording& r : search.recordings())
    std::printf("  %-40s %.6f rad, before %.6f rad\n", r.file.c_str(), search.error(best, r), search.error(start, r));
}

bool write_servo(const FitOptions& o, const DriveSpec& best, const std::string& start_name, double error) {
  std::ofstream out(o.output);
  out << to_toml(best, std::filesystem::path(o.output).stem().string(),
                 fmt::format("gradus fit, {} recording{}, from {}", o.recordings.size(),
                             o.recordings.size() == 1 ? "" : "s", start_name),
                 fmt::format("the recordings: rms error {:.4g} rad", error));
  out.close();
  return static_cast<bool>(out);
}

int fit(const FitOptions& o) {
  auto recordings = read_all(o);
  if (!recordings) return 1;
  DriveSpec start;
  Diagnostics notes;
  const bool read = read_chain_file(find_shipped(o.from, "servos"), {"--from", 0, 0}, shipped_files(), start, notes);
  print(notes);
  if (!read) return 1;
  const Search search(start, std::move(*recordings));
  if (search.size() == 0)
    return std::fprintf(stderr, "error: %s has no number that could be fitted\n", o.from.c_str()), 1;
  tools::Cma cma(tools::Vector(search.size(), 0.0), 0.15, 4 + 3 * search.size(), o.seed);
  const tools::Vector u = cma.run([&](const tools::Vector& x) { return search.error(search.drive(x)); }, o.evaluations);
  const DriveSpec best = search.drive(u);
  if (const std::string names = search.at_the_border(u); !names.empty())
    std::fprintf(
        stderr,
        "warning: %s went as far as allowed; begin with other numbers, or leave out what the recordings do not show\n",
        names.c_str());
  print_errors(search, start, best);
  if (!write_servo(o, best, start.name, search.error(best)))
    return std::fprintf(stderr, "error: cannot write %s\n", o.output.c_str()), 1;
  std::printf("%s: servo = { all = \"%s\" } in a scene\n", o.output.c_str(), o.output.c_str());
  return 0;
}

}  // namespace

void add_fit(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<FitOptions>();
  auto* cmd = app.add_subcommand("fit", "Fit a servo to recordings of it on a test bench");
  cmd->add_option("RECORDING", o->recordings,
                  "CSV with columns t_s, goal_rad, pos_rad and, if it was released, torque_on (0, 1)")
      ->required();
  cmd->add_option("--from", o->from, "servo to begin with, as in servos/xl330.toml; numbers that are 0 in it stay 0")
      ->required();
  cmd->add_option("-o,--output", o->output, "servo file to write")->required();
  cmd->add_option("--mass", o->mass, "at the tip of the pendulum that the servo moves, as in '0.5 kg'");
  cmd->add_option("--arm", o->arm, "mass of the pendulum's rod");
  cmd->add_option("--length", o->length, "of the pendulum; it hangs down at 0");
  cmd->add_option("--inertia", o->inertia, "of a flywheel instead of a pendulum, as in '1e-4 kg m^2'");
  cmd->add_option("--evaluations", o->evaluations, "how often the recordings are replayed (default: 2000)")
      ->check(CLI::Range(1, 1000000));
  cmd->add_option("--seed", o->seed, "of the search");
  cmd->footer(
      "The error so far is told on the way. Example:\n  gradus fit swing.csv steps.csv --from servos/xl330.toml --mass "
      "'0.5 kg' --length '10 cm' -o my_servo.toml");
  cmd->callback([o, &outcome] { outcome.status = fit(*o); });
}

}  // namespace gradus::cli

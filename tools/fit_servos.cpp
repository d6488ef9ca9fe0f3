// Fits the actuator chains of servos/*.toml to recordings, with the engine itself as the model
// (apps/papers/recordings.h).
//
//   ninja -C build/release fit_servos
//   build/release/tools/fit_servos xl330|go1|xm430 DATA [--half] [--from FILE] [--evaluations N] [--seed N]
//
// --half: only the recordings that is_fitted() names, for the files in servos/held_out.
// --from: begins near a servo file instead of anywhere.
// Prints the best error so far to standard error and in the end the parameters, which go into the servo file by hand,
// together with the error on each recording. The search (tools/cma.h) runs in coordinates that map every parameter to
// 0 … 1 (logarithmically where it spans decades), reflected at the borders.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "common/recordings.h"
#include "cma.h"
#include "load/servo_toml.h"

namespace {

using gradus::DriveSpec;
using gradus::cli::Recording;
using gradus::tools::Cma;
using gradus::tools::Vector;

struct Parameter {
  const char* name;
  double low, high;
  bool decades;
  double& (*at)(DriveSpec&);
};

double value(const Parameter& p, double u) {
  u = std::fmod(std::fabs(u), 2.0);
  if (u > 1) u = 2 - u;
  return p.decades ? p.low * std::pow(p.high / p.low, u) : p.low + (p.high - p.low) * u;
}

/// The other way round.
double coordinate(const Parameter& p, double x) {
  x = std::clamp(x, p.low, p.high);
  return p.decades ? std::log(x / p.low) / std::log(p.high / p.low) : (x - p.low) / (p.high - p.low);
}

struct Task {
  std::string set;
  bool rms;
  DriveSpec start;
  std::vector<Parameter> parameters;
};

void add_friction(std::vector<Parameter>& out) {
  out.push_back(
      {"friction.coulomb [N m]", 1e-4, 0.5, true, [](DriveSpec& d) -> double& { return d.friction.coulomb; }});
  out.push_back(
      {"friction.viscous [N m s/rad]", 1e-5, 0.5, true, [](DriveSpec& d) -> double& { return d.friction.viscous; }});
  out.push_back(
      {"friction.stribeck [N m]", 1e-4, 0.5, true, [](DriveSpec& d) -> double& { return d.friction.stribeck; }});
  out.push_back({"friction.stribeck_speed [rad/s]", 0.02, 10, true,
                 [](DriveSpec& d) -> double& { return d.friction.stribeck_speed; }});
  out.push_back({"friction.load", 1e-3, 0.9, true, [](DriveSpec& d) -> double& { return d.friction.load; }});
  out.push_back(
      {"friction.load_stribeck", 1e-3, 0.9, true, [](DriveSpec& d) -> double& { return d.friction.load_stribeck; }});
  out.push_back({"delay [s]", 0, 0.03, false, [](DriveSpec& d) -> double& { return d.delay; }});
}

/// Firmware gain 100 and 7.4 V; figures of the motor behind its gear.
Task xl330() {
  Task t{"xl330_pendulum", false, {}, {}};
  t.start.controller.limit = 7.4;
  t.parameters = {
      {"motor.resistance [ohm]", 1, 10, true, [](DriveSpec& d) -> double& { return d.motor.resistance; }},
      {"motor.torque_constant [N m/A]", 0.2, 2, true, [](DriveSpec& d) -> double& { return d.motor.torque_constant; }},
      {"motor.inertia [kg m^2]", 1e-4, 5e-2, true, [](DriveSpec& d) -> double& { return d.motor.inertia; }},
      {"controller.kp [V/rad]", 0.5, 20, true, [](DriveSpec& d) -> double& { return d.controller.kp; }},
  };
  add_friction(t.parameters);
  return t;
}

/// Torque-controlled: commanded 10 N m/rad and 0.3 N m s/rad, of which a share arrives. The encoder sits on the motor:
/// behind it gear, arm and mount give way together.
Task go1() {
  Task t{"go1_pendulum", false, {}, {}};
  t.start.controller.limit = 23.7;
  t.start.controller.motor_side = true;
  t.start.gear.model = gradus::GearModel::elastic;
  t.parameters = {
      {"controller.kp [N m/rad]", 6, 15, true, [](DriveSpec& d) -> double& { return d.controller.kp; }},
      {"controller.kd [N m s/rad]", 0.03, 1, true, [](DriveSpec& d) -> double& { return d.controller.kd; }},
      {"motor.inertia [kg m^2]", 1e-4, 3e-2, true, [](DriveSpec& d) -> double& { return d.motor.inertia; }},
      {"gear.stiffness [N m/rad]", 20, 2000, true, [](DriveSpec& d) -> double& { return d.gear.stiffness; }},
      {"gear.damping [N m s/rad]", 1e-2, 5, true, [](DriveSpec& d) -> double& { return d.gear.damping; }},
  };
  add_friction(t.parameters);
  return t;
}

/// Resistance 1 ohm: only gain, limit and back EMF at the joint can be seen.
Task xm430() {
  Task t{"xm430_w210", true, {}, {}};
  t.start.motor.resistance = 1;
  t.parameters = {
      {"motor.torque_constant [N m/A]", 0.01, 0.7, true,
       [](DriveSpec& d) -> double& { return d.motor.torque_constant; }},
      {"motor.inertia [kg m^2]", 1e-5, 1e-2, true, [](DriveSpec& d) -> double& { return d.motor.inertia; }},
      {"controller.kp [V/rad]", 1, 300, true, [](DriveSpec& d) -> double& { return d.controller.kp; }},
      {"controller.kd [V s/rad]", 1e-3, 5, true, [](DriveSpec& d) -> double& { return d.controller.kd; }},
      {"controller.limit [V]", 0.1, 20, true, [](DriveSpec& d) -> double& { return d.controller.limit; }},
  };
  add_friction(t.parameters);
  return t;
}

DriveSpec drive_of(const Task& t, const Vector& u) {
  DriveSpec d = t.start;
  for (std::size_t i = 0; i < u.size(); ++i) t.parameters[i].at(d) = value(t.parameters[i], u[i]);
  d.motor.back_emf = d.motor.torque_constant;
  return d;
}

double error_on(const Task& t, const Recording& r, const DriveSpec& d) {
  const auto sim = gradus::cli::replay(r, gradus::cli::for_log(d, r));
  const double e = sim ? (t.rms ? sim->rms : sim->mean_abs) : NAN;
  return std::isfinite(e) ? e : 1e3;
}

double cost(const Task& t, const std::vector<Recording>& recordings, const Vector& u) {
  const DriveSpec d = drive_of(t, u);
  double sum = 0;
  for (const Recording& r : recordings) sum += error_on(t, r, d);
  return sum / static_cast<double>(recordings.size());
}

struct Options {
  std::string name, data, from;
  int evaluations = 6000;
  unsigned seed = 1;
  bool half = false;
};

bool read_options(int count, char** words, Options& o) {
  if (count < 3) return false;
  o.name = words[1], o.data = words[2];
  for (int i = 3; i < count; ++i) {
    const std::string word = words[i];
    const char* next = i + 1 < count ? words[i + 1] : nullptr;
    if (word == "--half") {
      o.half = true;
      continue;
    }
    if (!next) return false;
    if (word == "--evaluations")
      o.evaluations = std::atoi(next);
    else if (word == "--seed")
      o.seed = static_cast<unsigned>(std::atoi(next));
    else if (word == "--from")
      o.from = next;
    else
      return false;
    ++i;
  }
  return o.name == "xl330" || o.name == "go1" || o.name == "xm430";
}

/// Where the search begins: at random, or near a servo file.
std::optional<Cma> make_search(const Task& task, const Options& o) {
  const std::size_t n = task.parameters.size(), lambda = 24;
  if (o.from.empty()) return Cma(gradus::tools::random_start(n, o.seed), 0.2, lambda, o.seed);
  DriveSpec d;
  gradus::Diagnostics notes;
  if (!gradus::read_chain_file(o.from, {"--from", 0, 0}, {}, d, notes)) {
    for (const auto& note : notes) std::fprintf(stderr, "%s\n", to_string(note).c_str());
    return std::nullopt;
  }
  Vector u;
  for (const Parameter& p : task.parameters) u.push_back(coordinate(p, p.at(d)));
  return Cma(u, 0.05, lambda, o.seed);
}

}  // namespace

int main(int count, char** words) {
  Options o;
  if (!read_options(count, words, o)) {
    std::fprintf(stderr,
                 "usage: fit_servos xl330|go1|xm430 DATA [--half] [--from FILE] [--evaluations N] [--seed N]\n");
    return 2;
  }
  const Task task = o.name == "xl330" ? xl330() : o.name == "go1" ? go1() : xm430();
  const std::vector<Recording> all = gradus::cli::read_set(o.data, task.set);
  std::optional<Cma> search = make_search(task, o);
  if (all.empty() || !search) return 1;
  std::vector<Recording> fitted;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!o.half || gradus::cli::is_fitted(i)) fitted.push_back(all[i]);
  const Vector u = search->run([&](const Vector& x) { return cost(task, fitted, x); }, o.evaluations);
  std::printf("error %.6f rad\n", search->best());
  for (std::size_t i = 0; i < u.size(); ++i)
    std::printf("%-34s %.6g\n", task.parameters[i].name, value(task.parameters[i], u[i]));
  const DriveSpec d = drive_of(task, u);
  for (const Recording& r : all) std::printf("%-60s %.6f\n", r.file.c_str(), error_on(task, r, d));
}

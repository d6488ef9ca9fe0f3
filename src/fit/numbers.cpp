#include "fit/numbers.h"

#include <fmt/format.h>

#include <cstdlib>

namespace gradus::fit {

#define GRADUS_AT(member) [](DriveSpec& d) -> double& { return d.member; }
std::span<const Number> numbers() {
  static const Number all[] = {
      {"", "delay", "s", GRADUS_AT(delay), 1e-4, 0.05},
      {"controller", "kp", "{}/rad", GRADUS_AT(controller.kp), 0.1, 1000},
      {"controller", "ki", "{}/rad/s", GRADUS_AT(controller.ki), 1e-2, 1000},
      {"controller", "kd", "{} s/rad", GRADUS_AT(controller.kd), 1e-4, 30},
      {"controller", "limit", "{}", GRADUS_AT(controller.limit), 0.05, 100},
      {"motor", "resistance", "ohm", GRADUS_AT(motor.resistance), 0.2, 50},
      {"motor", "inductance", "H", GRADUS_AT(motor.inductance), 1e-4, 1},
      {"motor", "torque_constant", "N m/A", GRADUS_AT(motor.torque_constant), 0.005, 10},
      {"motor", "back_emf", "V s/rad", GRADUS_AT(motor.back_emf), 0.005, 10},
      {"motor", "inertia", "kg m^2", GRADUS_AT(motor.inertia), 1e-6, 0.3},
      {"friction", "coulomb", "N m", GRADUS_AT(friction.coulomb), 1e-4, 5},
      {"friction", "viscous", "N m s/rad", GRADUS_AT(friction.viscous), 1e-5, 5},
      {"friction", "stribeck", "N m", GRADUS_AT(friction.stribeck), 1e-4, 5},
      {"friction", "stribeck_speed", "rad/s", GRADUS_AT(friction.stribeck_speed), 0.02, 10},
      {"friction", "load", "", GRADUS_AT(friction.load), 1e-3, 0.9},
      {"friction", "load_stribeck", "", GRADUS_AT(friction.load_stribeck), 1e-3, 0.9},
      {"gear", "ratio", "", GRADUS_AT(gear.ratio), 1, 1000},
      {"gear", "efficiency", "", GRADUS_AT(gear.efficiency), 0.1, 1},
      {"gear", "play", "rad", GRADUS_AT(gear.play), 1e-4, 0.2},
      {"gear", "stiffness", "N m/rad", GRADUS_AT(gear.stiffness), 5, 20000},
      {"gear", "damping", "N m s/rad", GRADUS_AT(gear.damping), 1e-3, 30},
      {"gear", "inertia", "kg m^2", GRADUS_AT(gear.inertia), 1e-6, 0.1},
  };
  return all;
}
#undef GRADUS_AT

std::string name_of(const Number& n) { return *n.table ? std::string(n.table) + "." + n.key : n.key; }

const Number& number(const std::string& name) {
  for (const Number& n : numbers())
    if (name_of(n) == name) return n;
  std::abort();  // names are written in this folder only
}

std::string unit_of(const Number& n, const DriveSpec& d) {
  return fmt::format(fmt::runtime(n.unit), d.electrical() ? "V" : "N m");
}

namespace {

std::string in_toml(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) (c == '"' || c == '\\' ? out += '\\' : out) += c;
  return out + "\"";
}

}  // namespace

std::string to_toml(DriveSpec d, const std::string& passport) {
  DriveSpec plain;  // what need not be written
  std::string out, table;
  for (const Number& n : numbers()) {
    const double x = n.at(d);
    if (x == n.at(plain)) continue;
    if (table != n.table) out += fmt::format("\n[{}]\n", table = n.table);
    const std::string unit = unit_of(n, d);
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
  std::string head = fmt::format("\n[servo]\nname = {}\nsource = {}\nvalid = {}\n", in_toml(d.name), in_toml(d.source), in_toml(d.valid));
  if (!d.about.empty()) head += "about = " + in_toml(d.about) + "\n";
  if (!d.notes.empty()) head += "notes = " + in_toml(d.notes) + "\n";
  return out.substr(0, tables) + head + (tables == out.npos ? "" : out.substr(tables)) + (passport.empty() ? "" : "\n" + passport);
}

}  // namespace gradus::fit

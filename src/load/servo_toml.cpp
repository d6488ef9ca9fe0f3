#include "load/servo_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "load/parts_toml.h"
#include "load/source_text.h"
#include "model/check.h"

namespace gradus {

using namespace dimension;

namespace {

constexpr std::array kChainKeys = {"file", "delay", "controller", "motor", "friction", "gear"};

/// One of two words; leaves `second` as it was if the key is not there.
void read_choice(TableReader& t, const char* key, const char* first, const char* other, bool& second) {
  std::string word;
  if (!t.text(key, word)) return;
  if (word != first && word != other)
    return t.fault(t.place(key), fmt::format("{}: {} is neither \"{}\" nor \"{}\"", key, in_quotes(word), first, other),
                   did_you_mean(word, {first, other}));
  second = word == other;
}

void read_controller(TableReader& parent, bool volts, ControllerStageSpec& c) {
  const toml::table* table = parent.table("controller");
  if (table == nullptr) return;
  TableReader t = parent.inside(*table);
  const Dimension out = volts ? kVoltage : kTorque;
  t.quantity("kp", out / kAngle, c.kp);
  t.quantity("ki", out / kAngle / kTime, c.ki);
  t.quantity("kd", out * kTime / kAngle, c.kd);
  t.quantity("limit", out, c.limit);
  t.number("stiffness", c.stiffness);
  read_choice(t, "derivative", "speed", "error", c.error_rate);
  read_choice(t, "encoder", "joint", "motor", c.motor_side);
  t.finish("[controller]");
}

void read_motor(TableReader& parent, MotorStageSpec& m) {
  const toml::table* table = parent.table("motor");
  if (table == nullptr) return;
  TableReader t = parent.inside(*table);
  t.quantity("resistance", kResistance, m.resistance);
  t.quantity("inductance", kInductance, m.inductance);
  if (t.quantity("torque_constant", kTorque / kCurrent, m.torque_constant)) m.back_emf = m.torque_constant;
  t.quantity("back_emf", kVoltage * kTime / kAngle, m.back_emf);
  t.quantity("inertia", kInertia, m.inertia);
  t.quantity("speed", kAngularSpeed, m.speed);
  t.quantity("power", kPower, m.power);
  t.finish("[motor]");
}

void read_friction(TableReader& parent, FrictionStageSpec& f) {
  const toml::table* table = parent.table("friction");
  if (table == nullptr) return;
  TableReader t = parent.inside(*table);
  t.quantity("coulomb", kTorque, f.coulomb);
  t.quantity("viscous", kAngularDamping, f.viscous);
  t.quantity("stribeck", kTorque, f.stribeck);
  t.quantity("stribeck_speed", kAngularSpeed, f.stribeck_speed);
  t.number("load", f.load);
  t.number("load_stribeck", f.load_stribeck);
  t.finish("[friction]");
}

void read_gear_model(TableReader& t, const char* key, GearStageSpec& g) {
  std::string word;
  if (!t.text(key, word)) return;
  std::vector<std::string> names;
  for (const GearModel m : {GearModel::rigid, GearModel::elastic, GearModel::motoflex}) {
    names.emplace_back(to_string(m));
    if (word == names.back()) g.model = m;
  }
  if (!one_of(names, word)) t.fault(t.place(key), "there is no gear " + in_quotes(word), did_you_mean(word, names));
}

void read_gear(TableReader& parent, GearStageSpec& g) {
  const toml::node* node = parent.get("gear");
  if (node == nullptr) return;
  if (node->is_string()) return read_gear_model(parent, "gear", g);
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    parent.table("gear");  // says what is due
    return;
  }
  TableReader t = parent.inside(*table);
  t.number("ratio", g.ratio);
  t.number("efficiency", g.efficiency);
  t.quantity("play", kAngle, g.play);
  // teeth that give are an elastic gear, unless another model is named
  if (t.quantity("stiffness", kAngularStiffness, g.stiffness) && g.model == GearModel::rigid)
    g.model = GearModel::elastic;
  t.quantity("damping", kAngularDamping, g.damping);
  t.quantity("inertia", kInertia, g.inertia);
  read_gear_model(t, "model", g);
  t.finish("[gear]");
}

void read_stages(TableReader& t, DriveSpec& out) {
  t.quantity("delay", kTime, out.delay);
  read_motor(t, out.motor);
  read_controller(t, out.electrical(), out.controller);
  read_friction(t, out.friction);
  read_gear(t, out.gear);
}

/// What `gradus fit` wrote about its work. People read most of it; runs watch the range.
void read_passport(TableReader& parent, DriveRange& range) {
  const toml::table* table = parent.table("passport");
  if (table == nullptr) return;
  TableReader t = parent.inside(*table);
  for (const char* key : {"recordings", "error", "train", "held_out", "stages", "fixed", "not_fixed", "gain", "angle", "volts", "spread"}) t.get(key);
  t.quantity("speed", kAngularSpeed, range.speed);
  t.quantity("torque", kTorque, range.torque);
  t.finish("[passport]");
}

/// Where "gear.ratio" was written, or else its table, or the file's beginning.
Place place_of_key(const toml::table& table, const std::string& path, const std::string& key) {
  const auto dot = key.find('.');
  const toml::node* stage = table.get(key.substr(0, dot));
  if (stage == nullptr) return {path, 1, 1};
  const toml::table* inside = stage->as_table();
  const toml::node* value = dot != key.npos && inside != nullptr ? inside->get(key.substr(dot + 1)) : nullptr;
  return place_of(value != nullptr ? *value : *stage);
}

/// Where a key could not be read, numbers that seem to be missing may stand there: only those that were read are
/// judged.
void judge_numbers(const toml::table& table, const std::string& path, const DriveSpec& drive, Diagnostics& log) {
  const bool whole = log.empty();
  for (const DriveFault& f : drive_faults(drive))
    if (whole || !f.missing) log.push_back({place_of_key(table, path, f.key), Severity::error, f.text, f.suggestion});
}

/// All but the robot's use of it. Returns whether it is sound.
bool read_file(const toml::table& table, const std::string& path, DriveSpec& out, Diagnostics& log) {
  Diagnostics own;
  TableReader t(table, own);
  out = DriveSpec{};
  out.file = path;
  if (const toml::table* head = t.table("servo")) {
    TableReader h(*head, own);
    for (auto [key, text] : {std::pair{"name", &out.name}, {"source", &out.source}, {"valid", &out.valid}})
      if (!h.text(key, *text) && !h.has(key))
        h.fault(h.place(), fmt::format("the servo has no {}", key), fmt::format("add {} = \"…\"", key));
    h.text("about", out.about);
    h.text("notes", out.notes);
    h.finish("[servo]");
  } else if (!t.has("servo")) {
    own.push_back(
        {{path, 1, 1}, Severity::error, "the file has no [servo] table", "add [servo] with name, source and valid"});
  }
  read_stages(t, out);
  read_passport(t, out.range);
  t.finish("a servo file");
  judge_numbers(table, path, out, own);
  log.insert(log.end(), own.begin(), own.end());
  return own.empty();
}

}  // namespace

bool is_chain(const toml::table& table) {
  return std::any_of(kChainKeys.begin(), kChainKeys.end(), [&](const char* key) { return table.contains(key); });
}

bool read_chain_file(const std::string& name, const Place& place, const LoadOptions& options, DriveSpec& out,
                     Diagnostics& log) {
  const std::string path = find_file(name, place.file, "servos", options, place, log);
  if (path.empty()) return false;
  const std::optional<toml::table> table = read_toml(path, log);
  return table && read_file(*table, path, out, log);
}

bool read_chain(const toml::table& table, const LoadOptions& options, DriveSpec& out, Diagnostics& log) {
  const std::size_t before = log.size();
  TableReader t(table, log);
  std::string file;
  if (t.text("file", file) && !read_chain_file(file, t.place("file"), options, out, log)) return false;
  read_stages(t, out);
  t.finish("a servo with stages");
  return log.size() == before;
}

Result<DriveSpec> load_servo(const std::string& path) {
  Diagnostics log;
  DriveSpec out;
  if (const std::optional<toml::table> table = read_toml(path, log)) read_file(*table, path, out, log);
  Diagnostics notes = tidy(std::move(log), path);
  if (has_errors(notes)) return notes;
  return {std::move(out), std::move(notes)};
}

bool read_any_servo(const toml::table& table, ObjectKind kind, const LoadOptions& options, ServoSpec& servo,
                    std::optional<DriveSpec>& drive, Diagnostics& log) {
  if (!is_chain(table)) {
    drive.reset();
    return read_servo(table, kind, servo, log);
  }
  DriveSpec d = drive.value_or(DriveSpec{});
  const bool good = read_chain(table, options, d, log);
  if (good) drive = std::move(d);
  return good;
}

}  // namespace gradus

#include "load/sensor_toml.h"

#include <algorithm>

#include "load/shipped.h"
#include "load/source_text.h"

namespace gradus {
namespace {

constexpr const char* kOwn[] = {"name", "kind", "type", "on", "at", "rpy"};  // keys that every sensor has

bool is_own(std::string_view key) { return std::find(std::begin(kOwn), std::end(kOwn), key) != std::end(kOwn); }

}  // namespace

void SensorReader::read_file(const toml::table& file) {
  if (const toml::node* types = file.get("sensor_type")) read_types(*types);
  const toml::node* sensors = file.get("sensor");
  if (sensors == nullptr) return;
  if (!sensors->is_array_of_tables())
    return fault(place_of(*sensors), "sensor: tables [[sensor]] are due here", "write [[sensor]], with two brackets");
  for (const toml::node& s : *sensors->as_array()) read_sensor(*s.as_table());
}

void SensorReader::read_types(const toml::node& node) {
  const toml::table* all = node.as_table();
  if (all == nullptr) return fault(place_of(node), "sensor_type: tables [sensor_type.NAME] are due here");
  for (const NamedTable& t : in_file_order(*all)) {
    const toml::table* table = t.node->as_table();
    if (table == nullptr) {
      fault(t.place, "sensor_type: a table is due here", "write [sensor_type." + t.name + "]");
      continue;
    }
    SensorSpec type;
    type.place = t.place;
    TableReader reader(*table, log_);
    if (!reader.text("kind", type.kind) && !reader.has("kind"))
      fault(t.place, "sensor_type " + in_quotes(t.name) + " says no kind", "add kind = \"gyroscope\"");
    read_settings(*table, "", type);
    if (!types_.emplace(t.name, std::move(type)).second)
      fault(t.place, "sensor_type " + in_quotes(t.name) + " is described twice", "give every type its own name");
  }
}

void SensorReader::read_sensor(const toml::table& table) {
  TableReader t(table, log_);
  SensorSpec s;
  s.place = place_of(table);
  std::string type;
  if (t.text("type", type)) {
    const auto it = types_.find(type);
    std::vector<std::string> names;
    for (const auto& [name, spec] : types_) names.push_back(name);
    if (it == types_.end())
      fault(t.place("type"), "there is no [sensor_type." + type + "]", did_you_mean(type, names));
    else
      s.kind = it->second.kind, s.settings = it->second.settings;
  }
  if (!t.text("name", s.name) && !t.has("name")) fault(s.place, "the sensor has no name", "add name = \"…\"");
  const bool kind = t.text("kind", s.kind);
  if (!kind && !t.has("kind") && !t.has("type")) fault(s.place, "the sensor has no kind", "add kind = \"gyroscope\"");
  t.text("on", s.on);
  Vec3 rpy{0, 0, 0};
  t.vec3("at", dimension::kLength, s.X_OS.p);
  t.vec3("rpy", dimension::kAngle, rpy);
  s.X_OS.R = to_matrix(from_roll_pitch_yaw(rpy.x, rpy.y, rpy.z));
  read_settings(table, "", s);
  if (!s.name.empty() && !s.kind.empty()) out_.push_back(std::move(s));
}

void SensorReader::read_settings(const toml::table& table, const std::string& prefix, SensorSpec& out) {
  for (const NamedTable& entry : in_file_order(table))
    if (!prefix.empty() || !is_own(entry.name)) read_setting(*entry.node, prefix + entry.name, out);
}

void SensorReader::read_setting(const toml::node& node, const std::string& key, SensorSpec& out) {
  if (const toml::table* inner = node.as_table()) return read_settings(*inner, key + ".", out);
  SensorSetting s;
  s.key = key;
  s.place = place_of(node);
  if (read_value(node, s)) out.settings.push_back(std::move(s));
}

/// A number with its unit, a word, a truth, or arrays of one of these, flattened.
bool SensorReader::read_value(const toml::node& node, SensorSetting& out) {
  const Place place = place_of(node);
  const auto number = [&](double x, Dimension unit) {
    if (!out.words.empty()) return fault(place, out.key + ": a word and a number in one list"), false;
    if (!out.numbers.empty() && !(*out.unit == unit))
      return fault(place, out.key + ": " + name_of(*out.unit) + " and " + name_of(unit) + " in one list"), false;
    out.numbers.push_back(x);
    out.unit = unit;
    return true;
  };
  if (const toml::array* list = node.as_array()) {
    bool good = true;
    for (const toml::node& e : *list) good = read_value(e, out) && good;
    return good;
  }
  if (node.is_boolean()) return number(*node.value<bool>() ? 1 : 0, dimension::kNumber);
  if (node.is_number()) return number(*node.value<double>(), dimension::kNumber);
  if (!node.is_string()) return fault(place, out.key + ": a number, a word or a list is due here"), false;
  const std::string& text = node.ref<std::string>();
  if (!text.empty() && (std::string_view("+-.0123456789").find(text[0]) != std::string_view::npos)) {
    Quantity q;
    if (const auto wrong = parse_quantity(text, q))
      return fault(place, out.key + ": " + wrong->text, wrong->suggestion), false;
    return number(q.value, q.dimension);
  }
  if (!out.numbers.empty()) return fault(place, out.key + ": a word and a number in one list"), false;
  out.words.push_back(text);
  return true;
}

void SensorReader::read_instance(TableReader& t, const LoadOptions& options) {
  if (const toml::node* node = t.get("sensors")) {
    const auto word = [&](const toml::node& w) {
      if (w.is_string())
        use(w.ref<std::string>(), place_of(w), options);
      else
        fault(place_of(w), "sensors: a word or a file is due here", "write \"off\", \"ideal\" or \"sensors/nao_v6.toml\"");
    };
    if (const toml::array* list = node->as_array())
      for (const toml::node& w : *list) word(w);
    else
      word(*node);
  }
  const toml::table* changes = t.table("sensor");
  if (changes != nullptr) read_changes(*changes);
  std::string level;
  if (!t.text("sensing", level)) return;
  if (const int n = sensing_level(level); n < 0)
    fault(t.place("sensing"), "sensing: there is no level " + in_quotes(level), "write \"truth\", \"objects\", \"image\" or \"real\"");
  else if (out_.empty())
    fault(t.place("sensing"), "sensing: the robot has no sensors", "add sensors = \"nao_v6\"");
  else
    set_sensing(out_, n, t.place("sensing"));
}

void SensorReader::read_changes(const toml::table& changes) {
  for (const NamedTable& c : in_file_order(changes)) {
    std::vector<std::string> names;
    for (const SensorSpec& s : out_) names.push_back(s.name);
    const auto it = std::find_if(out_.begin(), out_.end(), [&](const SensorSpec& s) { return s.name == c.name; });
    const toml::table* table = c.node->as_table();
    if (it == out_.end())
      fault(c.place, "the robot has no sensor " + in_quotes(c.name), did_you_mean(c.name, names));
    else if (table == nullptr)
      fault(c.place, "a table is due here", "write e.g. { noise = \"0.2 deg/s\" }");
    else
      read_settings(*table, "", *it);
  }
}

void SensorReader::use(const std::string& word, const Place& place, const LoadOptions& options) {
  if (word == "off") return out_.clear();
  if (word == "ideal" || word == "real") {
    for (SensorSpec& s : out_) s.settings.push_back({"detail", {}, {word}, {}, place});
    return;
  }
  const std::string path = find_file(word.ends_with(".toml") ? word : word + ".toml", place.file, "sensors", options, place, log_);
  if (path.empty()) return;
  if (const std::optional<toml::table> file = read_toml(path, log_)) {
    TableReader top(*file, log_);
    top.get("sensor"), top.get("sensor_type"), top.get("about"), top.get("source");
    top.finish("a sensor set");
    read_file(*file);
  }
}

SensorSpec read_group_camera(const toml::table& table, const std::string& group, Diagnostics& log) {
  SensorSpec camera;
  camera.name = group + ".camera";
  camera.kind = "overhead";
  camera.place = place_of(table);
  std::vector<SensorSpec> none;
  SensorReader(none, log).read_settings(table, "", camera);
  return camera;
}

Diagnostics add_sensor_set(const std::string& name, std::vector<SensorSpec>& out) {
  Diagnostics log;
  SensorReader(out, log).use(name, {}, shipped_files());
  return log;
}

}  // namespace gradus

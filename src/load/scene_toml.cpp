#include "load/scene_toml.h"

#include <filesystem>
#include <limits>
#include <utility>

#include "load/field_toml.h"
#include "load/group_toml.h"
#include "load/instance_toml.h"
#include "load/parts_toml.h"
#include "load/settings_toml.h"
#include "load/source_text.h"
#include "model/check.h"

namespace gradus {
namespace {

using namespace dimension;

class SceneReader {
 public:
  SceneReader(std::string path, const LoadOptions& options)
      : options_(options), field_(scene_, options_, places_, log_), robots_(scene_, options_, places_, log_) {
    scene_.file = std::move(path);
  }

  Result<SceneSpec> read(const std::optional<toml::table>& file) {
    if (file) {
      TableReader top(*file, log_);
      const toml::table *world = top.table("world"), *field = top.table("field"), *robots = top.table("robot"),
                        *contact = top.table("contact"), *pitch = top.table("pitch"), *groups = top.table("group");
      top.finish("a scene");
      if (world != nullptr) read_world(*world);
      if (contact != nullptr) read_pairs(*contact);
      if (pitch != nullptr) field_.read_pitch(*pitch);
      if (groups != nullptr) read_groups(*groups, scene_, places_, log_);
      add_pitches(scene_);
      if (field != nullptr) field_.read_objects(*field);
      if (robots != nullptr) robots_.read_all(*robots);
      read_settings();
      Diagnostics faults = check_scene(scene_, [this](const std::string& path) { return places_.of(path); });
      log_.insert(log_.end(), faults.begin(), faults.end());
    }
    if (scene_.name.empty()) scene_.name = std::filesystem::path(scene_.file).stem().string();
    Diagnostics notes = tidy(std::move(log_), scene_.file);
    if (has_errors(notes)) return notes;
    return {std::move(scene_), std::move(notes)};
  }

  Diagnostics& log() { return log_; }

 private:
  void read_world(const toml::table& table) {
    TableReader t(table, log_);
    places_.note("world", t.place(), true);
    t.text("name", scene_.name);
    t.text("about", scene_.about);
    note(t, "step", t.period("step", scene_.step));
    note(t, "duration", t.quantity("duration", kTime, scene_.duration));
    note(t, "log", t.period("log", scene_.log_period));
    std::int64_t seed = 0;
    if (t.integer("seed", 0, std::numeric_limits<std::int64_t>::max(), seed))
      scene_.seed = static_cast<std::uint64_t>(seed);
    note(t, "volumes", t.text("volumes", scene_.volumes));
    read_gravity(t);
    if (const toml::table* contact = t.table("contact")) read_contact(*contact);
    std::vector<std::string> names;
    std::vector<Place> name_places;
    t.texts("include", names, name_places);
    t.texts("settings", settings_, setting_places_);
    t.finish("[world]");
    for (std::size_t i = 0; i < names.size(); ++i) field_.include(names[i], scene_.file, name_places[i]);
  }

  /// After everything else, so that every path is there.
  void read_settings() {
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      const std::string path = find_file(settings_[i], scene_.file, "settings", options_, setting_places_[i], log_);
      if (path.empty()) continue;
      auto lines = load_settings(path);
      append(log_, lines.notes());
      if (lines) apply_settings(scene_, *lines, log_);
    }
  }

  void note(const TableReader& t, const std::string& key, bool good) {
    if (t.has(key)) places_.note("world." + key, t.place(key), good);
  }

  /// "9.81 m/s^2" points down; three values are a vector.
  void read_gravity(TableReader& t) {
    const toml::node* node = t.get("gravity");
    if (node == nullptr) return;
    bool good = false;
    if (node->is_array()) {
      good = t.vec3("gravity", kAcceleration, scene_.gravity);
    } else {
      double g = 0;
      good = t.quantity("gravity", kAcceleration, g);
      if (good) scene_.gravity = {0, 0, -g};
    }
    note(t, "gravity", good);
  }

  void read_contact(const toml::table& table) {
    TableReader t(table, log_);
    ContactSpec& c = scene_.contact;
    const auto keep = [&](const char* key, bool good) {
      if (t.has(key)) places_.note(std::string("world.contact.") + key, t.place(key), good);
    };
    keep("law", t.text("law", c.law));
    keep("stiffness", t.quantity("stiffness", kStiffness, c.stiffness));
    keep("damping", t.quantity("damping", kDamping, c.damping));
    keep("tangential_stiffness", t.quantity("tangential_stiffness", kStiffness, c.tangential_stiffness));
    keep("tangential_damping", t.quantity("tangential_damping", kDamping, c.tangential_damping));
    keep("depth", t.quantity("depth", kLength, c.depth));
    c.given = t.has("stiffness") || t.has("damping") || t.has("tangential_stiffness") || t.has("tangential_damping");
    if (c.given && t.has("depth"))
      t.fault(t.place("depth"), "depth and stiffness or damping are two ways to say the same", "give one of them");
    keep("friction", t.number("friction", c.friction));
    keep("restitution", t.number("restitution", c.restitution));
    keep("rolling", t.quantity("rolling", kLength, c.rolling));
    keep("torsion", t.quantity("torsion", kLength, c.torsion));
    keep("s_c", t.quantity("s_c", kStiffness, c.spring.s_c));
    keep("s_b", t.number("s_b", c.spring.s_b));
    keep("s_mu", t.quantity("s_mu", kSlowness, c.spring.s_mu));
    keep("s_nu", t.quantity("s_nu", kLengthTime, c.spring.s_nu));
    keep("moving_stiffness", t.quantity("moving_stiffness", kStiffness, c.moving_stiffness));
    keep("moving_damping", t.quantity("moving_damping", kDamping, c.moving_damping));
    c.moving_given = t.has("moving_stiffness") || t.has("moving_damping");
    keep("impact_speed", t.quantity("impact_speed", kSpeed, c.impact_speed));
    keep("recovery_speed", t.quantity("recovery_speed", kSpeed, c.recovery_speed));
    keep("sleep_speed", t.quantity("sleep_speed", kSpeed, c.sleep_speed));
    keep("sleep_after", t.quantity("sleep_after", kTime, c.sleep_after));
    t.finish("contact");
  }

  /// [[contact.pair]]
  void read_pairs(const toml::table& table) {
    TableReader t(table, log_);
    const toml::node* pairs = t.get("pair");
    t.finish("[contact]; the law and its numbers belong to [world] contact");
    const toml::array* list = pairs != nullptr ? pairs->as_array() : nullptr;
    if (list == nullptr || !list->is_array_of_tables()) {
      if (pairs != nullptr)
        log_.push_back(
            {place_of(*pairs), Severity::error, "pair: a list of tables is due here", "write [[contact.pair]]"});
      return;
    }
    for (const toml::node& n : *list) read_pair(*n.as_table());
  }

  void read_pair(const toml::table& table) {
    TableReader t(table, log_);
    std::vector<std::string> names;
    std::vector<Place> places;
    t.texts("materials", names, places);
    const std::size_t before = log_.size();
    ContactPairSpec p;
    p.place = t.place();
    double x = 0;
    if (t.number("friction", x)) p.friction = x;
    if (t.quantity("stiffness", kStiffness, x)) p.stiffness = x;
    if (t.quantity("damping", kDamping, x)) p.damping = x;
    if (t.number("restitution", x)) p.restitution = x;
    if (t.quantity("rolling", kLength, x)) p.rolling = x;
    if (t.quantity("torsion", kLength, x)) p.torsion = x;
    t.finish("a pair of materials");
    if (names.size() != 2) {
      t.fault(t.place("materials"), "a pair has two materials", "write materials = [\"rubber\", \"grass\"]");
    } else if (log_.size() == before) {
      p.a = names[0], p.b = names[1];
      scene_.contact.pairs.push_back(std::move(p));
    }
  }

  const LoadOptions options_;
  SceneSpec scene_;
  Diagnostics log_;
  std::vector<std::string> settings_;  // files, applied at the end
  std::vector<Place> setting_places_;
  ScenePlaces places_;
  FieldReader field_;
  InstanceReader robots_;
};

}  // namespace

Result<SceneSpec> load_scene(const std::string& path, const LoadOptions& options) {
  SceneReader reader(path, options);
  return reader.read(read_toml(path, reader.log()));
}

Result<SceneSpec> parse_scene(std::string_view text, const std::string& path, const LoadOptions& options) {
  SceneReader reader(path, options);
  return reader.read(parse_toml(text, path, reader.log()));
}

}  // namespace gradus

#include "load/scene_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "load/field_toml.h"
#include "load/group_toml.h"
#include "load/instance_toml.h"
#include "load/parts_toml.h"
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
      const toml::table *world = top.table("world"), *field = top.table("field"), *robots = top.table("robot");
      const toml::table *pitch = top.table("pitch"), *groups = top.table("group");
      top.finish("a scene");
      if (world != nullptr) read_world(*world);
      if (pitch != nullptr) field_.read_pitch(*pitch);
      if (groups != nullptr) read_groups(*groups, scene_, places_, log_);
      if (field != nullptr) field_.read_objects(*field);
      if (robots != nullptr) robots_.read_all(*robots);
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
    read_gravity(t);
    if (const toml::table* contact = t.table("contact")) read_contact(*contact);
    std::vector<std::string> names;
    std::vector<Place> name_places;
    t.texts("include", names, name_places);
    t.finish("[world]");
    for (std::size_t i = 0; i < names.size(); ++i) field_.include(names[i], scene_.file, name_places[i]);
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
    keep("friction", t.number("friction", c.friction));
    keep("restitution", t.number("restitution", c.restitution));
    t.finish("contact");
  }

  const LoadOptions options_;
  SceneSpec scene_;
  Diagnostics log_;
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

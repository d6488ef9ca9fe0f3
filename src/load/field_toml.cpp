#include "load/field_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "load/source_text.h"

namespace gradus {

std::optional<Place> ScenePlaces::of(const std::string& path) const {
  std::string p = path;
  const std::size_t first = p.find('.'), second = first == std::string::npos ? first : p.find('.', first + 1);
  if (first != std::string::npos) {
    const std::string head = p.substr(0, second), name = head.substr(first + 1);
    const auto it = alias_.find(name);
    if (it != alias_.end() && !places_.contains(head)) p.replace(first + 1, name.size(), it->second);
  }
  for (;;) {
    const auto it = places_.find(p);
    if (it != places_.end()) return it->second;
    const std::size_t dot = p.rfind('.');
    if (dot == std::string::npos) return Place{};
    p.resize(dot);
  }
}

void FieldReader::include(const std::string& name, const std::string& from, const Place& place) {
  const std::string path = find_file(name, from, "fields", options_, place, log_);
  if (path.empty()) return;
  if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
    log_.push_back({place, Severity::error,
                    "include: " + in_quotes(name) + " includes itself, directly or through others",
                    "remove one include"});
  } else if (open_.size() >= kMaxIncludeDepth) {
    log_.push_back({place, Severity::error,
                    fmt::format("include: files include each other more than {} deep", kMaxIncludeDepth), ""});
  } else if (std::find(done_.begin(), done_.end(), path) == done_.end()) {
    open_.push_back(path);
    done_.push_back(path);
    read_file(path);
    open_.pop_back();
  }
}

void FieldReader::read_file(const std::string& path) {
  const std::optional<toml::table> file = read_toml(path, log_);
  if (!file) return;
  TableReader top(*file, log_);
  std::string about;
  top.text("about", about);
  std::vector<std::string> names;
  std::vector<Place> places;
  top.texts("include", names, places);
  const toml::table *field = top.table("field"), *pitch = top.table("pitch");
  top.finish("a field file");
  for (std::size_t i = 0; i < names.size(); ++i) include(names[i], path, places[i]);
  if (pitch != nullptr) read_pitch(*pitch);
  if (field != nullptr) read_objects(*field);
}

void FieldReader::read_pitch(const toml::table& table) {
  TableReader t(table, log_);
  PitchSpec p;
  p.place = t.place();
  if (scene_.pitch) t.fault(p.place, "pitch: there is one already", "a scene has one pitch; remove one");
  places_.note("pitch", p.place, true);
  const auto length = [&](const char* key, double& x) {
    if (t.has(key)) places_.note(std::string("pitch.") + key, t.place(key), t.quantity(key, dimension::kLength, x));
  };
  length("length", p.length);
  length("width", p.width);
  length("goal_width", p.goal_width);
  length("goal_depth", p.goal_depth);
  length("corner", p.corner);
  length("centre_radius", p.centre_radius);
  length("area_width", p.area_width);
  length("area_depth", p.area_depth);
  length("penalty_mark", p.penalty_mark);
  length("wall_height", p.wall_height);
  t.finish("[pitch]");
  scene_.pitch = p;
  for (FieldObjectSpec& f : pitch_objects(p)) scene_.field.push_back(std::move(f));
}

void FieldReader::read_objects(const toml::table& table) {
  for (const NamedTable& f : in_file_order(table)) {
    if (const toml::table* t = f.node->as_table()) {
      read_object(f.name, *t, f.place);
    } else {
      log_.push_back({f.place, Severity::error, "field: a table is due here", "write [field." + f.name + "]"});
    }
  }
}

void FieldReader::read_object(const std::string& name, const toml::table& table, const Place& place) {
  TableReader t(table, log_);
  FieldObjectSpec f;
  f.name = name;
  const std::string path = "field." + name;
  places_.note(path, place, true);
  if (const toml::node* shape = t.get("shape")) {
    places_.note(path + ".shape", place_of(*shape), read_shape(*shape, meshes_, f.shape, log_));
  } else {
    t.fault(place, "field object " + in_quotes(name) + " has no shape",
            "add shape = \"plane\" or shape = { box = [...] }");
    places_.note(path + ".shape", place, false);
  }
  if (const toml::table* pose = t.table("pose")) {
    PoseReading p;
    places_.note(path + ".pose", place_of(*pose), read_pose(*pose, false, p, log_));
    const Vec3 rpy = p.roll_pitch_yaw;
    f.X_WO = {to_matrix(from_roll_pitch_yaw(rpy.x, rpy.y, rpy.z)), p.p};
  }
  if (t.has("colour")) places_.note(path + ".colour", t.place("colour"), true);
  read_colour(t, f.colour);
  if (const toml::table* surface = t.table("surface")) {
    places_.note(path + ".surface", place_of(*surface), read_surface(*surface, f.surface, log_));
  }
  if (t.has("goal")) places_.note(path + ".goal", t.place("goal"), t.text("goal", f.goal));
  t.finish("a field object");
  scene_.field.push_back(std::move(f));
}

}  // namespace gradus

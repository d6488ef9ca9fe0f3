#include "load/group_toml.h"

#include "load/sensor_toml.h"

namespace gradus {
namespace {

using namespace dimension;

class GroupReader {
 public:
  GroupReader(const NamedTable& named, const toml::table& table, ScenePlaces& places, Diagnostics& log)
      : path_("group." + named.name), places_(places), log_(log), t_(table, log) {
    g_.name = named.name;
    g_.place = named.place;
    places_.note(path_, named.place, true);
  }

  GroupSpec read() {
    for (const auto& [key, x] : {std::pair{"motion", &g_.motion},
                                 {"preset", &g_.preset},
                                 {"tyres", &g_.tyres},
                                 {"impact", &g_.impact},
                                 {"blue", &g_.blue},
                                 {"yellow", &g_.yellow},
                                 {"sides", &g_.sides}})
      keep(t_, key, t_.text(key, *x));
    if (t_.has("at")) read_at();
    double x = 0;
    if (keep(t_, "friction", t_.number("friction", x))) g_.friction = x;
    if (keep(t_, "brake", t_.quantity("brake", kTorque, x))) g_.brake = x;
    if (const toml::table* referee = t_.table("referee")) read_referee(*referee);
    if (const toml::table* camera = t_.table("camera")) g_.camera = read_group_camera(*camera, g_.name, log_);
    if (const toml::table* firasim = t_.table("firasim")) read_firasim(*firasim);
    t_.finish("[" + path_ + "]");
    return std::move(g_);
  }

 private:
  bool keep(const TableReader& t, const std::string& key, bool good, const std::string& inside = "") {
    if (t.has(key)) places_.note(path_ + "." + inside + key, t.place(key), good);
    return good;
  }

  void read_at() {
    double at[2];
    const toml::node* node = t_.get("at");
    if (keep(t_, "at", read_quantities(*node, "at", kLength, 2, at, log_))) g_.at = {at[0], at[1], 0};
  }

  void read_referee(const toml::table& table) {
    TableReader t(table, log_);
    RefereeSpec& r = g_.referee.emplace();
    keep(t, "pause", t.quantity("pause", kTime, r.pause), "referee.");
    keep(t, "still_speed", t.quantity("still_speed", kSpeed, r.still_speed), "referee.");
    keep(t, "still_time", t.quantity("still_time", kTime, r.still_time), "referee.");
    keep(t, "half", t.quantity("half", kTime, r.half), "referee.");
    t.finish("a referee");
  }

  void read_firasim(const toml::table& table) {
    TableReader t(table, log_);
    FirasimSpec& f = g_.firasim;
    std::vector<Place> where;
    if (t.has("vision")) {
      f.vision.clear();
      keep(t, "vision", t.texts("vision", f.vision, where), "firasim.");
    }
    for (const auto& [key, x] : {std::pair{"commands", &f.commands},
                                 {"referee", &f.referee},
                                 {"placement", &f.placement},
                                 {"interface", &f.interface}})
      keep(t, key, t.text(key, *x), "firasim.");
    keep(t, "rate", t.period("rate", f.period), "firasim.");
    keep(t, "watchdog", t.quantity("watchdog", kTime, f.watchdog), "firasim.");
    t.finish("firasim");
  }

  std::string path_;
  ScenePlaces& places_;
  Diagnostics& log_;
  TableReader t_;
  GroupSpec g_;
};

}  // namespace

void read_groups(const toml::table& groups, SceneSpec& scene, ScenePlaces& places, Diagnostics& log) {
  for (const NamedTable& g : in_file_order(groups)) {
    if (const toml::table* t = g.node->as_table()) {
      scene.groups.push_back(GroupReader(g, *t, places, log).read());
    } else {
      log.push_back({g.place, Severity::error, "group: a table is due here", "write [group." + g.name + "]"});
    }
  }
}

}  // namespace gradus

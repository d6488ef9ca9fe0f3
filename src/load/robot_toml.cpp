#include "load/robot_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <queue>
#include <utility>

#include "load/object_toml.h"
#include "load/sensor_toml.h"
#include "load/servo_toml.h"
#include "load/source_text.h"
#include "load/urdf.h"
#include "model/check.h"

namespace gradus {
namespace {

class RobotReader {
 public:
  RobotReader(std::string path, const LoadOptions& options) : options_(options), meshes_{spec_.meshes, options_, {}} {
    spec_.file = std::move(path);
  }

  Result<RobotSpec> read(std::optional<toml::table> main) {
    if (main) {
      open_.push_back(spec_.file);
      collect(std::move(*main), spec_.file);
      read_head();
      for (const File& f : files_) read_shared(*f.table);
      read_objects();
      for (const File& f : files_) sensors_.read_file(*f.table);
      for (const File& f : files_) read_loops(*f.table);
      place_in_tree();
      Diagnostics faults = check(spec_, [this](ObjectId o, const char* property) { return place(o, property); });
      log_.insert(log_.end(), faults.begin(), faults.end());
    }
    Diagnostics notes = tidy(std::move(log_), spec_.file);
    if (has_errors(notes)) return notes;
    return {std::move(spec_), std::move(notes)};
  }

  Diagnostics& log() { return log_; }

 private:
  struct File {
    std::unique_ptr<toml::table> table;
    std::string path;
  };

  /// Included files first, so that the including file can build on them.
  void collect(toml::table table, const std::string& path) {
    auto owned = std::make_unique<toml::table>(std::move(table));
    if (const toml::table* robot = (*owned)["robot"].as_table()) {
      TableReader t(*robot, log_);
      std::vector<std::string> names;
      std::vector<Place> places;
      t.texts("include", names, places);
      for (std::size_t i = 0; i < names.size(); ++i) include(names[i], path, places[i]);
    }
    files_.push_back({std::move(owned), path});
  }

  void include(const std::string& name, const std::string& from, const Place& place) {
    const std::string path = find_file(name, from, "robots", options_, place, log_);
    if (path.empty()) return;
    if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
      fault(place, "include: " + in_quotes(name) + " includes itself, directly or through others",
            "remove one include");
    } else if (open_.size() > kMaxIncludeDepth) {
      fault(place, fmt::format("include: files include each other more than {} deep", kMaxIncludeDepth), "");
    } else if (std::none_of(files_.begin(), files_.end(), [&](const File& f) { return f.path == path; })) {
      open_.push_back(path);
      if (std::optional<toml::table> table = read_toml(path, log_)) collect(std::move(*table), path);
      open_.pop_back();
    }
  }

  /// [robot] of the main file, the last of files_. Included files may have one for their own includes only.
  void read_head() {
    for (const File& f : files_) {
      const bool is_main = &f == &files_.back();
      TableReader top(*f.table, log_);
      const toml::table* robot = top.table("robot");
      top.get("defaults"), top.get("servo"), top.get("object"), top.get("sensor"), top.get("sensor_type"), top.get("loop");
      top.finish("a robot file");
      if (robot != nullptr) {
        TableReader t(*robot, log_);
        t.get("include");
        if (is_main) read_robot(t);
        t.finish(is_main ? "[robot]" : "[robot] of an included file");
      } else if (is_main && !top.has("robot")) {
        fault({spec_.file, 1, 1}, "the file has no [robot] table", "begin with [robot] and name = \"…\"");
        broken_robot_.push_back("name");
      }
    }
  }

  void read_robot(TableReader& t) {
    if (t.text("name", spec_.name)) {
      robot_places_["name"] = t.place("name");
    } else {
      if (!t.has("name")) fault(t.place(), "the robot has no name", "add name = \"…\"");
      broken_robot_.push_back("name");
    }
    t.text("about", spec_.about);
    std::string root = "free";
    const bool read = t.text("root", root), known = root == "free" || root == "fixed";
    if (read && !known) {
      fault(t.place("root"), "root: " + in_quotes(root) + " is neither \"free\" nor \"fixed\"",
            did_you_mean(root, {"free", "fixed"}));
    }
    // what is wrong is taken as fixed, which asks for less
    spec_.root = root == "fixed" || !known || read != t.has("root") ? RootKind::fixed : RootKind::free;
    std::vector<Place> places;
    t.texts("feet", spec_.feet, places);
    robot_places_["feet"] = t.place("feet");
  }

  void read_shared(const toml::table& file) {
    if (const toml::node* node = file.get("defaults")) read_defaults(*node);
    const toml::node* servos = file.get("servo");
    if (servos == nullptr) return;
    if (!servos->is_table()) return fault(place_of(*servos), "servo: tables [servo.NAME] are due here", "");
    for (const NamedTable& s : in_file_order(*servos->as_table())) {
      const toml::table* table = s.node->as_table();
      if (table == nullptr) {
        fault(s.place, "servo: a table is due here", "write [servo." + s.name + "]");
      } else if (!defaults_.servos.emplace(s.name, read_named_servo(*table)).second) {
        fault(s.place, "servo " + in_quotes(s.name) + " is described twice", "give every servo its own name");
      }
    }
  }

  void read_defaults(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return fault(place_of(node), "defaults: a table is due here", "");
    TableReader t(*table, log_);
    if (const toml::table* servo = t.table("servo")) defaults_.servo = read_named_servo(*servo);
    if (const toml::table* surface = t.table("surface")) read_surface(*surface, defaults_.surface, log_);
    read_colour(t, defaults_.colour);
    t.finish("[defaults]");
  }

  NamedServo read_named_servo(const toml::table& table) {
    NamedServo s;
    s.kind = kind_of_servo(table);
    read_any_servo(table, s.kind, options_, s.servo, s.drive, log_);
    return s;
  }

  void read_objects() {
    ObjectReader reader(defaults_, meshes_, log_);
    for (const File& f : files_) {
      const toml::node* node = f.table->get("object");
      if (node == nullptr) continue;
      if (!node->is_array_of_tables()) {
        fault(place_of(*node), "object: tables [[object]] are due here", "write [[object]], with two brackets");
        broken_robot_.push_back("");
        continue;
      }
      std::string previous;
      bool first = true;
      for (const toml::node& o : *node->as_array()) {
        if (reader.drafts().size() == kMaxObjects)
          return fault(place_of(o), fmt::format("the robot has more than {} objects", kMaxObjects), "");
        reader.read(*o.as_table(), first ? nullptr : &previous);
        previous = reader.drafts().back().object.name;
        first = false;
      }
    }
    drafts_ = std::move(reader.drafts());
  }

  void read_loops(const toml::table& file) {
    const toml::node* loops = file.get("loop");
    if (loops == nullptr) return;
    if (!loops->is_array_of_tables())
      return fault(place_of(*loops), "loop: tables [[loop]] are due here", "write [[loop]], with two brackets");
    for (const toml::node& node : *loops->as_array()) {
      TableReader t(*node.as_table(), log_);
      LoopSpec l;
      l.place = place_of(node);
      l.name = fmt::format("loop{}", spec_.loops.size() + 1);
      t.text("name", l.name);
      std::vector<std::string> ends;
      std::vector<Place> places;
      const bool read = t.texts("between", ends, places);
      if (ends.size() == 2)
        l.a = ends[0], l.b = ends[1];
      else if (read || !t.has("between"))
        fault(l.place, "loop: two objects are due", "write between = [\"rod\", \"crank\"]");
      std::string hold = "ball";
      t.text("hold", hold);
      const auto known = std::find(std::begin(kLoopHolds), std::end(kLoopHolds), hold);
      if (known == std::end(kLoopHolds))
        fault(t.place("hold"), "hold: there is no " + in_quotes(hold), did_you_mean(hold, {"ball", "hinge", "weld"}));
      else
        l.hold = static_cast<LoopHold>(known - std::begin(kLoopHolds));
      t.vec3("at", dimension::kLength, l.at);
      if (Vec3 meets{}; t.vec3("meets", dimension::kLength, meets)) l.meets = meets;
      if (l.hold == LoopHold::hinge && !t.axis("axis", l.axis) && !t.has("axis"))
        fault(l.place, "loop: a hinge needs its axis", "add axis = [0, 1, 0], in the frame of the first object");
      if (l.hold != LoopHold::ball) t.quantity("width", dimension::kLength, l.width);
      t.finish("[[loop]]");
      if (ends.size() == 2) spec_.loops.push_back(std::move(l));
    }
  }

  /// Resolves `after` and sorts parents first; among those whose parents are placed, the first described goes first.
  void place_in_tree() {
    const std::vector<int> parent = resolve_parents();
    std::vector<std::vector<int>> successors(drafts_.size());
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (std::size_t i = 0; i < parent.size(); ++i) {
      if (parent[i] >= 0)
        successors[static_cast<std::size_t>(parent[i])].push_back(static_cast<int>(i));
      else
        ready.push(static_cast<int>(i));
    }
    std::vector<int> number(drafts_.size(), -1);  // in the sorted order
    while (!ready.empty()) {
      const auto i = static_cast<std::size_t>(ready.top());
      ready.pop();
      number[i] = static_cast<int>(order_.size());
      order_.push_back(i);
      for (const int s : successors[i]) ready.push(s);
    }
    report_circles(parent, number);
    for (std::size_t i = 0; i < number.size(); ++i) {
      if (number[i] < 0) order_.push_back(i);
    }
    for (const std::size_t i : order_) {
      ObjectSpec& o = drafts_[i].object;
      o.parent = parent[i] >= 0 ? ObjectId(number[static_cast<std::size_t>(parent[i])]) : ObjectId();
      spec_.objects.push_back(o);
    }
  }

  std::vector<int> resolve_parents() {
    std::unordered_map<std::string, int> index;
    std::vector<std::string> names;
    for (const ObjectDraft& d : drafts_) {
      index.emplace(d.object.name, static_cast<int>(names.size()));
      names.push_back(d.object.name);
    }
    std::vector<int> parent(drafts_.size(), -1);
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      ObjectDraft& d = drafts_[i];
      if (d.after.empty()) continue;
      const auto it = index.find(d.after);
      if (it != index.end()) {
        parent[i] = it->second;
      } else {
        const std::optional<Place>& written = d.places["after"];
        fault(written ? *written : d.object.place, "after: there is no object " + in_quotes(d.after),
              did_you_mean(d.after, names));
        d.places["after"] = std::nullopt;
      }
    }
    return parent;
  }

  /// Objects that were never placed hang in or behind a circle; each circle is reported once.
  void report_circles(const std::vector<int>& parent, const std::vector<int>& number) {
    std::vector<std::size_t> walk(parent.size(), 0);  // number of the walk that came by first
    for (std::size_t start = 0; start < parent.size(); ++start) {
      if (number[start] >= 0) continue;
      const std::optional<Place> at = drafts_[start].places["after"];
      drafts_[start].places["after"] = std::nullopt;
      std::size_t k = start;
      while (walk[k] == 0) {
        walk[k] = start + 1;
        k = static_cast<std::size_t>(parent[k]);
      }
      if (walk[k] != start + 1) continue;
      std::string circle = drafts_[k].object.name;
      std::size_t length = 0;
      for (std::size_t i = static_cast<std::size_t>(parent[k]); i != k && ++length < 10;
           i = static_cast<std::size_t>(parent[i])) {
        circle += " after " + drafts_[i].object.name;
      }
      fault(at ? *at : drafts_[start].object.place,
            fmt::format("the objects follow each other in a circle: {} after {}", circle, drafts_[k].object.name),
            "let one of them follow an object outside the circle");
    }
  }

  std::optional<Place> place(ObjectId object, const std::string& property) const {
    if (!object) {
      if (one_of(broken_robot_, property)) return std::nullopt;
      const auto it = robot_places_.find(property);
      return it != robot_places_.end() ? it->second : Place{spec_.file, 0, 0};
    }
    const ObjectDraft& d = drafts_[order_[static_cast<std::size_t>(object.value)]];
    const auto it = d.places.find(property);
    return it != d.places.end() ? it->second : d.object.place;
  }

  void fault(Place place, std::string text, std::string suggestion) {
    log_.push_back({std::move(place), Severity::error, std::move(text), std::move(suggestion)});
  }

  const LoadOptions options_;
  RobotSpec spec_;
  ShapeMeshes meshes_;
  Diagnostics log_;
  std::vector<std::string> open_;  // files being read, to find circles of includes
  std::vector<File> files_;        // included ones first, the main one last
  RobotDefaults defaults_;
  SensorReader sensors_{spec_.sensors, log_};
  std::vector<ObjectDraft> drafts_;  // in the order of the files
  std::vector<std::size_t> order_;   // drafts in the order of spec_.objects
  std::map<std::string, Place> robot_places_;
  std::vector<std::string> broken_robot_;  // properties of [robot] already reported
};

}  // namespace

Result<RobotSpec> load_robot_toml(const std::string& path, const LoadOptions& options) {
  RobotReader reader(path, options);
  return reader.read(read_toml(path, reader.log()));
}

Result<RobotSpec> parse_robot_toml(std::string_view text, const std::string& path, const LoadOptions& options) {
  RobotReader reader(path, options);
  return reader.read(parse_toml(text, path, reader.log()));
}

Result<RobotSpec> load_robot(const std::string& path, const LoadOptions& options) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".xacro")
    return Diagnostics{{{path, 0, 0},
                        Severity::error,
                        "this is a xacro file: macros that make a URDF file",
                        "expand it first: xacro " + path + " > robot.urdf"}};
  // what is in .xml and .sdf files is seen at their outermost element
  for (const char* xml : {".urdf", ".xml", ".sdf", ".mjcf", ".world"})
    if (extension == xml) return load_urdf(path);
  return load_robot_toml(path, options);
}

}  // namespace gradus

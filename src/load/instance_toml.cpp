#include "load/instance_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "load/gait_toml.h"
#include "load/plan_options.h"
#include "load/robot_toml.h"
#include "load/scene_toml.h"
#include "load/sensor_toml.h"
#include "load/servo_toml.h"
#include "load/source_text.h"
#include "model/check.h"

namespace gradus {

using namespace dimension;

namespace {

bool has_ground(const SceneSpec& scene) {
  return std::any_of(scene.field.begin(), scene.field.end(), [](const FieldObjectSpec& f) {
    return f.shape.kind == ShapeKind::plane || f.shape.kind == ShapeKind::height_field;
  });
}

bool can_stand(const RobotSpec& robot) { return robot.root == RootKind::free && touches_anything(robot); }

}  // namespace

void InstanceReader::fault(const Place& place, std::string text, std::string suggestion) {
  log_.push_back({place, Severity::error, std::move(text), std::move(suggestion)});
}

void InstanceReader::read_all(const toml::table& robots) {
  for (const NamedTable& r : in_file_order(robots)) {
    if (const toml::table* t = r.node->as_table()) {
      read_one(r, *t);
    } else {
      fault(r.place, "robot: a table is due here", "write [robot." + r.name + "]");
    }
  }
}

void InstanceReader::read_one(const NamedTable& named, const toml::table& table) {
  TableReader t(table, log_);
  path_ = "robot." + named.name;
  overridden_.clear();
  places_.note(path_, named.place, true);
  const Draft* like = read_like(t);
  Draft draft = like != nullptr ? *like : Draft{};
  RobotInstanceSpec& r = draft.instance;
  r.name = named.name;
  r.place = named.place;
  draft.sound = read_model(t, draft);
  read_base(t, r);
  read_start(t, r);
  if (t.text("motion", r.motion)) places_.note(path_ + ".motion", t.place("motion"), true);
  if (t.text("group", r.group)) places_.note(path_ + ".group", t.place("group"), true);
  if (t.text("team", r.team)) places_.note(path_ + ".team", t.place("team"), true);
  if (t.has("motion") && !r.group.empty())
    fault(t.place("motion"), "motion: its group says how it moves", "remove it, or remove group");
  t.boolean("self_contact", r.self_contact);
  if (t.text("commands", r.commands) && r.commands != "position" && r.commands != "impedance") {
    fault(t.place("commands"), "commands: there is no way " + in_quotes(r.commands) + " to command joints",
          did_you_mean(r.commands, {"position", "impedance"}));
    r.commands = "position";
  }
  if (const toml::table* scatter = t.table("scatter")) read_scatter(*scatter, r);
  read_joints(t, r);
  read_servos(t, r);
  SensorReader(r.robot.sensors, log_).read_instance(t, options_);
  read_sees(t, r);
  std::vector<Place> feet;
  if (t.texts("feet", r.robot.feet, feet)) overridden_[{0, "feet"}] = t.place("feet");
  if (t.has("sensors")) overridden_[{0, "sensors"}] = t.place("sensors");  // a set must fit the robot
  read_controller(t, r);
  read_serial(t, r);
  t.get("copies");
  t.finish("[robot." + named.name + "]");
  if (draft.sound) {
    recheck(r);
    check_controller_file(r);
    add_copies(t, r);
  }
  drafts_.emplace(named.name, std::move(draft));
}

const InstanceReader::Draft* InstanceReader::read_like(TableReader& t) {
  std::string name;
  if (!t.text("like", name)) return nullptr;
  const auto it = drafts_.find(name);
  if (it != drafts_.end()) return &it->second;
  std::vector<std::string> names;
  for (const auto& [key, value] : drafts_) names.push_back(key);
  fault(t.place("like"), "like: there is no robot " + in_quotes(name) + " before this one", did_you_mean(name, names));
  return nullptr;
}

bool InstanceReader::read_model(TableReader& t, Draft& draft) {
  std::string name;
  if (!t.text("model", name)) {
    if (!t.has("model") && !t.has("like"))
      fault(draft.instance.place, "robot " + in_quotes(draft.instance.name) + " has no model",
            "add model = \"robots/kidsize.toml\"");
    return draft.sound && !t.has("model");
  }
  const Place place = t.place("model");
  const std::string path = find_file(name, place.file, "robots", options_, place, log_);
  if (path.empty()) return false;
  const std::optional<RobotSpec>& spec = model(path);
  if (spec) draft.instance.robot = *spec;
  return spec.has_value();
}

/// Each file is read once, and its problems are reported once.
const std::optional<RobotSpec>& InstanceReader::model(const std::string& path) {
  const auto [it, fresh] = models_.emplace(path, std::nullopt);
  if (fresh) {
    Result<RobotSpec> r = load_robot(path, options_);
    log_.insert(log_.end(), r.notes().begin(), r.notes().end());
    if (r) it->second = std::move(*r);
  }
  return it->second;
}

/// base = "fixed": bolted to the world where the pose puts it, whatever the robot's file says; or "free".
void InstanceReader::read_base(TableReader& t, RobotInstanceSpec& r) {
  std::string word;
  if (!t.text("base", word)) return;
  const std::optional<RootKind> root = root_kind(word);
  if (!root) return fault(t.place("base"), "base: " + in_quotes(word) + " is neither fixed nor free", "");
  r.robot.root = *root;
  if (*root == RootKind::fixed) r.on_ground = false;
  overridden_[{0, "mass"}] = t.place("base");  // a free base needs one
}

/// sees = ["ball", "team"]: ground truth of others, as a sensor of that name.
void InstanceReader::read_sees(TableReader& t, RobotInstanceSpec& r) {
  std::vector<std::string> words;
  std::vector<Place> places;
  if (!t.texts("sees", words, places)) return;
  SensorSpec s;
  s.name = "sees", s.kind = "objects", s.place = t.place("sees");
  s.settings = {{"sees", {}, std::move(words), {}, s.place},
                {"ideal", {1}, {}, dimension::kNumber, s.place},
                {"occlusion", {0}, {}, dimension::kNumber, s.place}};
  std::erase_if(r.robot.sensors, [](const SensorSpec& x) { return x.name == "sees"; });
  if (!s.settings[0].words.empty()) r.robot.sensors.push_back(std::move(s));
}

void InstanceReader::read_start(TableReader& t, RobotInstanceSpec& r) {
  const bool ground = has_ground(scene_) && can_stand(r.robot);
  if (const toml::table* pose = t.table("pose")) {
    PoseReading p;
    places_.note(path_ + ".pose", place_of(*pose), read_pose(*pose, true, p, log_));
    r.p_WB = p.p;
    r.q_WB = from_roll_pitch_yaw(p.roll_pitch_yaw.x, p.roll_pitch_yaw.y, p.roll_pitch_yaw.z);
    r.on_ground = p.on_ground_given ? p.on_ground : ground && !p.z_given;
  } else if (!t.has("like")) {
    r.on_ground = ground;
  }
  if (const toml::table* velocity = t.table("velocity")) read_velocity(*velocity, r);
}

void InstanceReader::read_velocity(const toml::table& table, RobotInstanceSpec& r) {
  TableReader t(table, log_);
  const std::size_t before = log_.size();
  r.v_WB = r.w_WB = {0, 0, 0};
  t.quantity("x", kSpeed, r.v_WB.x);
  t.quantity("y", kSpeed, r.v_WB.y);
  t.quantity("z", kSpeed, r.v_WB.z);
  t.quantity("wx", kAngularSpeed, r.w_WB.x);
  t.quantity("wy", kAngularSpeed, r.w_WB.y);
  t.quantity("wz", kAngularSpeed, r.w_WB.z);
  t.finish("a velocity");
  places_.note(path_ + ".velocity", t.place(), log_.size() == before);
}

/// scatter = { distance = "2 mm", yaw = "10 deg" }: the start moved at random, by the seed.
void InstanceReader::read_scatter(const toml::table& table, RobotInstanceSpec& r) {
  TableReader t(table, log_);
  r.scatter = r.scatter_yaw = 0;
  t.quantity("distance", kLength, r.scatter);
  t.quantity("yaw", kAngle, r.scatter_yaw);
  if (!(r.scatter >= 0 && r.scatter_yaw >= 0)) fault(t.place(), "scatter must not be negative", "");
  t.finish("scatter");
}

/// joints = { left_knee = "30 deg" }: where they are at the start.
void InstanceReader::read_joints(TableReader& t, RobotInstanceSpec& r) {
  const toml::table* joints = t.table("joints");
  if (joints == nullptr || r.robot.objects.empty()) return;
  for (const NamedTable& j : in_file_order(*joints)) {
    const ObjectId id = r.robot.find_joint(j.name);
    if (!id) {
      fault(j.place, "'" + r.robot.name + "' has no joint " + in_quotes(j.name),
            did_you_mean(j.name, r.robot.joint_names()));
      continue;
    }
    ObjectSpec& o = r.robot.objects[static_cast<std::size_t>(id.value)];
    if (read_quantity(*j.node, j.name, JointUnits::of(o.kind).q, o.initial, log_))
      overridden_[{id.value, "initial"}] = j.place;
  }
}

/// servo = { all = { kp = … }, left_knee = { torque = … } }: numbers that differ from the robot's file.
void InstanceReader::read_servos(TableReader& t, RobotInstanceSpec& r) {
  const toml::table* servos = t.table("servo");
  if (servos == nullptr || r.robot.objects.empty()) return;
  std::vector<NamedTable> sorted = in_file_order(*servos);
  std::stable_partition(sorted.begin(), sorted.end(), [](const NamedTable& n) { return n.name == "all"; });
  for (const NamedTable& s : sorted) read_servo_of(s, r);
}

void InstanceReader::read_servo_of(const NamedTable& named, RobotInstanceSpec& r) {
  const toml::table* table = named.node->as_table();
  const bool file = named.node->is_string();  // a servo file
  if (table == nullptr && !file)
    return fault(place_of(*named.node), named.name + ": a table or a servo file is due here",
                 "write e.g. { kp = \"60 N m/rad\" }");
  const ObjectKind kind = file ? ObjectKind::revolute : kind_of_servo(*table);
  bool reported = false, used = false;
  for (std::size_t i = 0; i < r.robot.objects.size(); ++i) {
    ObjectSpec& o = r.robot.objects[i];
    if (!o.is_joint() || (named.name != "all" && o.name != named.name)) continue;
    if (named.name == "all" && o.kind != kind) continue;
    used = true;
    Diagnostics ignored;  // the same table read again for the next joint
    if (!read_servo_node(*named.node, o, reported ? ignored : log_))
      reported = true;
    else
      overridden_[{static_cast<int>(i), "servo"}] = named.place;
  }
  if (!used)
    fault(named.place, "'" + r.robot.name + "' has no joint " + in_quotes(named.name),
          did_you_mean(named.name, r.robot.joint_names()));
}

bool InstanceReader::read_servo_node(const toml::node& node, ObjectSpec& o, Diagnostics& log) {
  if (const toml::table* table = node.as_table())
    return read_any_servo(*table, o.kind, options_, o.servo, o.drive, log);
  DriveSpec drive;
  if (!read_chain_file(node.ref<std::string>(), place_of(node), options_, drive, log)) return false;
  o.drive = std::move(drive);
  return true;
}

/// The robot's file was sound, so whatever is wrong now was overridden here.
void InstanceReader::recheck(const RobotInstanceSpec& r) {
  if (overridden_.empty()) return;
  const Diagnostics faults = check(r.robot, [this](ObjectId o, const char* property) -> std::optional<Place> {
    const auto it = overridden_.find({o.value, property});
    return it != overridden_.end() ? std::optional<Place>(it->second) : std::nullopt;
  });
  log_.insert(log_.end(), faults.begin(), faults.end());
}

void InstanceReader::read_controller(TableReader& t, RobotInstanceSpec& r) {
  const toml::node* node = t.get("controller");
  if (node == nullptr) return;
  const std::size_t before = log_.size();
  r.controller = ControllerSpec{};
  r.controller.place = place_of(*node);
  if (const toml::table* table = node->as_table()) {
    read_controller_table(*table, r.controller);
  } else if (!node->is_string() || node->ref<std::string>() != "none") {
    fault(place_of(*node), "controller: a table or \"none\" is due here",
          "write e.g. { keyframes = \"motions/kidsize_walk.toml\" }");
  }
  places_.note(path_ + ".controller", r.controller.place, log_.size() == before);
}

void InstanceReader::read_controller_table(const toml::table& table, ControllerSpec& c) {
  TableReader t(table, log_);
  struct Kind {
    const char *key, *folder;
  };
  std::string file;
  int given = 0;
  for (const Kind& k : {Kind{"keyframes", "motions"}, Kind{"walk", "motions"}, Kind{"policy", "motions"}, Kind{"gait", "gaits"},
                        Kind{"plan", "gaits"}, Kind{"library", "controllers"}, Kind{"process", "controllers"}}) {
    if (t.has(k.key)) ++given;
    if (t.text(k.key, file))
      c.kind = k.key, c.file = find_file(file, t.place(k.key).file, k.folder, options_, t.place(k.key), log_);
  }
  given += read_address(t, "tcp", c) + read_address(t, "lola", c) + read_address(t, "naoqi", c);
  if (given != 1) {
    fault(t.place(), given > 1 ? "the controller is two things at once" : "the controller does not say what it is",
          "give one of keyframes = \"….toml\", walk = \"….toml\", gait = \"….toml\", plan = \"….toml\", policy = \"….json\", library = \"….so\", process = \"….py\" and tcp = 4000");
  }
  if (c.file.empty()) c.kind = "none";  // reported; a copy of this robot need not say so again
  const bool rate = t.period("rate", c.period), period = t.period("period", c.period);
  if (rate && period) fault(t.place("period"), "rate and period are the same thing", "give one of them");
  t.quantity("start", kTime, c.start);
  t.boolean("loop", c.loop);
  t.text("options", c.options);
  t.boolean("stabilise", c.stabilise);
  t.boolean("steer", c.steer);
  if (const toml::node* program = t.get("program")) read_program(*program, c);
  if (t.has("plan")) read_plan(t, c);
  if (given == 1) refuse_foreign_keys(t);
  t.finish("a controller");
}

/// goal = { x = "2 m", y = "0 m", yaw = "90 deg" }, stride = "8 cm", footholds = "….json": what a planned way wants [plan_options.h].
void InstanceReader::read_plan(TableReader& t, ControllerSpec& c) {
  PlanOptions o;
  if (const toml::table* table = t.table("goal")) {
    TableReader g(*table, log_);
    for (const char* key : {"x", "y"})
      if (!g.has(key)) fault(g.place(), fmt::format("'{}' is missing", key), fmt::format("add {} = \"0 m\"", key));
    g.quantity("x", kLength, o.x), g.quantity("y", kLength, o.y);
    if (double yaw = 0; g.quantity("yaw", kAngle, yaw)) o.yaw = yaw;
    g.finish("a goal");
  } else if (!t.has("goal")) {
    fault(t.place(), "a plan needs a goal", "add goal = { x = \"2 m\", y = \"0 m\" }");
  }
  if (t.quantity("stride", kLength, o.stride) && !(o.stride >= 0.005 && o.stride <= 2))
    fault(t.place("stride"), "stride must be within 5 mm and 2 m", "");
  if (t.text("footholds", o.footholds) && o.footholds != "none") {
    o.footholds = find_file(o.footholds, t.place("footholds").file, "gaits", options_, t.place("footholds"), log_);
    if (o.footholds.find(',') != std::string::npos) fault(t.place("footholds"), "the name of this file must not hold a comma", "move it");
  }
  c.options = to_text(o);
}

/// tcp = 4000 or "0.0.0.0:4000", lola = "/tmp/robocup": where programs find the robot. Is it there?
bool InstanceReader::read_address(TableReader& t, const char* key, ControllerSpec& c) {
  const toml::node* node = t.get(key);
  if (node == nullptr) return false;
  c.kind = key;
  if (node->is_string())
    c.file = node->ref<std::string>();
  else if (std::int64_t port = 0; t.integer(key, 0, 65535, port))
    c.file = std::to_string(port);
  return true;
}

/// serial = { bus = "dynamixel2", baud = "1 MBd", port = "auto", model = "xm430" }: joints as servos on a serial line.
void InstanceReader::read_serial(TableReader& scene_table, RobotInstanceSpec& r) {
  const toml::table* table = scene_table.table("serial");
  if (table == nullptr) return;
  if (scene_table.has("controller"))
    fault(place_of(*table), "serial: a controller drives this robot already", "remove one of them");
  TableReader t(*table, log_);
  r.controller = ControllerSpec{};
  r.controller.kind = "dynamixel", r.controller.file = "auto", r.controller.period = scene_.step;
  r.controller.place = place_of(*table);
  r.commands = "impedance";
  std::string bus, model;
  t.text("bus", bus);
  t.text("port", r.controller.file);
  if (bus != "dynamixel1" && bus != "dynamixel2")
    fault(t.place(), "serial: there is no bus " + in_quotes(bus), "bus is dynamixel1 or dynamixel2");
  if (!t.text("model", model)) model = bus == "dynamixel1" ? "mx28" : "xm430";
  r.controller.options = "model=" + model;
  for (const char* key : {"baud", "options"})
    if (std::string text; t.text(key, text)) r.controller.options += (key[0] == 'b' ? ",baud=" : ",") + text;
  t.finish("a serial line");
}

/// A key of another kind of controller.
void InstanceReader::refuse_foreign_keys(TableReader& t) {
  struct Owner {
    const char *key, *of;
  };
  for (const Owner& o :
       {Owner{"loop", "keyframes"}, Owner{"stabilise", "walk"}})
    if (t.has(o.key) && !t.has(o.of)) fault(t.place(o.key), fmt::format("{} is for {} only", o.key, o.of), "remove it");
  for (const char* key : {"goal", "stride", "footholds"})
    if (t.has(key) && !t.has("plan")) fault(t.place(key), fmt::format("{} is for plans only", key), "remove it");
  if (t.has("steer") && !t.has("walk") && !t.has("gait")) fault(t.place("steer"), "steer is for walk and gait only", "remove it");
  if (t.has("program") && !t.has("walk") && !t.has("policy") && !t.has("gait"))
    fault(t.place("program"), "program is for walks, gaits and policies only", "remove it");
  for (const char* key : {"rate", "period"})
    if (t.has(key) && t.has("policy"))
      fault(t.place(key), fmt::format("a policy has the {} that it was learned with", key), "remove it");
  if (t.has("options") && !t.has("library") && !t.has("process") && !t.has("tcp") && !t.has("lola") && !t.has("naoqi"))
    fault(t.place("options"), "options is for libraries, programs and links only", "remove it");
}

/// program = [ { forward = "9.5 cm/s", steps = 12 }, … ]: what a walk does, one part after the other.
void InstanceReader::read_program(const toml::node& node, ControllerSpec& c) {
  const toml::array* parts = node.as_array();
  if (parts == nullptr)
    return fault(place_of(node), "program: an array is due here", "write [ { forward = \"10 cm/s\", steps = 10 } ]");
  for (const toml::node& part : *parts) {
    const toml::table* table = part.as_table();
    if (table == nullptr) {
      fault(place_of(part), "program: a table is due here", "write { forward = \"10 cm/s\", steps = 10 }");
      continue;
    }
    TableReader t(*table, log_);
    WalkCommand w;
    std::int64_t steps = 0;
    t.quantity("forward", kSpeed, w.forward);
    t.quantity("side", kSpeed, w.side);
    t.quantity("turn", kAngularSpeed, w.turn);
    t.integer("steps", 1, 1'000'000, steps);
    t.finish("a part of a walk");
    w.steps = static_cast<int>(steps);
    c.program.push_back(w);
  }
}

/// Does the robot fit the controller's file?
void InstanceReader::check_controller_file(const RobotInstanceSpec& r) {
  const ControllerSpec& c = r.controller;
  if (c.kind == "keyframes") check_against(c.file, motions_, load_motion, check_motion, r);
  if (c.kind == "walk") check_against(c.file, walks_, load_walk, check_walk, r);
  if (c.kind == "gait" || c.kind == "plan") append(log_, load_gait(c.file).notes());
  if (c.kind == "policy") check_against(c.file, policies_, load_policy, check_policy, r);
}

/// Each file is read once, and its problems are reported once.
template <class File>
void InstanceReader::check_against(const std::string& path, std::map<std::string, std::optional<File>>& known,
                                   Result<File> (*load)(const std::string&),
                                   Diagnostics (*check)(const File&, const RobotSpec&, const Place&),
                                   const RobotInstanceSpec& r) {
  const auto [it, fresh] = known.emplace(path, std::nullopt);
  if (fresh) {
    Result<File> f = load(path);
    log_.insert(log_.end(), f.notes().begin(), f.notes().end());
    if (f) it->second = std::move(*f);
  }
  if (!it->second) return;
  const Diagnostics faults = check(*it->second, r.robot, r.controller.place);
  log_.insert(log_.end(), faults.begin(), faults.end());
}

void InstanceReader::add_copies(TableReader& scene_table, const RobotInstanceSpec& r) {
  const toml::table* table = scene_table.table("copies");
  std::int64_t count = 1, per_row = 0, per_layer = 0;
  double dx = 0, dy = 0, dz = 0;
  if (table != nullptr) {
    TableReader t(*table, log_);
    if (!t.integer("count", 1, kMaxRobots, count) && !t.has("count"))
      fault(t.place(), "'count' is missing", "add count = 10");
    per_row = per_layer = count;
    t.integer("per_row", 1, kMaxRobots, per_row);
    t.integer("per_layer", 1, kMaxRobots, per_layer);
    t.quantity("dx", kLength, dx);
    t.quantity("dy", kLength, dy);
    t.quantity("dz", kLength, dz);
    t.finish("copies");
  }
  for (std::int64_t k = 0; k < count; ++k) {
    if (scene_.robots.size() == kMaxRobots)
      return fault(r.place, fmt::format("the scene has more than {} robots", kMaxRobots));
    RobotInstanceSpec copy = r;
    if (table != nullptr) {
      copy.name = r.name + std::to_string(k + 1);
      copy.p_WB.x += dx * static_cast<double>(k % per_row);
      copy.p_WB.y += dy * static_cast<double>(k % per_layer / per_row);
      copy.p_WB.z += dz * static_cast<double>(k / per_layer);
      places_.alias(copy.name, r.name);
    }
    scene_.robots.push_back(std::move(copy));
  }
}

}  // namespace gradus

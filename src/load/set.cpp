#include "load/set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "load/gait_toml.h"
#include "load/parts_toml.h"
#include "load/source_text.h"
#include "load/terrain.h"
#include "model/check.h"
#include "model/parameters.h"

namespace gradus {
namespace {

using namespace dimension;

/// Something that can be set: a number with a unit, or a word.
struct Target {
  Dimension due;
  std::function<void(double)> number;
  std::function<void(const std::string&)> word;
  bool period = false;  // a rate is as good as a time
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  std::vector<std::string> words = {};  // the only ones; none: check() knows
};
using Targets = std::map<std::string, Target>;

Target quantity(Dimension due, double& x) {
  return {due, [&x](double v) { x = v; }, nullptr};
}
Target period(double& x) {
  return {kTime, [&x](double v) { x = v; }, nullptr, true};
}
/// A row of the table of parameters.
Target parameter(const ParameterText& p, const char* unit, std::function<void(double)> set) {
  Quantity one;
  if (*unit) (void)parse_unit(unit, one);
  return {one.dimension, std::move(set), nullptr, false, p.lower, p.upper};
}

Targets targets_of_world(SceneSpec& s) {
  Targets t{
      {"step", period(s.step)},
      {"duration", quantity(kTime, s.duration)},
      {"log", period(s.log_period)},
      {"contact.law", {kNumber, nullptr, [&s](const std::string& w) { s.contact.law = w; }}},
      {"volumes", {kNumber, nullptr, [&s](const std::string& w) { s.volumes = w; }}},
  };
  for (const WorldParameter& p : world_parameters())
    t[p.name] = parameter(p, p.unit, [&s, &p](double x) {
      Surroundings all{s.gravity, s.contact};
      p.set(all, x);
      s.gravity = all.gravity, s.contact = all.contact;
    });
  return t;
}

Target turn(RobotInstanceSpec& r, double Vec3::*part) {
  return {kAngle,
          [&r, part](double angle) {
            Vec3 rpy = to_roll_pitch_yaw(r.q_WB);
            rpy.*part = angle;
            r.q_WB = from_roll_pitch_yaw(rpy.x, rpy.y, rpy.z);
          },
          nullptr};
}

/// A base that is bolted down stays where its pose puts it; one that is set free stands on the ground.
Target base_kind(RobotInstanceSpec& r) {
  Target t{kNumber, nullptr, [&r](const std::string& w) {
             r.robot.root = *root_kind(w);
             r.on_ground =
                 r.robot.root == RootKind::free && (r.on_ground || r.p_WB.z == 0) && touches_anything(r.robot);
           }};
  t.words = {"fixed", "free"};
  return t;
}

Targets targets_of_robot(RobotInstanceSpec& r) {
  Targets t{
      {"motion", {kNumber, nullptr, [&r](const std::string& w) { r.motion = w; }}},
      {"base", base_kind(r)},
      {"pose.x", quantity(kLength, r.p_WB.x)},
      {"pose.y", quantity(kLength, r.p_WB.y)},
      {"pose.z", {kLength, [&r](double z) { r.p_WB.z = z, r.on_ground = false; }, nullptr}},
      {"pose.roll", turn(r, &Vec3::x)},
      {"pose.pitch", turn(r, &Vec3::y)},
      {"pose.yaw", turn(r, &Vec3::z)},
      {"controller.rate", period(r.controller.period)},
      {"controller.start", quantity(kTime, r.controller.start)},
  };
  const bool plans = r.controller.kind == "plan";
  const auto append_setting = [&r](const std::string& name, double x) { r.controller.options += fmt::format("{}{}={}", r.controller.options.empty() ? "" : ",", name, x); };
  if (plans) {  // the last one counts [plan_options.h]
    for (const char* name : {"goal.x", "goal.y"}) t[name] = {kLength, [append_setting, name](double x) { append_setting(name, x); }, nullptr};
    t["goal.yaw"] = {kAngle, [append_setting](double x) { append_setting("goal.yaw", x); }, nullptr};
    t["stride"] = {kLength, [append_setting](double x) { append_setting("stride", x); }, nullptr, false, 0.005, 2};
  }
  if (r.controller.kind == "gait" || plans)  // after the gait's file [gait_toml.h]
    for (const GaitNumber& n : gait_numbers())
      t[std::string("gait.") + n.name] = {n.unit, [append_setting, &n](double x) { append_setting(n.name, x); },
                                          nullptr, false, n.low, n.high};
  for (const RobotParameter& p : robot_parameters())
    if (p.get(r.robot, {})) t[p.name] = parameter(p, p.unit, [&r, &p](double x) { p.set(r.robot, x); });
  if (const auto sensing = t.find("sensing"); sensing != t.end()) {
    sensing->second.word = [&r](const std::string& w) { set_sensing(r.robot.sensors, sensing_level(w)); };
    sensing->second.words.assign(std::begin(kSensingNames), std::end(kSensingNames));
  }
  return t;
}

Targets targets_of_object(ObjectSpec& o) {
  Targets t;
  if (o.is_joint()) t["q"] = quantity(JointUnits::of(o.kind).q, o.initial);
  for (const ObjectParameter& p : object_parameters())
    if (p.get(o, {})) t[p.name] = parameter(p, unit_of(p, o), [&o, &p](double x) { p.set(o, x); });
  return t;
}

std::vector<std::string> names_of(const Targets& targets) {
  std::vector<std::string> names;
  for (const auto& [name, target] : targets) names.push_back(name);
  return names;
}

/// One assignment to a copy of the scene.
class Assignment {
 public:
  Assignment(SceneSpec& scene, std::string text) : scene_(scene), text_(std::move(text)) {}

  Diagnostics run() {
    const std::size_t equals = text_.find('=');
    if (equals == std::string::npos) {
      fault("there is no '='", "write PATH=VALUE, e.g. world.step=\"2 ms\"");
      return std::move(out_);
    }
    path_ = trimmed(text_.substr(0, equals));
    value_ = trimmed(text_.substr(equals + 1));
    const std::size_t dot = path_.find('.');
    const std::string head = path_.substr(0, dot), tail = dot == std::string::npos ? "" : path_.substr(dot + 1);
    if (head == "world")
      set_world(tail);
    else
      set_robot(head, tail);
    return std::move(out_);
  }

 private:
  static std::string trimmed(const std::string& s) {
    const std::size_t a = s.find_first_not_of(" \t\""), b = s.find_last_not_of(" \t\"");
    return a == std::string::npos ? "" : s.substr(a, b - a + 1);
  }

  void fault(std::string text, std::string suggestion) {
    out_.push_back({{"--set " + text_, 0, 0}, Severity::error, std::move(text), std::move(suggestion)});
  }

  void keep(const Diagnostics& faults) {
    for (const Diagnostic& d : faults) {
      if (d.severity == Severity::error) fault(d.text, d.suggestion);
    }
  }

  void set_world(const std::string& property) {
    if (property == "seed") return set_seed();
    Targets targets = targets_of_world(scene_);
    targets["seed"];  // for the suggestion
    if (set(targets, property, "the world has no property ")) keep(check_scene(scene_, nullptr));
  }

  void set_seed() { whole_number(scene_.seed); }

  bool whole_number(std::uint64_t& out) {
    const char* end = value_.data() + value_.size();
    const auto [rest, error] = std::from_chars(value_.data(), end, out);
    if (error == std::errc() && rest == end) return true;
    fault(in_quotes(value_) + " is not a seed", "give a whole number, 0 or more");
    return false;
  }

  void set_robot(const std::string& name, const std::string& tail) {
    std::vector<std::string> names{"world"};
    RobotInstanceSpec* found = nullptr;
    for (RobotInstanceSpec& r : scene_.robots) {
      names.push_back(r.name);
      if (r.name == name) found = &r;
    }
    if (found == nullptr && set_field(name, tail, names)) return;
    if (found == nullptr) return fault("there is no robot " + in_quotes(name), did_you_mean(name, names));
    Targets own = targets_of_robot(*found);
    if (own.contains(tail)) {
      if (!set(own, tail, "")) return;
      keep(check_scene(scene_, nullptr));
      keep(check(found->robot));
      return;
    }
    set_object(*found, tail, names_of(own));
  }

  /// Numbers of generated terrain, which is made again. False: it is no field object that has any.
  bool set_field(const std::string& name, const std::string& tail, std::vector<std::string>& names) {
    for (const FieldObjectSpec& f : scene_.field) {
      if (f.shape.map < 0 || !scene_.maps[static_cast<std::size_t>(f.shape.map)].terrain) continue;
      names.push_back(f.name);
      if (f.name != name) continue;
      HeightMapSpec& map = scene_.maps[static_cast<std::size_t>(f.shape.map)];
      TerrainSpec terrain = *map.terrain;
      Targets targets{{"terrain.difficulty", quantity(kNumber, terrain.difficulty)},
                      {"terrain.start", quantity(kLength, terrain.start)},
                      {"terrain.cell", quantity(kLength, terrain.cell)},
                      {"terrain.size", {kLength, [&terrain](double x) { terrain.size[0] = terrain.size[1] = x; }, nullptr}}};
      if (tail == "terrain.seed") {
        if (!whole_number(terrain.seed)) return true;
      } else {
        targets["terrain.seed"];  // for the suggestion
        if (!set(targets, tail, "field object " + in_quotes(name) + " has no number ")) return true;
      }
      for (const TerrainFault& wrong : faults_of(terrain)) fault(std::string(wrong.key) + ": " + wrong.text, wrong.suggestion);
      if (out_.empty()) map.grid = make_terrain(terrain), map.terrain = terrain;
      return true;
    }
    return false;
  }

  void set_object(RobotInstanceSpec& r, const std::string& tail, std::vector<std::string> names) {
    const std::size_t dot = tail.find('.');
    const std::string name = tail.substr(0, dot), property = dot == std::string::npos ? "" : tail.substr(dot + 1);
    const ObjectId id = r.robot.find(name);
    if (!id && name == "all") return set_all_joints(r, property);
    for (SensorSpec& s : r.robot.sensors)  // a sensor may have the name of the object that carries it
      if (s.name == name && !(id && targets_of_object(r.robot.objects[static_cast<std::size_t>(id.value)]).contains(property)))
        return set_sensor(s, property);
    if (!id) {
      for (const ObjectSpec& o : r.robot.objects) names.push_back(o.name);
      for (const SensorSpec& s : r.robot.sensors) names.push_back(s.name);
      const bool of_robot = name == "pose" || name == "controller" || name == "gait" || name == "goal";
      return fault("robot '" + r.name + "' has no object or property " + in_quotes(of_robot ? tail : name),
                   did_you_mean(of_robot ? tail : name, names));
    }
    Targets targets = targets_of_object(r.robot.objects[static_cast<std::size_t>(id.value)]);
    if (set(targets, property, "object '" + name + "' has no property ")) keep(check(r.robot));
  }

  /// Its kind says later whether there is such a number, and with which unit.
  void set_sensor(SensorSpec& s, const std::string& property) {
    SensorSetting setting{property, {}, {}, {}, {"--set " + text_, 0, 0}};
    Quantity q;
    if (!value_.empty() && std::string_view("+-.0123456789").find(value_[0]) == std::string_view::npos) {
      setting.words = {value_};
    } else if (const auto wrong = parse_quantity(value_, q)) {
      return fault(wrong->text, wrong->suggestion);
    } else {
      setting.numbers = {q.value};
      setting.unit = q.dimension;
    }
    s.settings.push_back(std::move(setting));
  }

  /// all.kp: the servos of all joints, as servo = { all = … } of a scene. Revolute joints if there are any, as units
  /// differ.
  void set_all_joints(RobotInstanceSpec& r, const std::string& property) {
    auto& objects = r.robot.objects;
    const auto is = [](ObjectKind kind) { return [kind](const ObjectSpec& o) { return o.kind == kind; }; };
    const bool turns = std::any_of(objects.begin(), objects.end(), is(ObjectKind::revolute));
    const ObjectKind kind = turns ? ObjectKind::revolute : ObjectKind::prismatic;
    if (std::none_of(objects.begin(), objects.end(), is(kind)))
      return fault("robot '" + r.name + "' has no joints", "");
    for (ObjectSpec& o : objects) {
      if (o.kind != kind) continue;
      Targets targets = targets_of_object(o);
      if (!set(targets, property, "joint '" + o.name + "' has no property ")) return;
    }
    keep(check(r.robot));
  }

  bool set(Targets& targets, const std::string& property, const std::string& complaint) {
    const auto it = targets.find(property);
    if (it == targets.end()) {
      fault(complaint + in_quotes(property), did_you_mean(property, names_of(targets)));
      return false;
    }
    const Target& target = it->second;
    const bool is_number = !value_.empty() && std::string_view("+-.0123456789").find(value_[0]) != std::string_view::npos;
    if (target.word && !(target.number && is_number)) {
      if (!target.words.empty() && std::find(target.words.begin(), target.words.end(), value_) == target.words.end()) {
        fault(in_quotes(value_) + " is not possible here", fmt::format("write {}", fmt::join(target.words, " or ")));
        return false;
      }
      target.word(value_);
      return true;
    }
    Quantity q;
    double x = 0;
    if (target.period && !parse_quantity(value_, q) && q.dimension == kFrequency && q.value > 0) {
      target.number(1 / q.value);
      return true;
    }
    if (const auto wrong = parse_quantity(value_, target.due, x)) {
      fault(wrong->text, wrong->suggestion);
      return false;
    }
    if (const std::string wrong = range_fault(target.lower, target.upper, unit_of(target.due).c_str(), x);
        !wrong.empty()) {
      fault("it " + wrong, "");
      return false;
    }
    target.number(x);
    return true;
  }

  SceneSpec& scene_;
  std::string text_, path_, value_;
  Diagnostics out_;
};

}  // namespace

bool apply_set(SceneSpec& scene, const std::string& assignment, Diagnostics& out) {
  SceneSpec copy = scene;
  const Diagnostics faults = Assignment(copy, assignment).run();
  out.insert(out.end(), faults.begin(), faults.end());
  if (has_errors(faults)) return false;
  scene = std::move(copy);
  return true;
}

}  // namespace gradus

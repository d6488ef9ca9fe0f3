#include "world/properties.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "world/stability.h"

namespace gradus {
namespace {

using Read = double (*)(const World&, int, int);
using Write = std::string (*)(World&, int, int, double);

struct Decl {
  const char *name, *unit, *about;
  Read read;
  Write write = nullptr;
  PropertyType type = PropertyType::number;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

const RobotKind& kind_of(const World& w, int robot) { return *w.model().robots[static_cast<std::size_t>(robot)].kind; }
const ObjectInfo& object_of(const World& w, int robot, int i) {
  return kind_of(w, robot).objects[static_cast<std::size_t>(i)];
}
std::size_t joint_of(const World& w, int robot, int object) {
  return static_cast<std::size_t>(object_of(w, robot, object).joint);
}

template <int I>
double read_q(const World& w, int r, int) {
  return w.q(r)[I];
}
template <int I>
double read_v(const World& w, int r, int) {
  return w.v(r)[I];
}
constexpr const char* kNotFinite = "the robot's state is not finite";
std::string write_q(World& w, int r, std::size_t i, double x) {
  std::vector<double> q(w.q(r).begin(), w.q(r).end());
  q[i] = x;
  return w.set_q(r, q) ? "" : kNotFinite;
}
std::string write_v(World& w, int r, std::size_t i, double x) {
  std::vector<double> v(w.v(r).begin(), w.v(r).end());
  v[i] = x;
  return w.set_v(r, v) ? "" : kNotFinite;
}
template <int I>
std::string set_q(World& w, int r, int, double x) {
  return write_q(w, r, I, x);
}
template <int I>
std::string set_v(World& w, int r, int, double x) {
  return write_v(w, r, I, x);
}

template <int I>
double read_rpy(const World& w, int r, int) {
  return component(to_roll_pitch_yaw(base_orientation(w.q(r).data())), I);
}
template <int I>
std::string set_rpy(World& w, int r, int, double x) {
  const Vec3 old = to_roll_pitch_yaw(base_orientation(w.q(r).data()));
  const Quat q = from_roll_pitch_yaw(I == 0 ? x : old.x, I == 1 ? x : old.y, I == 2 ? x : old.z);
  std::vector<double> all(w.q(r).begin(), w.q(r).end());
  set_base_pose(all.data(), base_position(all.data()), q);
  return w.set_q(r, all) ? "" : kNotFinite;
}
template <int I>
double read_com(const World& w, int r, int) {
  return component(w.centre_of_mass(r), I);
}
template <int I>
double read_momentum(const World& w, int r, int) {
  return component(w.momentum(r).l, I);
}
template <int I>
double read_object(const World& w, int r, int o) {
  return component(w.X_WO(r, o).p, I);
}
template <int I>
double read_object_rpy(const World& w, int r, int o) {
  return component(to_roll_pitch_yaw(to_quaternion(w.X_WO(r, o).R)), I);
}

template <auto Member>
double coupling(const World& w, int, int) {
  return double(w.report().coupling.*Member);
}

constexpr auto kWhole = PropertyType::whole;
constexpr auto kTruth = PropertyType::truth;

const Decl kWorld[] = {
    {"time", "s", "simulated time", [](const World& w, int, int) { return w.time(); }},
    {"k", "", "step number", [](const World& w, int, int) { return double(w.k()); }, nullptr, kWhole},
    {"step", "s", "length of a step", [](const World& w, int, int) { return w.model().step; }},
    {"robots", "", "number of robots", [](const World& w, int, int) { return double(w.robot_count()); }, nullptr,
     kWhole},
    {"unsettled", "", "steps in which a robot still met a limit after its last prediction",
     [](const World& w, int, int) { return double(w.report().unsettled); }, nullptr, kWhole},
    {"energy_error", "J", "energy since the start that work does not explain: negative is dissipated, rises are errors",
     [](const World& w, int, int) { return w.energy_error(); }},
    {"volume_tests", "", "tests between bounding volumes in the last look", coupling<&CouplingReport::volume_tests>,
     nullptr, kWhole},
    {"object_tests", "", "pairs of shapes that the narrow phase was asked about in the last look",
     coupling<&CouplingReport::object_tests>, nullptr, kWhole},
    {"contacts", "", "contacts that couple will solve in the next step", coupling<&CouplingReport::contacts>, nullptr,
     kWhole},
    {"islands", "", "groups of bodies that touch each other", coupling<&CouplingReport::islands>, nullptr, kWhole},
    {"second_passes", "", "islands predicted and solved again since the start", coupling<&CouplingReport::passes>,
     nullptr, kWhole},
    {"unsettled_islands", "", "solutions that did not reach their tolerance since the start",
     coupling<&CouplingReport::unsettled>, nullptr, kWhole},
    {"dropped_contacts", "", "contacts that did not fit since the start", coupling<&CouplingReport::dropped>, nullptr,
     kWhole},
};

const Decl kRobot[] = {
    {"x", "m", "base position", read_q<0>, set_q<0>},
    {"y", "m", "base position", read_q<1>, set_q<1>},
    {"z", "m", "base position", read_q<2>, set_q<2>},
    {"roll", "rad", "base orientation", read_rpy<0>, set_rpy<0>},
    {"pitch", "rad", "base orientation", read_rpy<1>, set_rpy<1>},
    {"yaw", "rad", "base orientation", read_rpy<2>, set_rpy<2>},
    {"wx", "rad/s", "base angular velocity", read_v<0>, set_v<0>},
    {"wy", "rad/s", "base angular velocity", read_v<1>, set_v<1>},
    {"wz", "rad/s", "base angular velocity", read_v<2>, set_v<2>},
    {"vx", "m/s", "base velocity", read_v<3>, set_v<3>},
    {"vy", "m/s", "base velocity", read_v<4>, set_v<4>},
    {"vz", "m/s", "base velocity", read_v<5>, set_v<5>},
    {"com_x", "m", "centre of mass", read_com<0>},
    {"com_y", "m", "centre of mass", read_com<1>},
    {"com_z", "m", "centre of mass", read_com<2>},
    {"px", "N s", "momentum", read_momentum<0>},
    {"py", "N s", "momentum", read_momentum<1>},
    {"pz", "N s", "momentum", read_momentum<2>},
    {"energy", "J", "kinetic and potential energy", [](const World& w, int r, int) { return w.energy(r); }},
    {"mass", "kg", "total mass", [](const World& w, int r, int) { return kind_of(w, r).mass; }},
    {"level", "", "level of detail of its motion", [](const World& w, int r, int) { return double(w.motion(r).level); },
     nullptr, kWhole},
    {"fallen", "", "tilted by more than 60 degrees", [](const World& w, int r, int) { return w.fallen(r) ? 1.0 : 0.0; },
     nullptr, kTruth},
    {"us_per_step", "us", "processor time of its share of a step",
     [](const World& w, int r, int) { return w.microseconds(r); }},
};

/// Only of robots with feet.
const Decl kStanding[] = {
    {"margin", "m", "stability: distance of the centre of mass from the nearest edge of the support polygon, seen from above; negative outside",
     [](const World& w, int r, int) { return stability_of(w, r).margin; }},
    {"energy_margin", "J", "stability: least energy that tips it over an edge of the support polygon; 0 outside",
     [](const World& w, int r, int) { return stability_of(w, r).energy; }},
};

const Decl kJoint[] = {
    {"q", "rad", "joint coordinate", [](const World& w, int r, int o) { return w.q(r)[7 + joint_of(w, r, o)]; },
     [](World& w, int r, int o, double x) { return write_q(w, r, 7 + joint_of(w, r, o), x); }},
    {"v", "rad/s", "joint velocity", [](const World& w, int r, int o) { return w.v(r)[6 + joint_of(w, r, o)]; },
     [](World& w, int r, int o, double x) { return write_v(w, r, 6 + joint_of(w, r, o), x); }},
    {"target", "rad", "what the controller asked for",
     [](const World& w, int r, int o) { return w.targets(r)[joint_of(w, r, o)]; },
     [](World& w, int r, int o, double x) {
       w.targets(r)[joint_of(w, r, o)] = x;
       return std::string();
     }},
};

/// Only where the drive computes it.
const Decl kDriven[] = {
    {"tau", "N m", "joint force of the last step",
     [](const World& w, int r, int o) { return w.tau(r)[joint_of(w, r, o)]; }},
};

/// Only where an actuator chain drives the joint.
const Decl kChained[] = {
    {"q_motor", "rad", "encoder on the motor, at the joint",
     [](const World& w, int r, int o) { return w.motor_angle(r, static_cast<int>(joint_of(w, r, o))); }},
    {"current", "A", "of the motor",
     [](const World& w, int r, int o) { return w.motor_current(r, static_cast<int>(joint_of(w, r, o))); }},
    {"voltage", "V", "at the motor's terminals in the last step",
     [](const World& w, int r, int o) { return w.motor_voltage(r, static_cast<int>(joint_of(w, r, o))); }},
    {"stiffness", "", "share of the controller's output that is used; 0 releases the motor",
     [](const World& w, int r, int o) { return w.stiffness(r)[joint_of(w, r, o)]; },
     [](World& w, int r, int o, double x) {
       w.stiffness(r)[joint_of(w, r, o)] = x;
       return std::string();
     },
     PropertyType::number, 0, 1},
};

const Decl kBody[] = {
    {"x", "m", "position", read_object<0>},
    {"y", "m", "position", read_object<1>},
    {"z", "m", "position", read_object<2>},
    {"roll", "rad", "orientation", read_object_rpy<0>},
    {"pitch", "rad", "orientation", read_object_rpy<1>},
    {"yaw", "rad", "orientation", read_object_rpy<2>},
};

/// Of pieces of a flexible link, which no description names.
const Decl kPiece[] = {{"mass", "kg", "mass", [](const World& w, int r, int o) { return object_of(w, r, o).mass; }}};

/// Only where the contact law runs.
const Decl kTouching[] = {
    {"fn", "N", "normal force from the ground on its link",
     [](const World& w, int r, int o) { return w.contact_force(r, object_of(w, r, o).link); }},
};

template <class Decls>
void add(std::vector<Property>& out, const std::string& prefix, const Decls& decls, int robot, int index,
         bool linear = false) {
  for (const Decl& d : decls) {
    const char* unit = d.unit;
    if (linear) {  // prismatic joints
      const std::string_view u = unit;
      unit = u == "rad"         ? "m"
             : u == "rad/s"     ? "m/s"
             : u == "N m"       ? "N"
             : u == "N m/rad"   ? "N/m"
             : u == "N m s/rad" ? "N s/m"
                                : unit;
    }
    out.push_back({prefix + d.name, {d.read, d.write, robot, index, d.type, unit, d.about, d.lower, d.upper}});
  }
}

// ---- parameters: an index counts rows of the table, object by object

const std::string& name_of(const World& w, int robot) { return w.model().robots[static_cast<std::size_t>(robot)].name; }

/// How the rows of one table are read and written.
struct Ways {
  Read read, original;
  Write write;
};
PropertyView parameter(const ParameterText& p, const char* unit, const Ways& ways, int robot, int index) {
  return {ways.read, ways.write, robot, index, PropertyType::number, unit, p.about, p.lower, p.upper, ways.original};
}

double read_world_parameter(const World& w, int, int i) {
  return world_parameters()[static_cast<std::size_t>(i)].get(w.surroundings());
}
double first_world_parameter(const World& w, int, int i) {
  return world_parameters()[static_cast<std::size_t>(i)].get(w.first_surroundings());
}
std::string write_world_parameter(World& w, int, int i, double x) {
  return w.set_parameter(std::string("world.") + world_parameters()[static_cast<std::size_t>(i)].name, x);
}

std::string path_of(const World& w, int robot, const RobotParameter& p) { return name_of(w, robot) + "." + p.name; }
double read_robot_parameter(const World& w, int r, int i) {
  const RobotParameter& p = robot_parameters()[static_cast<std::size_t>(i)];
  const std::optional<double> set = p.factor ? w.setting(path_of(w, r, p)) : std::nullopt;
  return set ? *set : *p.get(*w.spec(r), w.model().contact);
}
double first_robot_parameter(const World& w, int r, int i) {
  return *robot_parameters()[static_cast<std::size_t>(i)].get(*w.first_robot(r).spec, w.first_surroundings().contact);
}
std::string write_robot_parameter(World& w, int r, int i, double x) {
  return w.set_parameter(path_of(w, r, robot_parameters()[static_cast<std::size_t>(i)]), x);
}

struct ObjectRow {
  const ObjectSpec& object;
  const ObjectParameter& parameter;
};
ObjectRow object_row(const RobotSpec& robot, int i) {
  const auto n = object_parameters().size();
  return {robot.objects[static_cast<std::size_t>(i) / n], object_parameters()[static_cast<std::size_t>(i) % n]};
}
double read_object_parameter(const World& w, int r, int i) {
  const ObjectRow row = object_row(*w.spec(r), i);
  return *row.parameter.get(row.object, w.model().contact);
}
double first_object_parameter(const World& w, int r, int i) {
  const ObjectRow row = object_row(*w.first_robot(r).spec, i);
  return *row.parameter.get(row.object, w.first_surroundings().contact);
}
std::string write_object_parameter(World& w, int r, int i, double x) {
  const ObjectRow row = object_row(*w.spec(r), i);
  return w.set_parameter(name_of(w, r) + "." + row.object.name + "." + row.parameter.name, x);
}

constexpr Ways kOfWorld{read_world_parameter, first_world_parameter, write_world_parameter};
constexpr Ways kOfRobot{read_robot_parameter, first_robot_parameter, write_robot_parameter};
constexpr Ways kOfObject{read_object_parameter, first_object_parameter, write_object_parameter};

/// Does the robot's motion use it?
bool counts(Acts acts, const MotionNeeds& needs, bool grouped) {
  switch (acts) {
    case Acts::drives:
      return needs.uses_drives || grouped;
    case Acts::position:
      return needs.uses_drives && !needs.speed_targets;
    case Acts::joints:
      return !needs.speed_targets;
    case Acts::masses:
      return !needs.infinite_mass;
    case Acts::contacts:
      return true;  // other robots touch it whatever moves it
  }
  return false;
}

void add_world_parameters(std::vector<Property>& out) {
  for (std::size_t i = 0; i < world_parameters().size(); ++i) {
    const WorldParameter& p = world_parameters()[i];
    out.push_back({std::string("world.") + p.name, parameter(p, p.unit, kOfWorld, -1, static_cast<int>(i))});
  }
}

void add_robot_parameters(std::vector<Property>& out, const World& w, int r, const MotionNeeds& needs) {
  for (std::size_t i = 0; w.spec(r) && i < robot_parameters().size(); ++i) {
    const RobotParameter& p = robot_parameters()[i];
    if (counts(p.acts, needs, w.motion(r).grouped) && p.get(*w.spec(r), w.model().contact))
      out.push_back({path_of(w, r, p), parameter(p, p.unit, kOfRobot, r, static_cast<int>(i))});
  }
}

/// object: of the description. A joint that shares its coordinate has no drive of its own.
void add_object_parameters(std::vector<Property>& out, const World& w, int r, int object, const MotionNeeds& needs,
                           bool shared) {
  const std::span<const ObjectParameter> table = object_parameters();
  const ObjectSpec& o = w.spec(r)->objects[static_cast<std::size_t>(object)];
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ObjectParameter& p = table[i];
    if (!p.live || !p.get(o, w.model().contact) || !counts(p.acts, needs, w.motion(r).grouped)) continue;
    if (shared && (p.acts == Acts::drives || p.acts == Acts::position)) continue;
    const int index = object * static_cast<int>(table.size()) + static_cast<int>(i);
    out.push_back({name_of(w, r) + "." + o.name + "." + p.name, parameter(p, unit_of(p, o), kOfObject, r, index)});
  }
}

// ---- sensors: an index counts channels or keys, sensor by sensor

constexpr int kPerSensor = 1 << 16;

double read_sensor(const World& w, int r, int i) {
  return w.read(r, i / kPerSensor).values[static_cast<std::size_t>(i % kPerSensor)];
}
double read_sensor_truth(const World& w, int r, int i) {
  return w.read(r, i / kPerSensor).truth[static_cast<std::size_t>(i % kPerSensor)];
}

/// Numbers of a sensor that can be set while it runs: those that leave its memory as it is.
const sense::Key* key_of(const sense::SensorTable& table, int i) {
  const auto common = sense::common_keys();
  const auto n = static_cast<std::size_t>(i % kPerSensor);
  if (n < common.size()) return &common[n];
  return n - common.size() < table.keys.size() ? &table.keys[n - common.size()] : nullptr;
}
bool is_live(const sense::Key& key, const SensorSpec& spec, bool common) {
  const std::string_view name = key.name;
  if (name == "sensing") return spec.kind == "camera" || spec.kind == "objects";
  if (key.most != 1 || name == "rate" || name == "phase" || name == "delay" || name == "bits" || name == "per") return false;
  return common || spec.find(name) != nullptr;
}
double setting_of(const RobotSpec& robot, const World& w, int r, int i) {
  const sense::Sensor& s = w.sensors(r)[static_cast<std::size_t>(i / kPerSensor)];
  const sense::Key& key = *key_of(*s.table, i);
  for (const SensorSpec& spec : robot.sensors) {
    if (spec.name != s.name) continue;
    const SensorSetting* x = spec.find(key.name);
    if (!x || x->numbers.empty()) break;
    const bool same = std::all_of(x->numbers.begin(), x->numbers.end(), [&](double y) { return y == x->numbers[0]; });
    return same ? x->numbers[0] : std::numeric_limits<double>::quiet_NaN();
  }
  const std::string_view name = key.name;
  return name == "drift.time" ? 1000 : name == "ideal" ? s.ideal : name == "sensing" ? 3 : 0;
}
double read_setting(const World& w, int r, int i) { return setting_of(*w.spec(r), w, r, i); }
double first_setting(const World& w, int r, int i) { return setting_of(*w.first_robot(r).spec, w, r, i); }
std::string write_setting(World& w, int r, int i, double x) {
  const sense::Sensor& s = w.sensors(r)[static_cast<std::size_t>(i / kPerSensor)];
  return w.set_parameter(name_of(w, r) + "." + s.name + "." + key_of(*s.table, i)->name, x);
}

void add_sensors(std::vector<Property>& out, const World& w, int r) {
  const std::span<const sense::Sensor> sensors = w.sensors(r);
  for (std::size_t n = 0; n < sensors.size(); ++n) {
    const sense::Sensor& s = sensors[n];
    const std::string prefix = name_of(w, r) + "." + s.name + ".";
    const int first = static_cast<int>(n) * kPerSensor;
    for (int c = 0; c < s.count(); ++c) {
      const auto i = static_cast<std::size_t>(c);
      out.push_back({prefix + s.channels[i],
                     {read_sensor, nullptr, r, first + c, PropertyType::number, s.units[i], s.table->about.data()}});
      out.push_back({prefix + s.channels[i] + ".true",
                     {read_sensor_truth, nullptr, r, first + c, PropertyType::number, s.units[i], "what it measures"}});
    }
    const auto& specs = w.spec(r) ? w.spec(r)->sensors : std::vector<SensorSpec>{};
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const SensorSpec& x) { return x.name == s.name; });
    for (int k = 0; spec != specs.end(); ++k) {
      const sense::Key* key = key_of(*s.table, k);
      if (!key) break;
      if (!is_live(*key, *spec, k < static_cast<int>(sense::common_keys().size()))) continue;
      const char* unit = key->of_channel ? s.units[0] : unit_text(key->unit);
      out.push_back({prefix + key->name,
                     {read_setting, write_setting, r, first + k, PropertyType::number, unit, key->about, key->lower,
                      key->upper, first_setting}});
    }
  }
}

/// Score and clock of a group, by its name.
void add_group(std::vector<Property>& out, const World& w, int group) {
  for (const PrivateProperty& p : w.groups().motion(group).properties())
    out.push_back(
        {w.groups().model(group).spec.name + "." + p.name,
         {[](const World& x, int g, int i) { return x.section(g)[static_cast<std::size_t>(i)]; },
          [](World& x, int g, int i, double value) { return x.set_section_value(g, i, value), std::string(); }, group,
          p.index, PropertyType::number, p.unit, p.about}});
}

void add_object(std::vector<Property>& out, const World& w, int r, int o, const MotionNeeds& needs) {
  const RobotKind& kind = kind_of(w, r);
  const ObjectInfo& info = kind.objects[static_cast<std::size_t>(o)];
  const std::string prefix = name_of(w, r) + "." + info.name + ".";
  const Joint* joint = info.joint >= 0 ? &kind.joints[static_cast<std::size_t>(info.joint)] : nullptr;
  if (joint) {
    const bool linear = info.kind == ObjectKind::prismatic;
    const std::size_t first = out.size();
    add(out, prefix, kJoint, r, o, linear);
    for (std::size_t i = first; needs.speed_targets && i < out.size(); ++i)
      if (out[i].path == prefix + "target") out[i].view.unit = "rad/s", out[i].view.about = "commanded speed";
    if (needs.uses_drives) add(out, prefix, kDriven, r, o, linear);
    if (needs.uses_drives && joint->drive >= 0) add(out, prefix, kChained, r, o);
  }
  const ObjectId described = w.spec(r) ? w.spec(r)->find(info.name) : ObjectId();
  if (described)
    add_object_parameters(out, w, r, described.value, needs, joint && joint->shared);
  else if (info.body)
    add(out, prefix, kPiece, r, o);
  if (info.body) add(out, prefix, kBody, r, o);
  if (info.body && (needs.uses_contacts || needs.couples_world)) add(out, prefix, kTouching, r, o);
}

}  // namespace

std::string PropertyView::fault(double value) const {
  if (!write) return "can only be read";
  return std::isfinite(value) ? range_fault(lower, upper, unit, value) : "must be a finite number";
}

std::string PropertyView::set(World& world, double value) const {
  if (std::string wrong = fault(value); !wrong.empty()) return wrong;
  const std::string problem = write(world, robot, index, value);
  return problem.empty() ? "" : "cannot be set: " + problem;
}

std::vector<Property> list_properties(const World& w) {
  std::vector<Property> out;
  add(out, "", kWorld, -1, -1);
  add_world_parameters(out);
  for (int g = 0; g < w.groups().count(); ++g) add_group(out, w, g);
  for (int r = 0; r < w.robot_count(); ++r) {
    const std::string robot = w.model().robots[static_cast<std::size_t>(r)].name + ".";
    const RobotKind& kind = kind_of(w, r);
    const MotionNeeds needs = w.motion(r).bind(kind);
    add(out, robot, kRobot, r, -1);
    if (!kind.feet.empty()) add(out, robot, kStanding, r, -1);
    for (const PrivateProperty& p : w.motion(r).properties)
      out.push_back({robot + p.name,
                     {[](const World& x, int rr, int i) { return x.private_state(rr)[static_cast<std::size_t>(i)]; },
                      nullptr, r, p.index, PropertyType::number, p.unit, p.about}});
    add_robot_parameters(out, w, r, needs);
    for (std::size_t o = 0; o < kind.objects.size(); ++o) add_object(out, w, r, static_cast<int>(o), needs);
    add_sensors(out, w, r);
  }
  return out;
}

std::vector<std::string> default_properties(const World& world) {
  std::vector<std::string> out;
  for (const RobotModel& r : world.model().robots) {
    for (const char* p : {".x", ".y", ".z", ".roll", ".pitch", ".yaw"}) out.push_back(r.name + p);
    for (const Joint& j : r.kind->joints)
      out.push_back(r.name + "." + r.kind->objects[static_cast<std::size_t>(j.object)].name + ".q");
  }
  return out;
}

Result<std::vector<std::string>> chosen_properties(const World& world, const std::vector<std::string>& patterns) {
  std::vector<std::string> out;
  std::vector<Property> all;
  for (const std::string& pattern : patterns) {
    if (pattern.find_first_of("*?[") == std::string::npos) {
      out.push_back(pattern);  // whoever looks it up says if it is not there
      continue;
    }
    if (all.empty()) all = list_properties(world);
    const std::size_t before = out.size();
    for (const Property& p : all)
      if (fnmatch(pattern.c_str(), p.path.c_str(), 0) == 0) out.push_back(p.path);
    if (out.size() == before)
      return Diagnostics{{{},
                          Severity::error,
                          "no property is like '" + pattern + "'",
                          "gradus show SCENE --properties lists them"}};
  }
  return out;
}

Result<PropertyView> find_property(const World& world, std::string_view path) {
  const std::vector<Property> all = list_properties(world);
  const auto it = std::find_if(all.begin(), all.end(), [&](const Property& p) { return p.path == path; });
  if (it != all.end()) return it->view;
  std::vector<std::string> names;
  for (const Property& p : all) names.push_back(p.path);
  const std::string near = nearest(std::string(path), names);
  Diagnostic d;
  d.text = "there is no property '" + std::string(path) + "'";
  d.suggestion = near.empty() ? "gradus show SCENE --properties lists them" : "did you mean '" + near + "'?";
  return Diagnostics{d};
}

}  // namespace gradus

#include "model/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gradus {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
using Value = std::optional<double>;

/// Member of a member: at<&ObjectSpec::servo, &ServoSpec::kp>(o).
template <auto First, auto... Rest, class Owner>
auto& at(Owner& owner) {
  if constexpr (sizeof...(Rest) == 0)
    return owner.*First;
  else
    return at<Rest...>(owner.*First);
}

// ---- which objects have which numbers

template <auto... Path>
Value of_joint(const ObjectSpec& o, const ContactSpec&) {
  return o.is_joint() ? Value(at<Path...>(o)) : Value();
}
/// A joint with a chain has no servo of its own.
template <auto... Path>
Value of_servo(const ObjectSpec& o, const ContactSpec&) {
  return o.is_joint() && !o.drive ? Value(at<&ObjectSpec::servo, Path...>(o)) : Value();
}
template <auto... Path>
void set(ObjectSpec& o, double x) {
  at<Path...>(o) = x;
}

using Has = bool (*)(const DriveSpec&);
bool any_chain(const DriveSpec&) { return true; }
bool electrical(const DriveSpec& d) { return d.electrical(); }
bool ideal(const DriveSpec& d) { return !d.electrical(); }
bool toothed(const DriveSpec& d) { return d.gear.model != GearModel::rigid; }
bool massive(const DriveSpec& d) { return d.gear.model == GearModel::motoflex; }

template <Has has, auto... Path>
Value of_chain(const ObjectSpec& o, const ContactSpec&) {
  return o.drive && has(*o.drive) ? Value(at<Path...>(*o.drive)) : Value();
}
template <auto... Path>
void set_chain(ObjectSpec& o, double x) {
  at<Path...>(*o.drive) = x;
}

/// What a surface leaves open the scene says.
template <auto Own, auto Scene>
Value of_surface(const ObjectSpec& o, const ContactSpec& scene) {
  const bool touches = std::any_of(o.shapes.begin(), o.shapes.end(), [](const ShapeSpec& s) { return s.collides; });
  return touches ? Value((o.surface.*Own).value_or(scene.*Scene)) : Value();
}
template <auto Own>
void set_surface(ObjectSpec& o, double x) {
  o.surface.*Own = x;
}

Value mass_of(const ObjectSpec& o, const ContactSpec&) { return o.mass > 0 ? Value(o.mass) : Value(); }
/// A heavier body of the same form: its inertia grows in proportion.
void set_mass(ObjectSpec& o, double mass) {
  const double k = mass / o.mass;
  const Sym3 I = o.inertia;
  o.inertia = {I.xx * k, I.xy * k, I.xz * k, I.yy * k, I.yz * k, I.zz * k};
  o.mass = mass;
}

template <auto... Path>
constexpr ObjectParameter servo(const char* name, const char* unit, const char* linear, double lower, double upper,
                                Acts acts, const char* about) {
  return {{name, unit, about, lower, upper}, linear, acts, true, of_servo<Path...>, set<&ObjectSpec::servo, Path...>};
}
template <auto... Path>
constexpr ObjectParameter joint(const char* name, const char* unit, const char* linear, double lower, double upper,
                                Acts acts, const char* about) {
  return {{name, unit, about, lower, upper}, linear, acts, true, of_joint<Path...>, set<Path...>};
}
template <Has has, auto... Path>
constexpr ObjectParameter chain(const char* name, const char* unit, double lower, double upper, const char* about,
                                bool live = true) {
  return {{name, unit, about, lower, upper}, unit, Acts::drives, live, of_chain<has, Path...>, set_chain<Path...>};
}
template <auto Own, auto Scene>
constexpr ObjectParameter surface(const char* name, const char* unit, double lower, double upper, const char* about) {
  return {{name, unit, about, lower, upper}, unit, Acts::contacts, true, of_surface<Own, Scene>, set_surface<Own>};
}

using O = ObjectSpec;
using S = ServoSpec;
using D = DriveSpec;
using C = ControllerStageSpec;
using M = MotorStageSpec;
using F = FrictionStageSpec;
using G = GearStageSpec;
using U = SurfaceSpec;
using W = ContactSpec;

constexpr double kTiny = 1e-9;  // of numbers that may be anything but zero

const ObjectParameter kObject[] = {
    servo<&S::kp>("kp", "N m/rad", "N/m", 0, 1e6, Acts::position, "servo stiffness"),
    servo<&S::kd>("kd", "N m s/rad", "N s/m", 0, 1e6, Acts::drives,
                  "servo damping; of wheels: torque per lack of speed"),
    servo<&S::torque>("torque", "N m", "N", kTiny, kNone, Acts::drives, "stall torque, the servo's limit"),
    servo<&S::speed>("speed", "rad/s", "m/s", kTiny, kNone, Acts::joints, "no-load speed, the servo's limit"),
    servo<&S::rotor>("rotor", "kg m^2", "kg", 0, 1e6, Acts::drives, "rotor inertia seen at the joint"),
    joint<&O::damping>("damping", "N m s/rad", "N s/m", 0, 1e6, Acts::drives, "of the joint itself"),
    joint<&O::friction>("friction", "N m", "N", 0, 1e6, Acts::drives, "dry friction of the joint itself"),
    joint<&O::spring>("spring", "N m/rad", "N/m", 0, 1e9, Acts::drives, "of the joint itself, about 0"),
    joint<&O::stop_stiffness>("stop.stiffness", "N m/rad", "N/m", 0, 1e12, Acts::drives,
                              "of the joint's limits; 0: from what it carries"),
    joint<&O::stop_damping>("stop.damping", "N m s/rad", "N s/m", 0, 1e12, Acts::drives,
                            "of the joint's limits; 0: critical"),
    joint<&O::lower>("lower", "rad", "m", -kNone, kNone, Acts::joints, "limit"),
    joint<&O::upper>("upper", "rad", "m", -kNone, kNone, Acts::joints, "limit"),

    chain<any_chain, &D::delay>("delay", "s", 0, 1, "between command and controller", false),
    chain<electrical, &D::controller, &C::kp>("controller.kp", "V/rad", 0, 1e9, "position gain"),
    chain<ideal, &D::controller, &C::kp>("controller.kp", "N m/rad", 0, 1e9, "position gain"),
    chain<electrical, &D::controller, &C::ki>("controller.ki", "V/rad/s", 0, 1e9, "integral gain"),
    chain<ideal, &D::controller, &C::ki>("controller.ki", "N m/rad/s", 0, 1e9, "integral gain"),
    chain<electrical, &D::controller, &C::kd>("controller.kd", "V s/rad", 0, 1e9, "speed gain"),
    chain<ideal, &D::controller, &C::kd>("controller.kd", "N m s/rad", 0, 1e9, "speed gain"),
    chain<electrical, &D::controller, &C::limit>("controller.limit", "V", kTiny, kNone,
                                                 "most that the controller gives: the supply"),
    chain<ideal, &D::controller, &C::limit>("controller.limit", "N m", kTiny, kNone, "most that the controller gives"),
    chain<any_chain, &D::controller, &C::stiffness>("controller.stiffness", "", 0, 1,
                                                    "share of the output that is used, at the start", false),
    chain<electrical, &D::motor, &M::resistance>("motor.resistance", "ohm", kTiny, 1e9, "of the motor's windings"),
    chain<electrical, &D::motor, &M::inductance>("motor.inductance", "H", 0, 1e3, "of the motor's windings"),
    chain<electrical, &D::motor, &M::torque_constant>("motor.torque_constant", "N m/A", kTiny, 1e3, "of the motor"),
    chain<electrical, &D::motor, &M::back_emf>("motor.back_emf", "V s/rad", 0, 1e3, "of the motor"),
    chain<ideal, &D::motor, &M::speed>("motor.speed", "rad/s", kTiny, kNone, "beyond which it does not drive, at the joint"),
    chain<ideal, &D::motor, &M::power>("motor.power", "W", kTiny, kNone, "most that the motor gives"),
    chain<any_chain, &D::motor, &M::inertia>("motor.inertia", "kg m^2", 0, 1e3, "of the rotor, without the gear"),
    chain<any_chain, &D::friction, &F::coulomb>("friction.coulomb", "N m", 0, 1e6,
                                                "dry friction of motor and gear, at the joint"),
    chain<any_chain, &D::friction, &F::viscous>("friction.viscous", "N m s/rad", 0, 1e6,
                                                "viscous friction, at the joint"),
    chain<any_chain, &D::friction, &F::stribeck>("friction.stribeck", "N m", 0, 1e6,
                                                 "added to the dry friction at rest"),
    chain<any_chain, &D::friction, &F::stribeck_speed>("friction.stribeck_speed", "rad/s", kTiny, 1e6,
                                                       "at which half of that is left"),
    chain<any_chain, &D::friction, &F::load>("friction.load", "", 0, 10, "friction per torque that the gear transmits"),
    chain<any_chain, &D::friction, &F::load_stribeck>("friction.load_stribeck", "", 0, 10, "added to that at rest"),
    chain<any_chain, &D::gear, &G::ratio>("gear.ratio", "", kTiny, 1e6, "turns of the motor per turn of the joint"),
    chain<any_chain, &D::gear, &G::efficiency>("gear.efficiency", "", kTiny, 1, "of the turning, loaded gear"),
    chain<toothed, &D::gear, &G::play>("gear.play", "rad", 0, 1, "full width at the joint"),
    chain<toothed, &D::gear, &G::stiffness>("gear.stiffness", "N m/rad", kTiny, 1e9, "of the teeth, at the joint"),
    chain<toothed, &D::gear, &G::damping>("gear.damping", "N m s/rad", 0, 1e6, "of the teeth, or of the gear's mass"),
    chain<massive, &D::gear, &G::inertia>("gear.inertia", "kg m^2", kTiny, 1e3, "of the gear's mass"),

    {{"mass", "kg", "the inertia grows with it", kTiny, 1e6}, "kg", Acts::masses, true, mass_of, set_mass},
    surface<&U::friction, &W::friction>("surface.friction", "", 0, 10, "Coulomb friction of its surface"),
    surface<&U::stiffness, &W::stiffness>("surface.stiffness", "N/m", 1, 1e12, "of one contact of its surface"),
    surface<&U::damping, &W::damping>("surface.damping", "N s/m", 0, 1e9, "of one contact of its surface"),
    surface<&U::restitution, &W::restitution>("surface.restitution", "", 0, 1,
                                              "of its surface, where free bodies take part"),
    surface<&U::rolling, &W::rolling>("surface.rolling", "m", 0, 1, "resistance to rolling, moment over normal force"),
    surface<&U::torsion, &W::torsion>("surface.torsion", "m", 0, 1,
                                      "resistance to turning about the normal, moment over normal force"),
};

// ---- whole robots

/// 1 where some object has a number that the factor would change.
template <class Test>
Value factor_of(const RobotSpec& r, const Test& test) {
  for (const ObjectSpec& o : r.objects)
    if (test(o)) return 1;
  return {};
}
Value joint_factor(const RobotSpec& r, const ContactSpec&) {
  return factor_of(r,
                   [](const ObjectSpec& o) { return o.is_joint() && (o.drive || o.servo.kp > 0 || o.servo.kd > 0); });
}
Value mass_factor(const RobotSpec& r, const ContactSpec&) {
  return factor_of(r, [](const ObjectSpec& o) { return o.mass > 0; });
}
template <auto Servo, auto Chain>
void multiply(RobotSpec& r, double x) {
  for (ObjectSpec& o : r.objects) {
    if (!o.is_joint()) continue;
    (o.drive ? o.drive->controller.*Chain : o.servo.*Servo) *= x;
  }
}

/// The number of all objects that have it; NaN if they differ.
Value common(const RobotSpec& r, const ContactSpec& scene, const char* name) {
  Value all;
  for (const ObjectParameter& p : kObject) {
    if (std::string_view(p.name) != name) continue;
    for (const ObjectSpec& o : r.objects)
      if (const Value x = p.get(o, scene)) all = !all || *all == *x ? *x : std::numeric_limits<double>::quiet_NaN();
  }
  return all;
}
void set_all(RobotSpec& r, const char* name, double x) {
  for (const ObjectParameter& p : kObject) {
    if (std::string_view(p.name) != name) continue;
    for (ObjectSpec& o : r.objects)
      if (p.get(o, {})) p.set(o, x);
  }
}

/// None without sensors; NaN if they differ.
std::optional<double> sensing_of_all(const RobotSpec& r, const ContactSpec&) {
  if (r.sensors.empty()) return {};
  const Sensing first = sensing_of(r.sensors[0]);
  for (const SensorSpec& s : r.sensors)
    if (sensing_of(s) != first) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(first);
}

const RobotParameter kRobot[] = {
    {{"kp_factor", "", "multiplies the stiffness of all servos and chains", 0, 1000},
     Acts::position,
     true,
     joint_factor,
     multiply<&S::kp, &C::kp>},
    {{"kd_factor", "", "multiplies the damping of all servos and chains", 0, 1000},
     Acts::drives,
     true,
     joint_factor,
     multiply<&S::kd, &C::kd>},
    {{"torque_factor", "", "multiplies the limits of all servos and chains", 1e-6, 1000},
     Acts::drives,
     true,
     joint_factor,
     multiply<&S::torque, &C::limit>},
    {{"mass_factor", "", "multiplies the masses and inertias of all bodies", 1e-6, 1000},
     Acts::masses,
     true,
     mass_factor,
     [](RobotSpec& r, double x) {
       for (ObjectSpec& o : r.objects)
         if (o.mass > 0) set_mass(o, o.mass * x);
     }},
    {{"play", "rad", "of all gears with teeth", 0, 1},
     Acts::drives,
     false,
     [](const RobotSpec& r, const ContactSpec& scene) { return common(r, scene, "gear.play"); },
     [](RobotSpec& r, double x) { set_all(r, "gear.play", x); }},
    {{"friction", "", "Coulomb friction of all its surfaces", 0, 10},
     Acts::contacts,
     false,
     [](const RobotSpec& r, const ContactSpec& scene) { return common(r, scene, "surface.friction"); },
     [](RobotSpec& r, double x) { set_all(r, "surface.friction", x); }},
    {{"sensing", "", "level of all its sensors: 0 truth, 1 objects, 2 image, 3 real", 0, 3},
     Acts::contacts,  // whatever moves it
     false,
     sensing_of_all,
     [](RobotSpec& r, double x) { set_sensing(r.sensors, x); }},
};

// ---- the world

template <auto Member>
constexpr WorldParameter contact(const char* name, const char* unit, double lower, double upper, const char* about) {
  return {{name, unit, about, lower, upper},
          [](const Surroundings& s) { return s.contact.*Member; },
          [](Surroundings& s, double x) { s.contact.*Member = x; }};
}

const WorldParameter kWorld[] = {
    {{"gravity", "m/s^2", "downwards", 0, 1000},
     [](const Surroundings& s) { return -s.gravity.z; },
     [](Surroundings& s, double g) {
       s.gravity = {0, 0, -g};
     }},
    contact<&W::friction>("contact.friction", "", 0, 10, "Coulomb friction where surfaces say nothing"),
    contact<&W::stiffness>("contact.stiffness", "N/m", 1, 1e12, "of one contact with the static world"),
    contact<&W::damping>("contact.damping", "N s/m", 0, 1e9, "of one contact with the static world"),
    contact<&W::tangential_stiffness>("contact.tangential_stiffness", "N/m", 0, 1e12, "of the sticking spring"),
    contact<&W::tangential_damping>("contact.tangential_damping", "N s/m", 0, 1e9, "of the sticking spring"),
    contact<&W::restitution>("contact.restitution", "", 0, 1, "above impact_speed, at every level"),
    contact<&W::rolling>("contact.rolling", "m", 0, 1, "resistance to rolling, moment over normal force"),
    contact<&W::torsion>("contact.torsion", "m", 0, 1,
                         "resistance to turning about the normal, moment over normal force"),
    contact<&W::moving_stiffness>("contact.moving_stiffness", "N/m", 1, 1e12, "of one contact between moving bodies"),
    contact<&W::moving_damping>("contact.moving_damping", "N s/m", 0, 1e9, "of one contact between moving bodies"),
    contact<&W::impact_speed>("contact.impact_speed", "m/s", 0, 1e3, "restitution acts above it"),
    contact<&W::recovery_speed>("contact.recovery_speed", "m/s", 0, 1e3, "fastest recovery from penetration"),
    contact<&W::sleep_speed>("contact.sleep_speed", "m/s", 0, 1e3, "free bodies slower than this for a while sleep; 0: never"),
    contact<&W::sleep_after>("contact.sleep_after", "s", 0, 1e6, "for how long they must be slow"),
};

std::string unknown(const std::string& path) { return "there is no parameter '" + path + "'"; }

template <class Parameter, class Owner>
std::string set_within(const Parameter& p, const char* unit, Owner& owner, double x) {
  const std::string problem = range_fault(p.lower, p.upper, unit, x);
  if (problem.empty()) p.set(owner, x);
  return problem;
}

/// Its kind checks the key and the value when the robot is bound.
bool apply_to_sensor(RobotSpec& robot, const Setting& s, std::size_t dot) {
  for (SensorSpec& sensor : robot.sensors)
    if (dot == sensor.name.size() && s.path.starts_with(sensor.name)) {
      sensor.settings.push_back({s.path.substr(dot + 1), {s.value}, {}, {}, {}});
      return true;
    }
  return false;
}

std::string apply_to_robot(RobotSpec& robot, const Setting& s) {
  for (const RobotParameter& p : kRobot)
    if (s.path == p.name && p.get(robot, {})) return set_within(p, p.unit, robot, s.value);
  const std::size_t dot = s.path.find('.');
  const ObjectId id = dot == std::string::npos ? ObjectId() : robot.find(s.path.substr(0, dot));
  if (!id) return apply_to_sensor(robot, s, dot) ? "" : unknown(s.path);
  ObjectSpec& o = robot.objects[static_cast<std::size_t>(id.value)];
  for (const ObjectParameter& p : kObject)
    if (s.path.compare(dot + 1, std::string::npos, p.name) == 0 && p.live && p.get(o, {}))
      return set_within(p, unit_of(p, o), o, s.value);
  return apply_to_sensor(robot, s, dot) ? "" : unknown(s.path);
}

}  // namespace

std::span<const ObjectParameter> object_parameters() { return kObject; }
std::span<const RobotParameter> robot_parameters() { return kRobot; }
std::span<const WorldParameter> world_parameters() { return kWorld; }

const char* unit_of(const ObjectParameter& p, const ObjectSpec& o) {
  return o.kind == ObjectKind::prismatic ? p.linear_unit : p.unit;
}

std::string range_fault(double lower, double upper, const char* unit, double x) {
  if (x >= lower && x <= upper) return "";
  const std::string in = *unit ? " " + std::string(unit) : "";
  if (std::isnan(x)) return "must be a number";
  if (!std::isfinite(upper)) return fmt::format("must be at least {:g}{}, not {:g}{}", lower, in, x, in);
  return fmt::format("must be within {:g} … {:g}{}, not {:g}{}", lower, upper, in, x, in);
}

std::vector<Setting> settings_of(std::span<const Setting> all, const std::string& owner) {
  std::vector<Setting> out;
  for (const Setting& s : all)
    if (s.path.size() > owner.size() && s.path.starts_with(owner) && s.path[owner.size()] == '.')
      out.push_back({s.path.substr(owner.size() + 1), s.value});
  return out;
}

std::string apply_settings(RobotSpec& robot, std::span<const Setting> settings) {
  for (const Setting& s : settings)
    if (std::string problem = apply_to_robot(robot, s); !problem.empty()) return problem;
  return "";
}

std::string apply_settings(Surroundings& surroundings, std::span<const Setting> settings) {
  for (const Setting& s : settings) {
    const auto* p =
        std::find_if(std::begin(kWorld), std::end(kWorld), [&](const WorldParameter& x) { return s.path == x.name; });
    if (p == std::end(kWorld)) return unknown(s.path);
    if (std::string problem = set_within(*p, p->unit, surroundings, s.value); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace gradus

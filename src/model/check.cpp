#include "model/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "model/inertia.h"
#include "model/joints/joint_type.h"
#include "model/walls.h"

namespace gradus {
namespace {

bool finite(double x) { return std::isfinite(x); }
bool finite(Vec3 a) { return finite(a.x) && finite(a.y) && finite(a.z); }
bool finite(const Sym3& s) { return finite(s.xx + s.xy + s.xz + s.yy + s.yz + s.zz); }
bool is_zero(Vec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }
bool is_zero(const Sym3& s) { return s.xx == 0 && s.xy == 0 && s.xz == 0 && s.yy == 0 && s.yz == 0 && s.zz == 0; }

bool rotation_matrix(const Mat3& R) {
  const auto near = [](double a, double b) { return std::fabs(a - b) < 1e-6; };
  const Vec3 z = cross(R.x, R.y);
  return near(dot(R.x, R.x), 1) && near(dot(R.y, R.y), 1) && near(dot(R.x, R.y), 0) && near(z.x, R.z.x) &&
         near(z.y, R.z.y) && near(z.z, R.z.z);
}

/// Names are parts of property paths and of command-line words.
bool usable_name(const std::string& name) {
  return !name.empty() && name.size() <= 200 && std::none_of(name.begin(), name.end(), [](unsigned char c) {
    return c <= ' ' || c == '.' || c == '=' || c == '/' || c == 0x7f;
  });
}

/// What is wrong with a shape's own numbers, or "".
std::string shape_fault(const ShapeSpec& s, std::size_t mesh_count, std::size_t map_count) {
  const std::string kind = to_string(s.kind);
  if (!finite(s.X_OS.p) || !rotation_matrix(s.X_OS.R))
    return "the pose of the " + kind + " is not finite or not a rotation";
  const bool round = s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule || s.kind == ShapeKind::cylinder;
  if (round && !(finite(s.radius) && s.radius > 0)) return fmt::format("the radius of the {} is {} m", kind, s.radius);
  const bool long_one = s.kind == ShapeKind::capsule || s.kind == ShapeKind::cylinder;
  if (long_one && !(finite(s.length) && s.length > 0))
    return fmt::format("the length of the {} is {} m", kind, s.length);
  if (s.kind == ShapeKind::box && !(finite(s.size) && s.size.x > 0 && s.size.y > 0 && s.size.z > 0)) {
    return fmt::format("the box measures {} × {} × {} m", s.size.x, s.size.y, s.size.z);
  }
  const bool meshed = s.kind == ShapeKind::mesh || s.kind == ShapeKind::hull;
  if (meshed && (s.mesh < 0 || static_cast<std::size_t>(s.mesh) >= mesh_count))
    return "the shape names a mesh that is not loaded";
  if (s.kind == ShapeKind::height_field && (s.map < 0 || static_cast<std::size_t>(s.map) >= map_count))
    return "the shape names a map that is not loaded";
  return "";
}

std::string surface_fault(const SurfaceSpec& s) {
  const auto bad = [](const std::optional<double>& x) { return x && !(finite(*x) && *x >= 0); };
  if (bad(s.friction)) return fmt::format("surface friction is {}", *s.friction);
  if (bad(s.stiffness) || (s.stiffness && *s.stiffness == 0))
    return fmt::format("surface stiffness is {} N/m", *s.stiffness);
  if (bad(s.damping)) return fmt::format("surface damping is {} N s/m", *s.damping);
  if (bad(s.rolling)) return fmt::format("surface rolling is {} m", *s.rolling);
  if (bad(s.torsion)) return fmt::format("surface torsion is {} m", *s.torsion);
  if (bad(s.restitution) || (s.restitution && *s.restitution > 1)) {
    return fmt::format("surface restitution is {}", *s.restitution);
  }
  return "";
}

bool bad_colour(const std::optional<Vec3>& c) {
  const auto out = [](double x) { return !(x >= 0 && x <= 1); };
  return c && (out(c->x) || out(c->y) || out(c->z));
}

class RobotCheck {
 public:
  RobotCheck(const RobotSpec& robot, const PlaceOf& place_of) : robot_(robot), place_of_(place_of) {}

  Diagnostics run() {
    if (robot_.objects.empty()) {
      robot_fault("", "the robot has no objects", "begin with one of kind base");
      return std::move(out_);
    }
    if (!usable_name(robot_.name))
      robot_fault("name", "the robot's name '" + robot_.name + "' cannot be used", kNameRule);
    check_names();
    check_tree();
    for (i_ = 0; i_ < robot_.objects.size(); ++i_) check_object(robot_.objects[i_]);
    if (tree_is_sound_) check_point_masses();
    if (tree_is_sound_) check_moving_masses();
    check_mimics();
    check_feet();
    check_sensors();
    check_loops();
    return std::move(out_);
  }

 private:
  static constexpr const char *kNoInertia = "it has a mass but no inertia",
                              *kGiveInertia = "give its inertia, e.g. that of a solid box";
  static constexpr const char* kNameRule =
      "use letters, digits, '_' and '-', at least one and no '.', '=', '/' or blanks";

  /// About property `property` of the robot itself.
  void robot_fault(const char* property, std::string text, std::string suggestion) {
    Place file;
    file.file = robot_.file;
    const std::optional<Place> place = place_of_ ? place_of_(ObjectId(), property) : std::optional<Place>(file);
    if (place) out_.push_back({*place, Severity::error, std::move(text), std::move(suggestion)});
  }

  /// About property `property` of the object i_.
  void fault(const char* property, const std::string& text, std::string suggestion) {
    const ObjectSpec& o = robot_.objects[i_];
    const std::optional<Place> place =
        place_of_ ? place_of_(ObjectId(static_cast<int>(i_)), property) : std::optional<Place>(o.place);
    if (place) out_.push_back({*place, Severity::error, "object '" + o.name + "': " + text, std::move(suggestion)});
  }

  void check_names() {
    for (i_ = 0; i_ < robot_.objects.size(); ++i_) {
      const std::string& name = robot_.objects[i_].name;
      if (!usable_name(name)) fault("name", "this name cannot be used", kNameRule);
      const auto [it, fresh] = index_.emplace(name, i_);
      if (fresh) continue;
      const Place& p = robot_.objects[it->second].place;
      fault("name", "this name is used twice",
            p.line > 0 ? fmt::format("the first is at line {}{}", p.line, p.file == robot_.file ? "" : " of " + p.file)
                       : "give every object its own name");
    }
  }

  void check_tree() {
    std::vector<int> successors(robot_.objects.size(), 0);
    for (i_ = 0; i_ < robot_.objects.size(); ++i_) check_parent(robot_.objects[i_], successors);
    if (robot_.objects[0].kind != ObjectKind::base) {
      i_ = 0;
      fault("kind", "the first object is not the base", "begin with an object of kind base");
      tree_is_sound_ = false;
    }
  }

  void check_parent(const ObjectSpec& o, std::vector<int>& successors) {
    const std::size_t faults = out_.size();
    const bool has_parent = static_cast<bool>(o.parent);
    const auto p = static_cast<std::size_t>(has_parent ? o.parent.value : 0);
    if (o.kind == ObjectKind::base) {
      if (i_ > 0) fault("kind", "a robot has one base, this is the second", "use a fork or a translation");
      if (has_parent) fault("after", "the base follows no other object", "remove its predecessor");
    } else if (!has_parent) {
      if (i_ > 0) fault("after", "its predecessor is missing", "name an object that is described before it");
    } else if (p >= i_) {
      fault("after", "it comes before its predecessor, or the objects form a cycle",
            "describe every object after the one it follows");
    } else {
      check_succession(robot_.objects[p], ++successors[p]);
    }
    if (out_.size() > faults || (!has_parent && i_ > 0) || (has_parent && p >= i_)) tree_is_sound_ = false;
  }

  void check_succession(const ObjectSpec& parent, int count) {
    if (parent.kind == ObjectKind::endpoint) {
      fault("after", "it follows the endpoint '" + parent.name + "', where a chain ends",
            "follow the object before it");
    } else if (parent.kind != ObjectKind::fork && count == 2) {
      fault("after", "it is the second successor of '" + parent.name + "', which is no fork",
            "put an object of kind fork after '" + parent.name + "' and let both follow that");
    }
  }

  void check_object(const ObjectSpec& o) {
    check_frame(o);
    check_mass(o);
    for (const ShapeSpec& s : o.shapes) {
      const std::string text = shape_fault(s, robot_.meshes.size(), 0);
      if (!text.empty()) fault("shape", text, "sizes must be finite and greater than 0");
      if (s.kind == ShapeKind::plane)
        fault("shape", "a robot has no planes", "use a box, or put the plane into the field");
      if (s.kind == ShapeKind::height_field)
        fault("shape", "a robot has no height fields", "use a mesh, or put the height field into the field");
    }
    const std::string text = surface_fault(o.surface);
    if (!text.empty()) fault("surface", text, "surface numbers must be finite, not negative, restitution at most 1");
    if (bad_colour(o.colour)) fault("colour", "a colour has three parts from 0 to 1", "e.g. [0.2, 0.4, 0.9]");
    if (o.is_joint()) check_joint(o), check_column(o);
    if (o.flex) check_flex(o);
  }

  void check_frame(const ObjectSpec& o) {
    const bool turns = o.kind == ObjectKind::rotation || o.is_joint();
    if (o.kind == ObjectKind::translation && !finite(o.offset)) fault("offset", "its offset is not finite", "");
    if (turns && !finite(o.axis)) {
      fault("axis", "its axis is not finite", "");
    } else if (turns && is_zero(o.axis)) {
      fault("axis", "its axis is zero", "give a direction, e.g. [0, 0, 1]");
    }
    if (o.kind == ObjectKind::rotation && !finite(o.angle)) fault("angle", "its angle is not finite", "");
  }

  void check_mass(const ObjectSpec& o) {
    if (!finite(o.mass) || o.mass < 0) {
      fault("mass", fmt::format("its mass is {} kg", o.mass), "a mass must be finite and greater than 0");
    } else if (!finite(o.com)) {
      fault("com", "its centre of mass is not finite", "");
    } else if (!finite(o.inertia)) {
      fault("inertia", "its inertia is not finite", "");
    } else if (o.mass == 0) {
      if (!is_zero(o.inertia))
        fault("inertia", "it has an inertia but no mass", "give its mass, or remove the inertia");
      if (!is_zero(o.com)) fault("com", "it has a centre of mass but no mass", "give its mass, or remove the centre");
    } else if (is_zero(o.inertia)) {
      // a point mass: right where the rigid body that it is part of has an inertia, see check_point_masses
      if (!tree_is_sound_) fault("mass", kNoInertia, kGiveInertia);
    } else if (!positive_definite(o.inertia)) {
      fault("inertia", "its inertia is not positive definite",
            "a turning body always resists: all principal moments > 0");
    } else if (!triangle_holds(o.inertia)) {
      fault("inertia", "its inertia breaks the triangle inequality",
            "no principal moment may exceed the sum of the other two; are units and order (xx yy zz xy xz yz) right?");
    }
  }

  void check_flex(const ObjectSpec& o) {
    const FlexSpec& f = *o.flex;
    if (!(o.mass > 0)) fault("flex", "only an object with a mass can bend", "give its mass, or remove flex");
    if (!(f.stiffness > 0 && finite(f.stiffness)) || !(f.damping >= 0 && finite(f.damping)) || !finite(f.along) ||
        f.cuts < 1)
      fault("flex", fmt::format("its flex has {} cuts, stiffness {}, damping {}", f.cuts, f.stiffness, f.damping),
            "give at least one cut, a stiffness greater than 0 and a damping that is not negative");
  }

  void check_joint(const ObjectSpec& o) {
    check_limits(o);
    if (!sound(o.damping))
      fault("damping", fmt::format("its damping is {}", o.damping), "damping must not be negative");
    if (!sound(o.friction))
      fault("friction", fmt::format("its friction is {}", o.friction), "friction must not be negative");
    if (!sound(o.spring)) fault("spring", fmt::format("its spring is {}", o.spring), "a spring must not be negative");
    if (!sound(o.stop_stiffness) || !sound(o.stop_damping))
      fault("stop", fmt::format("its stop has stiffness {}, damping {}", o.stop_stiffness, o.stop_damping),
            "neither may be negative");
    if (o.drive) {
      for (const DriveFault& f : drive_faults(*o.drive)) fault("servo", f.text, f.suggestion);
      if (o.kind != ObjectKind::revolute)
        fault("servo", "an actuator chain drives revolute joints only", "use a plain servo");
    }
    check_servo(o.servo);
  }

  /// A coordinate of a joint with a type of its own has neither servo nor limits: those are numbers of one axis. The columns
  /// must follow each other, and all but the last carry nothing.
  void check_column(const ObjectSpec& o) {
    const auto broken = [&] {
      if (o.type == nullptr) return o.column != 0;
      const auto is_column = [&](std::size_t k, int column) {
        return k < robot_.objects.size() && robot_.objects[k].type == o.type && robot_.objects[k].column == column;
      };
      if (o.column < 0 || o.column >= o.type->dof) return true;
      if (o.column > 0 && !(o.parent.value == static_cast<int>(i_) - 1 && is_column(i_ - 1, o.column - 1))) return true;
      if (o.column + 1 == o.type->dof) return false;
      const auto follows = [&](const ObjectSpec& x) { return x.parent && x.parent.value == static_cast<int>(i_); };
      return o.is_body() || std::count_if(robot_.objects.begin(), robot_.objects.end(), follows) != 1 || !is_column(i_ + 1, o.column + 1);
    };
    if (broken())
      fault("kind", "the coordinates of a joint must follow each other, with nothing between them",
            "let other objects follow the joint's own object");
    if (o.type == nullptr) return;
    const bool driven = o.drive || o.servo.kp > 0 || o.servo.kd > 0 || o.servo.rotor > 0;
    if (driven) fault("servo", fmt::format("a {} joint has no servo", o.type->name), "give it damping and spring, or use revolute joints");
    if (finite(o.lower) || finite(o.upper) || o.friction > 0 || o.mimic || o.initial != 0)
      fault("kind", fmt::format("a {} joint has no limits, friction, mimic or initial coordinate", o.type->name),
            "it begins at 0; a rotation before it turns it");
  }

  void check_limits(const ObjectSpec& o) {
    if (std::isnan(o.lower) || std::isnan(o.upper)) {
      fault("limits", "a limit is not a number", "");
    } else if (o.lower > o.upper) {
      fault("limits", fmt::format("its limits are reversed: {:.6g} … {:.6g}", o.lower, o.upper),
            "write the lower one first");
    } else if (!finite(o.initial)) {
      fault("initial", "its initial coordinate is not finite", "");
    } else if (o.initial < o.lower || o.initial > o.upper) {
      fault("initial",
            fmt::format("its initial coordinate {:.6g} is outside its limits {:.6g} … {:.6g}", o.initial, o.lower,
                        o.upper),
            "set an initial coordinate within the limits");
    }
  }

  void check_servo(const ServoSpec& s) {
    if (!sound(s.kp) || !sound(s.kd) || !sound(s.rotor)) {
      fault("servo", fmt::format("its servo has kp {}, kd {}, rotor {}", s.kp, s.kd, s.rotor), "none may be negative");
    }
    // infinity means unlimited, so only NaN, zero and negative are wrong
    if (!(s.torque > 0))
      fault("servo", fmt::format("its servo has torque {}", s.torque), "the stall torque must be > 0");
    if (!(s.speed > 0)) fault("servo", fmt::format("its servo has speed {}", s.speed), "the no-load speed must be > 0");
  }

  /// Finite and not negative.
  static bool sound(double x) { return x >= 0 && finite(x); }

  /// Point masses are fine as parts of a rigid body that resists turning about every axis.
  void check_point_masses() {
    const RigidBodies rigid = rigid_bodies(robot_);
    for (i_ = 0; i_ < robot_.objects.size(); ++i_) {
      const ObjectSpec& o = robot_.objects[i_];
      if (!(o.mass > 0) || !is_zero(o.inertia)) continue;
      const Sym3& whole = rigid.bodies[static_cast<std::size_t>(rigid.of_object[i_])].inertia;
      if (!finite(whole)) continue;  // reported where the number is
      if (!positive_definite(whole)) fault("mass", kNoInertia, kGiveInertia);
    }
  }

  /// A joint that carries neither mass nor rotor has no inertia to accelerate, and a free root needs a mass of its own:
  /// the articulated inertia handed down by joints is singular along their axes.
  void check_moving_masses() {
    const std::size_t n = robot_.objects.size();
    std::vector<int> carried(
        n);  // masses at the object and at all that follow; wrong ones count, they are reported elsewhere
    std::vector<bool> of_root(n);  // rigidly fixed to the base
    int root_masses = 0, total = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const ObjectSpec& o = robot_.objects[k];
      carried[k] = o.mass != 0 ? 1 : 0;
      of_root[k] = k == 0 || (!o.is_joint() && of_root[static_cast<std::size_t>(o.parent.value)]);
      if (of_root[k]) root_masses += carried[k];
      total += carried[k];
    }
    if (total == 0) return;  // only kinematics are wanted; check(SceneSpec) asks that the motion agrees
    for (std::size_t k = n; k-- > 1;) carried[static_cast<std::size_t>(robot_.objects[k].parent.value)] += carried[k];
    for (i_ = 1; i_ < n; ++i_) {
      const ObjectSpec& o = robot_.objects[i_];
      if (!o.is_joint() || carried[i_] > 0 || o.servo.rotor > 0 || o.mimic || (o.drive && o.drive->rotor_inertia() > 0))
        continue;
      fault("mass", "it moves nothing that has a mass", "give this object or one after it a mass and an inertia");
    }
    i_ = 0;
    if (robot_.root == RootKind::free && root_masses == 0) {
      fault("mass", "a free base needs a mass", "give the base, or an object fixed to it, a mass and an inertia");
    }
  }

  void check_mimics() {
    const std::vector<bool> in_circle = mimics_in_circles();
    for (i_ = 0; i_ < robot_.objects.size(); ++i_) {
      const ObjectSpec& o = robot_.objects[i_];
      if (!o.mimic) continue;
      const auto of = index_.find(o.mimic->of);
      if (!o.is_joint()) {
        fault("mimic", "only joints can mimic", "remove it");
      } else if (of == index_.end() || !robot_.objects[of->second].is_joint() || robot_.objects[of->second].type) {
        fault("mimic", "it mimics '" + o.mimic->of + "', which is not a joint",
              did_you_mean(o.mimic->of, robot_.joint_names()));
      } else if (!finite(o.mimic->multiplier) || !finite(o.mimic->offset)) {
        fault("mimic", "its multiplier or offset is not finite", "");
      } else if (in_circle[i_]) {
        fault("mimic", "it mimics itself, directly or through others", "let one joint of the circle be free");
      }
    }
  }

  /// Joints on a circle of mimics. Each joint has at most one successor, so one walk from every joint that stops where
  /// an earlier walk has been visits each joint once.
  std::vector<bool> mimics_in_circles() const {
    std::vector<std::size_t> walk(robot_.objects.size(), 0);  // number of the walk that came by first
    std::vector<bool> on_circle(robot_.objects.size(), false);
    for (std::size_t start = 0; start < walk.size(); ++start) {
      std::optional<std::size_t> k = start;
      for (; k && walk[*k] == 0; k = mimicked(*k)) walk[*k] = start + 1;
      if (!k || walk[*k] != start + 1) continue;
      for (; !on_circle[*k]; k = mimicked(*k)) on_circle[*k] = true;
    }
    return on_circle;
  }

  std::optional<std::size_t> mimicked(std::size_t joint) const {
    const std::optional<MimicSpec>& m = robot_.objects[joint].mimic;
    const auto it = m ? index_.find(m->of) : index_.end();
    return it == index_.end() ? std::nullopt : std::optional<std::size_t>(it->second);
  }

  /// What every sensor has; its own numbers its kind checks when the robot is bound [sense/sense.h].
  void check_sensors() {
    std::set<std::string> names;
    for (const SensorSpec& x : robot_.sensors) {
      const auto wrong = [&](std::string text, std::string suggestion) {
        out_.push_back({x.place, Severity::error, "sensor '" + x.name + "': " + text, std::move(suggestion)});
      };
      if (!usable_name(x.name)) wrong("this name cannot be used", kNameRule);
      if (!names.insert(x.name).second) wrong("this name is used twice", "give every sensor its own name");
      if (!finite(x.X_OS.p) || !rotation_matrix(x.X_OS.R)) wrong("its place is not finite or not a rotation", "");
      if (x.on.empty() || robot_.find(x.on)) continue;
      std::vector<std::string> objects;
      for (const ObjectSpec& o : robot_.objects) objects.push_back(o.name);
      wrong("on: there is no object '" + x.on + "'", did_you_mean(x.on, objects));
    }
  }

  void check_loops() {
    std::set<std::string> names;
    std::vector<std::string> objects;
    for (const ObjectSpec& o : robot_.objects) objects.push_back(o.name);
    for (const LoopSpec& l : robot_.loops) {
      const auto wrong = [&](std::string text, std::string suggestion) {
        out_.push_back({l.place, Severity::error, "loop '" + l.name + "': " + text, std::move(suggestion)});
      };
      if (!usable_name(l.name)) wrong("this name cannot be used", kNameRule);
      if (!names.insert(l.name).second) wrong("this name is used twice", "give every loop its own name");
      for (const std::string& end : {l.a, l.b})
        if (!robot_.find(end)) wrong("there is no object '" + end + "'", did_you_mean(end, objects));
      if (!finite(l.at) || (l.meets && !finite(*l.meets))) wrong("its place is not finite", "");
      if (!finite(l.axis) || !(norm(l.axis) > 0)) wrong("its axis has no direction", "write axis = [0, 1, 0]");
      if (!finite(l.width) || !(l.width > 0)) wrong("its width is not above 0", "leave it out: 5 cm");
    }
  }

  void check_feet() {
    std::vector<std::string> bodies;
    for (const ObjectSpec& o : robot_.objects) {
      if (!o.shapes.empty()) bodies.push_back(o.name);
    }
    for (const std::string& foot : robot_.feet) {
      const ObjectId id = robot_.find(foot);
      if (!id) {
        robot_fault("feet", "the foot '" + foot + "' is not an object of the robot", did_you_mean(foot, bodies));
      } else if (robot_.objects[static_cast<std::size_t>(id.value)].shapes.empty()) {
        robot_fault("feet", "the foot '" + foot + "' has no shape to stand on", did_you_mean(foot, bodies));
      }
    }
  }

  const RobotSpec& robot_;
  const PlaceOf& place_of_;
  Diagnostics out_;
  std::unordered_map<std::string, std::size_t> index_;  // first object of each name
  std::size_t i_ = 0;                                   // the object being checked
  bool tree_is_sound_ = true;
};

class SceneCheck {
 public:
  SceneCheck(const SceneSpec& scene, const ScenePlaceOf& place_of) : scene_(scene), place_of_(place_of) {}

  Diagnostics run() {
    check_world();
    check_contact();
    check_pairs();
    check_maps();
    check_field();
    check_robots();
    check_groups(scene_, [this](const std::string& path, const Place& otherwise, const std::string& text,
                                const std::string& suggestion) { fault(path, otherwise, text, suggestion); });
    return std::move(out_);
  }

 private:
  void fault(const std::string& path, const Place& otherwise, std::string text, std::string suggestion) {
    const std::optional<Place> place = place_of_ ? place_of_(path) : std::optional<Place>(otherwise);
    if (place) out_.push_back({*place, Severity::error, std::move(text), std::move(suggestion)});
  }
  void world_fault(const std::string& key, std::string text, std::string suggestion) {
    fault("world." + key, {scene_.file}, std::move(text), std::move(suggestion));
  }

  void check_world() {
    if (!(scene_.step >= kShortestStep && scene_.step <= 0.1)) {
      world_fault("step", fmt::format("the step is {} s", scene_.step),
                  "use a step from 1 ns to 100 ms, e.g. \"1 ms\"");
    }
    if (!finite(scene_.gravity)) world_fault("gravity", "gravity is not finite", "");
    if (!(scene_.duration > 0 && scene_.duration <= kLongestRun)) {
      world_fault("duration", fmt::format("the duration is {} s", scene_.duration),
                  "it must be greater than 0 and at most 1e8 s");
    }
    if (!(scene_.log_period >= kShortestStep && scene_.log_period <= kLongestRun)) {
      world_fault("log", fmt::format("the log period is {} s", scene_.log_period), "it must be from 1 ns to 1e8 s");
    }
    const std::vector<std::string> volumes{"sphere", "aabb", "obb"};
    if (std::find(volumes.begin(), volumes.end(), scene_.volumes) == volumes.end())
      world_fault("volumes", "there are no bounding volumes '" + scene_.volumes + "'",
                  did_you_mean(scene_.volumes, volumes));
  }

  void check_contact() {
    const ContactSpec& c = scene_.contact;
    if (std::find(known_contact_laws().begin(), known_contact_laws().end(), c.law) == known_contact_laws().end()) {
      world_fault("contact.law", "there is no contact law '" + c.law + "'", did_you_mean(c.law, known_contact_laws()));
    }
    const auto number = [&](const char* key, double x, double least, bool least_allowed) {
      if (finite(x) && (x > least || (least_allowed && x == least))) return;
      world_fault(std::string("contact.") + key, fmt::format("contact {} is {}", key, x),
                  least_allowed ? "it must not be negative" : "it must be greater than 0");
    };
    number("stiffness", c.stiffness, 0, false);
    number("damping", c.damping, 0, true);
    number("tangential_stiffness", c.tangential_stiffness, 0, false);
    number("tangential_damping", c.tangential_damping, 0, true);
    number("depth", c.depth, 0, true);
    number("friction", c.friction, 0, true);
    number("restitution", c.restitution, 0, true);
    number("rolling", c.rolling, 0, true);
    number("torsion", c.torsion, 0, true);
    number("s_c", c.spring.s_c, 0, false);
    number("s_b", c.spring.s_b, 0, true);
    number("s_mu", c.spring.s_mu, 0, true);
    number("s_nu", c.spring.s_nu, 0, true);
    number("moving_stiffness", c.moving_stiffness, 0, false);
    number("moving_damping", c.moving_damping, 0, true);
    number("impact_speed", c.impact_speed, 0, true);
    number("recovery_speed", c.recovery_speed, 0, false);
    number("sleep_speed", c.sleep_speed, 0, true);
    number("sleep_after", c.sleep_after, 0, true);
    if (c.restitution > 1)
      world_fault("contact.restitution", "contact restitution is above 1", "it is a part of the speed: 0 … 1");
  }

  void check_pairs() {
    const std::vector<ContactPairSpec>& pairs = scene_.contact.pairs;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const ContactPairSpec& p = pairs[i];
      const std::string who = "pair of '" + p.a + "' and '" + p.b + "': ";
      const SurfaceSpec numbers{"", p.friction, p.stiffness, p.damping, p.restitution, p.rolling, p.torsion};
      const std::string text = surface_fault(numbers);
      if (!text.empty())
        fault("contact.pair", p.place, who + text, "numbers must be finite, not negative, restitution at most 1");
      if (p.a.empty() || p.b.empty()) fault("contact.pair", p.place, who + "a material has no name", "");
      for (std::size_t k = 0; k < i; ++k)
        if ((pairs[k].a == p.a && pairs[k].b == p.b) || (pairs[k].a == p.b && pairs[k].b == p.a))
          fault("contact.pair", p.place, who + "it is given twice", "remove one of them");
    }
  }

  void check_maps() {
    for (const HeightMapSpec& m : scene_.maps) {
      const HeightGrid& g = m.grid;
      const bool sound = g.nx >= 2 && g.ny >= 2 &&
                         g.z.size() == static_cast<std::size_t>(g.nx) * static_cast<std::size_t>(g.ny) &&
                         finite(g.dx) && g.dx > 0 && finite(g.dy) && g.dy > 0 && finite(g.x0) && finite(g.y0);
      if (!sound)
        fault("world", {m.file, 0, 0}, "the map is not a grid of at least 2 × 2 heights with cells above 0", "");
      else if (m.walls && flat_rectangles(g).size() > kMostWallBoxes)
        fault("world", {m.file, 0, 0}, fmt::format("the map has more than {} flat pieces for upright walls", kMostWallBoxes),
              "make its heights whole multiples of something, or leave out risers = \"vertical\"");
    }
  }

  void check_field() {
    std::set<std::string> names;
    for (const FieldObjectSpec& f : scene_.field) {
      const std::string path = "field." + f.name, who = "field object '" + f.name + "': ";
      const Place& place = f.shape.place;
      if (!usable_name(f.name)) fault(path, place, who + "this name cannot be used", "no '.', '=', '/' or blanks");
      if (!names.insert(f.name).second)
        fault(path, place, who + "this name is used twice", "give every object its own name");
      const std::string text = shape_fault(f.shape, scene_.meshes.size(), scene_.maps.size());
      if (!text.empty()) fault(path + ".shape", place, who + text, "sizes must be finite and greater than 0");
      const std::string rough = surface_fault(f.surface);
      if (!rough.empty())
        fault(path + ".surface", place, who + rough, "surface numbers must be finite and not negative");
      if (!finite(f.X_WO.p) || !rotation_matrix(f.X_WO.R))
        fault(path + ".pose", place, who + "its pose is not finite", "");
      if (bad_colour(f.colour)) fault(path + ".colour", place, who + "a colour has three parts from 0 to 1", "");
    }
  }

  void check_robots() {
    const auto first = [&](ShapeKind kind) {
      const auto it = std::find_if(scene_.field.begin(), scene_.field.end(),
                                   [&](const FieldObjectSpec& f) { return f.shape.kind == kind; });
      return it == scene_.field.end() ? nullptr : &*it;
    };
    const FieldObjectSpec* plane = first(ShapeKind::plane);
    const FieldObjectSpec* ground = plane != nullptr ? plane : first(ShapeKind::height_field);
    std::set<std::string> names;
    for (const RobotInstanceSpec& r : scene_.robots) {
      const std::string path = "robot." + r.name, who = "robot '" + r.name + "': ";
      if (!usable_name(r.name)) fault(path, r.place, who + "this name cannot be used", "no '.', '=', '/' or blanks");
      if (r.name == "world")
        fault(path, r.place, who + "this name is taken by the world's own properties", "call it otherwise");
      if (!names.insert(r.name).second)
        fault(path, r.place, who + "this name is used twice", "give every robot its own name");
      check_start(r, path, who, ground);
      check_motion(r, path, who);
      check_controller(r, path, who);
    }
  }

  void check_start(const RobotInstanceSpec& r, const std::string& path, const std::string& who,
                   const FieldObjectSpec* ground) {
    const Quat& q = r.q_WB;
    const double n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!finite(r.p_WB) || !(std::fabs(n - 1) < 1e-6)) {
      fault(path + ".pose", r.place, who + "its pose is not finite, or its quaternion not of length 1", "");
    }
    if (!finite(r.v_WB) || !finite(r.w_WB)) fault(path + ".velocity", r.place, who + "its velocity is not finite", "");
    if (r.robot.root == RootKind::fixed && !(is_zero(r.v_WB) && is_zero(r.w_WB))) {
      fault(path + ".velocity", r.place, who + "its base is fixed and has a velocity", "remove the velocity");
    }
    if (r.on_ground) check_ground(r, path, who, ground);
  }

  /// Standing means that the lowest point of a shape touches the plane below it.
  void check_ground(const RobotInstanceSpec& r, const std::string& path, const std::string& who,
                    const FieldObjectSpec* ground) {
    constexpr double kSteepest = 0.1;  // z of the plane's normal; 84 degrees
    const auto touches = [](const ObjectSpec& o) {
      return std::any_of(o.shapes.begin(), o.shapes.end(), [](const ShapeSpec& s) { return s.collides; });
    };
    if (ground == nullptr) {
      fault(path + ".pose", r.place, who + "it is to stand on the ground, but the field has no plane or height field",
            "include a field with a plane, e.g. fields/plane.toml, or give z");
    } else if (!((ground->X_WO.R * ground->shape.X_OS.R.z).z > kSteepest)) {
      fault(path + ".pose", r.place, who + "it is to stand on '" + ground->name + "', which is too steep", "give z");
    } else if (std::none_of(r.robot.objects.begin(), r.robot.objects.end(), touches)) {
      fault(path + ".pose", r.place, who + "it is to stand on the ground, but has no shape that touches it", "give z");
    }
  }

  void check_motion(const RobotInstanceSpec& r, const std::string& path, const std::string& who) {
    const std::string at = path + ".motion";
    if (!r.group.empty()) return;  // its group says how it moves
    const std::vector<std::string>& known = known_motions();
    const std::vector<std::string>& of_groups = known_group_motions();
    if (std::find(of_groups.begin(), of_groups.end(), r.motion) != of_groups.end()) {
      fault(at, r.place, who + r.motion + " moves groups, not single robots",
            "write group = \"match\" instead, and [group.match]");
      return;
    }
    if (std::find(known.begin(), known.end(), r.motion) == known.end()) {
      fault(at, r.place, who + "there is no motion '" + r.motion + "'", did_you_mean(r.motion, known));
      return;
    }
    const auto has_mass = [](const ObjectSpec& o) { return o.mass > 0 || (o.is_joint() && o.servo.rotor > 0); };
    const auto is_joint = [](const ObjectSpec& o) { return o.is_joint(); };
    const std::vector<ObjectSpec>& objects = r.robot.objects;
    const bool moves = r.robot.root == RootKind::free || std::any_of(objects.begin(), objects.end(), is_joint);
    if (r.motion == "kinematic_walk") {
      if (r.robot.feet.empty()) {
        fault(at, r.place, who + "kinematic_walk needs feet, and '" + r.robot.name + "' names none",
              "add feet = [...] to the robot, or choose another motion");
      }
    } else if (moves && std::none_of(objects.begin(), objects.end(), has_mass)) {
      fault(at, r.place, who + "the motion " + r.motion + " needs masses, and '" + r.robot.name + "' has none",
            "give its bodies masses, or use kinematic_walk");
    }
    if (r.motion == "free_body" && std::any_of(objects.begin(), objects.end(), is_joint)) {
      fault(at, r.place, who + "free_body moves one rigid body, and '" + r.robot.name + "' has joints",
            "use articulated or single_body");
    }
  }

  void check_controller(const RobotInstanceSpec& r, const std::string& path, const std::string& who) {
    const ControllerSpec& c = r.controller;
    const Place& place = c.place.line > 0 ? c.place : r.place;
    const std::string at = path + ".controller";
    const std::vector<std::string>& known = known_controllers();
    if (std::find(known.begin(), known.end(), c.kind) == known.end()) {
      fault(at, place, who + "there is no controller '" + c.kind + "'", did_you_mean(c.kind, known));
    } else if (c.kind != "none" && c.file.empty()) {
      fault(at, place, who + "its controller names no file", "");
    }
    if (!(finite(c.period) && c.period > 0)) {
      fault(at + ".rate", place, who + fmt::format("its controller's period is {} s", c.period),
            "it must be greater than 0");
    } else if (c.kind != "none" && c.period < scene_.step * (1 - 1e-9)) {
      fault(at + ".rate", place,
            who + fmt::format("its controller's period {} s is shorter than the step {} s", c.period, scene_.step),
            "lower its rate, or shorten the step");
    }
    if (!(finite(c.start) && c.start >= 0)) {
      fault(at + ".start", place, who + fmt::format("its controller starts at {} s", c.start),
            "it must not be negative");
    }
  }

  const SceneSpec& scene_;
  const ScenePlaceOf& place_of_;
  Diagnostics out_;
};

}  // namespace

const std::vector<std::string>& known_motions() {
  static const std::vector<std::string> names{"kinematic_walk", "single_body", "prescribed_joints", "articulated",
                                              "free_body"};
  return names;
}

const std::vector<std::string>& known_controllers() {
  static const std::vector<std::string> names{"none", "keyframes", "walk", "policy", "gait", "plan", "library", "process", "tcp", "lola", "dynamixel", "naoqi"};
  return names;
}

const std::vector<std::string>& known_contact_laws() {
  static const std::vector<std::string> names{"compliant", "spring"};
  return names;
}

Diagnostics check(const RobotSpec& robot, const PlaceOf& place_of) { return RobotCheck(robot, place_of).run(); }
Diagnostics check(const RobotSpec& robot) { return check(robot, nullptr); }

Diagnostics check_scene(const SceneSpec& scene, const ScenePlaceOf& place_of) {
  return SceneCheck(scene, place_of).run();
}

Diagnostics check(const SceneSpec& scene) {
  Diagnostics all = check_scene(scene, nullptr);
  for (const RobotInstanceSpec& r : scene.robots) {
    for (Diagnostic& d : check(r.robot)) {
      if (d.place.file.empty()) d.text = "robot '" + r.name + "': " + d.text;
      all.push_back(std::move(d));
    }
  }
  return all;
}

}  // namespace gradus

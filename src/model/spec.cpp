#include "model/spec.h"
#include "model/joints/joint_type.h"

#include <algorithm>
#include <numbers>
#include <utility>

namespace gradus {

const ContactSpec::Constants ContactSpec::usual{2e4, 150, 1e4, 100};
const double ContactSpec::usual_moving_stiffness = 1e6, ContactSpec::usual_moving_damping = 1000;

std::optional<RootKind> root_kind(const std::string& word) {
  if (word == "free") return RootKind::free;
  if (word == "fixed") return RootKind::fixed;
  return std::nullopt;
}

bool touches_anything(const RobotSpec& robot) {
  return std::any_of(robot.objects.begin(), robot.objects.end(), [](const ObjectSpec& o) {
    return std::any_of(o.shapes.begin(), o.shapes.end(), [](const ShapeSpec& s) { return s.collides; });
  });
}

const char* to_string(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::base:
      return "base";
    case ObjectKind::translation:
      return "translation";
    case ObjectKind::rotation:
      return "rotation";
    case ObjectKind::revolute:
      return "revolute";
    case ObjectKind::prismatic:
      return "prismatic";
    case ObjectKind::fork:
      return "fork";
    case ObjectKind::endpoint:
      return "endpoint";
  }
  return "?";
}

const char* to_string(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::sphere:
      return "sphere";
    case ShapeKind::box:
      return "box";
    case ShapeKind::capsule:
      return "capsule";
    case ShapeKind::cylinder:
      return "cylinder";
    case ShapeKind::mesh:
      return "mesh";
    case ShapeKind::plane:
      return "plane";
    case ShapeKind::hull:
      return "hull";
    case ShapeKind::height_field:
      return "height_field";
  }
  return "?";
}

const char* to_string(GearModel model) {
  switch (model) {
    case GearModel::rigid:
      return "rigid";
    case GearModel::elastic:
      return "elastic";
    case GearModel::motoflex:
      return "motoflex";
  }
  return "?";
}

ObjectId RobotSpec::find(const std::string& object_name) const {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (objects[i].name == object_name) return ObjectId(static_cast<int>(i));
  }
  return ObjectId();
}

ObjectId RobotSpec::find_joint(const std::string& joint_name) const {
  const ObjectId id = find(joint_name);
  return id && objects[static_cast<std::size_t>(id.value)].is_joint() ? id : ObjectId();
}

std::vector<std::string> RobotSpec::joint_names() const {
  std::vector<std::string> names;
  for (const ObjectSpec& o : objects) {
    if (o.is_joint()) names.push_back(o.name);
  }
  return names;
}

RobotBuilder::RobotBuilder(std::string name) { spec_.name = std::move(name); }

RobotBuilder& RobotBuilder::fixed() {
  spec_.root = RootKind::fixed;
  return *this;
}

RobotBuilder& RobotBuilder::add(ObjectSpec o) {
  if (o.kind != ObjectKind::base) o.parent = next_parent_;
  spec_.objects.push_back(std::move(o));
  next_parent_ = ObjectId(static_cast<int>(spec_.objects.size()) - 1);
  return *this;
}

namespace {

ObjectSpec object(std::string name, ObjectKind kind) {
  ObjectSpec o;
  o.name = std::move(name);
  o.kind = kind;
  return o;
}

}  // namespace

RobotBuilder& RobotBuilder::base(std::string name) { return add(object(std::move(name), ObjectKind::base)); }
RobotBuilder& RobotBuilder::fork(std::string name) { return add(object(std::move(name), ObjectKind::fork)); }
RobotBuilder& RobotBuilder::endpoint(std::string name) { return add(object(std::move(name), ObjectKind::endpoint)); }

RobotBuilder& RobotBuilder::translation(std::string name, Vec3 offset) {
  ObjectSpec o = object(std::move(name), ObjectKind::translation);
  o.offset = offset;
  return add(std::move(o));
}

RobotBuilder& RobotBuilder::rotation(std::string name, Vec3 axis, double angle) {
  ObjectSpec o = object(std::move(name), ObjectKind::rotation);
  o.axis = axis;
  o.angle = angle;
  return add(std::move(o));
}

RobotBuilder& RobotBuilder::revolute(std::string name, Vec3 axis) {
  ObjectSpec o = object(std::move(name), ObjectKind::revolute);
  o.axis = axis;
  return add(std::move(o));
}

RobotBuilder& RobotBuilder::prismatic(std::string name, Vec3 axis) {
  ObjectSpec o = object(std::move(name), ObjectKind::prismatic);
  o.axis = axis;
  return add(std::move(o));
}

std::vector<ObjectSpec> coordinates_of(const JointType& type, const std::string& name) {
  std::vector<ObjectSpec> out;
  for (int k = 0; k < type.dof; ++k) {
    const auto u = static_cast<std::size_t>(k);
    const Vec6& S = type.S[u];
    const bool turns = dot(S.a, S.a) > 0;
    ObjectSpec o = object(name + std::string(type.suffix[u]), turns ? ObjectKind::revolute : ObjectKind::prismatic);
    o.axis = turns ? S.a : S.l;
    o.type = &type, o.column = k;
    out.push_back(std::move(o));
  }
  return out;
}

RobotBuilder& RobotBuilder::joint(const std::string& name, const JointType& type) {
  for (ObjectSpec& o : coordinates_of(type, name)) add(std::move(o));
  return fork(name);
}

/// A name that is not there leaves the next object without a parent, which check() reports.
RobotBuilder& RobotBuilder::after(const std::string& object_name) {
  next_parent_ = spec_.find(object_name);
  return *this;
}

RobotBuilder& RobotBuilder::mass(double m, Vec3 com, Sym3 inertia_about_com) {
  last().mass = m;
  last().com = com;
  last().inertia = inertia_about_com;
  return *this;
}

RobotBuilder& RobotBuilder::solid_box(double m, Vec3 size, Vec3 centre) {
  ShapeSpec s;
  s.kind = ShapeKind::box;
  s.size = size;
  s.X_OS.p = centre;
  return mass(m, centre, inertia_of_box(m, size)).shape(std::move(s));
}

RobotBuilder& RobotBuilder::solid_sphere(double m, double radius, Vec3 centre) {
  ShapeSpec s;
  s.kind = ShapeKind::sphere;
  s.radius = radius;
  s.X_OS.p = centre;
  return mass(m, centre, inertia_of_sphere(m, radius)).shape(std::move(s));
}

RobotBuilder& RobotBuilder::shape(ShapeSpec s) {
  last().shapes.push_back(std::move(s));
  return *this;
}

RobotBuilder& RobotBuilder::limits(double lower, double upper) {
  last().lower = lower;
  last().upper = upper;
  return *this;
}

RobotBuilder& RobotBuilder::drive(DriveSpec d) {
  last().drive = std::move(d);
  return *this;
}

RobotBuilder& RobotBuilder::servo(ServoSpec s) {
  last().servo = s;
  return *this;
}

RobotBuilder& RobotBuilder::friction(double coulomb) {
  last().surface.friction = coulomb;
  return *this;
}

RobotBuilder& RobotBuilder::initial(double q) {
  last().initial = q;
  return *this;
}

RobotBuilder& RobotBuilder::loop(LoopSpec loop) {
  spec_.loops.push_back(std::move(loop));
  return *this;
}
RobotBuilder& RobotBuilder::foot() {
  spec_.feet.push_back(last().name);
  return *this;
}

Sym3 inertia_of_box(double mass, Vec3 size) {
  const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z, k = mass / 12;
  return {k * (y + z), 0, 0, k * (x + z), 0, k * (x + y)};
}

Sym3 inertia_of_sphere(double mass, double radius) {
  const double i = 0.4 * mass * radius * radius;
  return {i, 0, 0, i, 0, i};
}

Sym3 inertia_of_cylinder(double mass, double radius, double length) {
  const double across = mass * (3 * radius * radius + length * length) / 12, along = 0.5 * mass * radius * radius;
  return {across, 0, 0, across, 0, along};
}

/// Cylinder of mass m_c and two half spheres of m_s together, whose centres of mass are 3r/8 beyond the cylinder's
/// ends:
///   along:  m_c r²/2 + 2/5 m_s r²                                                          (1)
///   across: m_c (3r² + l²)/12 + m_s (2/5 r² + l²/4 + 3/8 l r)                              (2)
/// (2) is the parallel-axis theorem twice: 2/5 r² − (3r/8)² + (l/2 + 3r/8)².
Sym3 inertia_of_capsule(double mass, double radius, double length) {
  const double r = radius, l = length;
  const double volume_c = std::numbers::pi * r * r * l, volume_s = 4.0 / 3 * std::numbers::pi * r * r * r;
  const double m_c = mass * volume_c / (volume_c + volume_s), m_s = mass - m_c;
  const double along = r * r * (0.5 * m_c + 0.4 * m_s);                                                       // (1)
  const double across = m_c * (3 * r * r + l * l) / 12 + m_s * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);  // (2)
  return {across, 0, 0, across, 0, along};
}

}  // namespace gradus

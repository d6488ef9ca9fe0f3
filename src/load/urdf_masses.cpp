#include "load/urdf_masses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "load/mesh.h"
#include "model/inertia.h"

namespace gradus {
namespace {

constexpr double kPi = 3.14159265358979323846;

bool is_zero(const Sym3& s) { return s.xx == 0 && s.xy == 0 && s.xz == 0 && s.yy == 0 && s.yz == 0 && s.zz == 0; }

/// What subtraction leaves of zero: of a mass within a ten-millionth of a metre.
bool negligible(const Sym3& s, double mass) {
  constexpr double kSquare = 1e-14;  // [m²]
  const double largest =
      std::max({std::fabs(s.xx), std::fabs(s.xy), std::fabs(s.xz), std::fabs(s.yy), std::fabs(s.yz), std::fabs(s.zz)});
  return largest < kSquare * mass;
}

std::string text_of(const Sym3& s) {
  std::string text;
  for (const double x : {s.xx, s.yy, s.zz, s.xy, s.xz, s.yz})
    text += fmt::format("{:.4g} ", x == 0 ? 0.0 : x);  // never "-0"
  text.pop_back();
  return text;
}

/// By Newton's method, since the library's may differ in the last bit from machine to machine.
double cube_root(double x) {
  double r = std::max(x, 1.0);
  for (int i = 0; i < 200; ++i) r = (2 * r + x / (r * r)) / 3;
  return r;
}

RigidBody solid_box(Vec3 low, Vec3 high) {
  const Vec3 size = high - low;
  const double mass = kUrdfDensity * size.x * size.y * size.z;
  return {mass, (low + high) * 0.5, inertia_of_box(mass, size)};
}

/// What a mesh encloses, or its bounding box if the surface has holes.
RigidBody solid_mesh(const MeshSpec& mesh) {
  const SolidProperties solid = is_closed(mesh) ? solid_properties(mesh) : SolidProperties{};
  if (solid.volume > 0) {
    const Sym3& I = solid.inertia;
    const double k = kUrdfDensity;
    return {k * solid.volume, solid.centre, {k * I.xx, k * I.xy, k * I.xz, k * I.yy, k * I.yz, k * I.zz}};
  }
  Vec3 low = mesh.vertices.front(), high = low;
  for (const Vec3& v : mesh.vertices)
    for (double Vec3::*part : {&Vec3::x, &Vec3::y, &Vec3::z})
      low.*part = std::min(low.*part, v.*part), high.*part = std::max(high.*part, v.*part);
  return solid_box(low, high);
}

/// A shape filled with kUrdfDensity, in its own frame.
RigidBody solid_shape(const ShapeSpec& s, const std::vector<MeshSpec>& meshes) {
  const double rr = s.radius * s.radius;
  switch (s.kind) {
    case ShapeKind::sphere: {
      const double m = kUrdfDensity * 4 / 3 * kPi * rr * s.radius;
      return {m, {0, 0, 0}, inertia_of_sphere(m, s.radius)};
    }
    case ShapeKind::cylinder: {
      const double m = kUrdfDensity * kPi * rr * s.length;
      return {m, {0, 0, 0}, inertia_of_cylinder(m, s.radius, s.length)};
    }
    case ShapeKind::capsule: {
      const double m = kUrdfDensity * kPi * rr * (s.length + 4.0 / 3 * s.radius);
      return {m, {0, 0, 0}, inertia_of_capsule(m, s.radius, s.length)};
    }
    case ShapeKind::box:
      return solid_box(s.size * -0.5, s.size * 0.5);
    case ShapeKind::mesh:
    case ShapeKind::hull:
      return solid_mesh(meshes[static_cast<std::size_t>(s.mesh)]);
    case ShapeKind::plane:
    case ShapeKind::height_field:
      break;
  }
  return {};
}

/// The object's colliding shapes, or those that are only drawn where it has no others, as solids in its frame.
RigidBody solid_object(const ObjectSpec& o, const std::vector<MeshSpec>& meshes) {
  const bool collides = std::any_of(o.shapes.begin(), o.shapes.end(), [](const ShapeSpec& s) { return s.collides; });
  RigidBody out;
  for (const ShapeSpec& s : o.shapes) {
    if (s.collides != collides) continue;
    const RigidBody solid = solid_shape(s, meshes);
    if (solid.mass > 0) out.add(solid.mass, s.X_OS * solid.com, rotated(s.X_OS.R, solid.inertia));
  }
  return out;
}

class MassCompletion {
 public:
  MassCompletion(RobotSpec& robot, const MassNote& note) : robot_(robot), note_(note) {}

  void run() {
    for (std::size_t i = 0; i < robot_.objects.size(); ++i) repair(i);
    give_inertia_to_points();
    give_mass_to_joints();
    bolt_down_a_base_without_mass();
    give_rotors_to_light_joints();
  }

 private:
  void repair(std::size_t i) {
    ObjectSpec& o = robot_.objects[i];
    if (is_zero(o.inertia)) return;
    if (o.mass == 0) {
      note_(i, "inertia", "an inertia without a mass is ignored", "give the mass in kg, or remove <inertial>");
      o.inertia = {0, 0, 0, 0, 0, 0};
      return;
    }
    if (negligible(o.inertia, o.mass)) {
      o.inertia = {0, 0, 0, 0, 0, 0};
      return;
    }
    if (o.mass < 0 || (positive_definite(o.inertia) && triangle_holds(o.inertia))) return;
    const Sym3 before = o.inertia;
    const std::optional<Sym3> after = nearest_possible_inertia(before);
    if (!after) return;  // check() refuses it
    o.inertia = *after;
    note_(
        i, "inertia",
        fmt::format("no body has the inertia (xx yy zz xy xz yz) {}: it becomes {}", text_of(before), text_of(*after)),
        "all principal moments are > 0, and none exceeds the sum of the other two");
  }

  /// Rigid bodies that have a mass but do not resist turning.
  void give_inertia_to_points() {
    const RigidBodies rigid = rigid_bodies(robot_);
    for (std::size_t b = 0; b < rigid.bodies.size(); ++b) {
      if (!(rigid.bodies[b].mass > 0) || positive_definite(rigid.bodies[b].inertia)) continue;
      for (std::size_t i = 0; i < robot_.objects.size(); ++i) {
        ObjectSpec& o = robot_.objects[i];
        if (rigid.of_object[i] != static_cast<int>(b) || !(o.mass > 0) || !is_zero(o.inertia)) continue;
        o.inertia = inertia_for(o);
        note_(i, "inertia",
              fmt::format("a mass without inertia: {} kg m² (xx yy zz xy xz yz) is taken", text_of(o.inertia)),
              "give the link's inertia");
      }
    }
  }

  /// Of the object's shapes, scaled to its mass; of a ball if it has none.
  Sym3 inertia_for(const ObjectSpec& o) const {
    const RigidBody solid = solid_object(o, robot_.meshes);
    if (solid.mass > 0 && positive_definite(solid.inertia)) {
      const double k = o.mass / solid.mass;
      const Sym3& I = solid.inertia;
      return {k * I.xx, k * I.xy, k * I.xz, k * I.yy, k * I.yz, k * I.zz};
    }
    return inertia_of_sphere(o.mass, cube_root(3 * o.mass / (4 * kPi * kUrdfDensity)));
  }

  /// Which joints carry a mass, themselves or through what follows them.
  std::vector<bool> carries() const {
    const std::size_t n = robot_.objects.size();
    std::vector<bool> out(n);
    for (std::size_t i = n; i-- > 0;) {
      const ObjectSpec& o = robot_.objects[i];
      if (o.mass > 0) out[i] = true;
      if (out[i] && o.parent) out[static_cast<std::size_t>(o.parent.value)] = true;
    }
    return out;
  }

  void give_mass_to_joints() {
    const std::vector<bool> carried = carries();
    std::vector<bool> empty(robot_.objects.size());  // objects that only joints without any mass move
    for (std::size_t i = 0; i < robot_.objects.size(); ++i) {
      const ObjectSpec& o = robot_.objects[i];
      empty[i] = o.parent && (empty[static_cast<std::size_t>(o.parent.value)] || (o.is_joint() && !carried[i]));
      if (empty[i]) fill(i);
    }
    if (std::none_of(robot_.objects.begin(), robot_.objects.end(), [](const ObjectSpec& o) { return o.mass > 0; }))
      give_mass_to_all();
    const std::vector<bool> now = carries();
    for (std::size_t i = 0; i < robot_.objects.size(); ++i) {
      ObjectSpec& o = robot_.objects[i];
      if (!o.is_joint() || now[i] || o.mimic || o.servo.rotor > 0) continue;
      o.servo.rotor = kUrdfLeastInertia;
      note_(i, "mass",
            fmt::format("the joint moves nothing that has a mass or a shape: a rotor inertia of {} {} is taken",
                        kUrdfLeastInertia, o.kind == ObjectKind::revolute ? "kg m²" : "kg"),
            "give the link after it an <inertial>, or make the joint fixed");
    }
  }

  /// Neither masses nor shapes: every moving link becomes a ball.
  void give_mass_to_all() {
    const RigidBodies rigid = rigid_bodies(robot_);
    for (std::size_t b = 1; b < rigid.first.size(); ++b) {
      ObjectSpec& o = robot_.objects[static_cast<std::size_t>(rigid.first[b])];
      o.mass = kUrdfLinkMass;
      o.inertia = inertia_for(o);
    }
    if (rigid.first.size() > 1)
      note_(static_cast<std::size_t>(rigid.first[1]), "mass",
            fmt::format("no link has a mass or a shape: {} kg is taken for each that moves", kUrdfLinkMass),
            "give the links <inertial>");
  }

  /// A motor that could bring its link to top speed within a millisecond is one whose own inertia the file leaves out:
  /// seen at the joint it is T_m · stall torque / no-load speed, T_m being its mechanical time constant.
  void give_rotors_to_light_joints() {
    const std::size_t n = robot_.objects.size();
    std::vector<Pose> X_RO(n, identity_pose());  // frames at q = 0, in the root's
    std::vector<RigidBody> carried(n);           // what the object and all after it weigh, in the root's frame
    for (std::size_t i = 1; i < n; ++i)
      X_RO[i] = X_RO[static_cast<std::size_t>(robot_.objects[i].parent.value)] * own_transform(robot_.objects[i]);
    for (std::size_t i = n; i-- > 1;) {
      const ObjectSpec& o = robot_.objects[i];
      if (o.mass > 0) carried[i].add(o.mass, X_RO[i] * o.com, rotated(X_RO[i].R, o.inertia));
      const RigidBody& b = carried[i];
      if (b.mass > 0) carried[static_cast<std::size_t>(o.parent.value)].add(b.mass, b.com, b.inertia);
    }
    for (std::size_t i = 1; i < n; ++i) give_rotor(i, X_RO[i], carried[i]);
  }

  void give_rotor(std::size_t i, const Pose& X_RO, const RigidBody& carried) {
    ObjectSpec& o = robot_.objects[i];
    const double torque = o.servo.torque, speed = o.servo.speed;
    if (!o.is_joint() || o.servo.rotor > 0 || !std::isfinite(torque) || !std::isfinite(speed)) return;
    const Vec3 axis = X_RO.R * (o.axis * (1 / norm(o.axis)));
    Sym3 I = carried.inertia;
    I += point_inertia(carried.mass, carried.com - X_RO.p);
    const double inertia = o.kind == ObjectKind::prismatic ? carried.mass : dot(axis, I * axis);
    if (torque * kUrdfTooQuick <= speed * inertia) return;
    o.servo.rotor = torque * kUrdfMotorTime / speed;
    note_(i, "servo",
          fmt::format("its effort brings it to its velocity within 1 ms, so the motor's own inertia is missing: {:.3g} "
                      "{} is taken",
                      o.servo.rotor, o.kind == ObjectKind::prismatic ? "kg" : "kg m²"),
          fmt::format("--set ROBOT.{}.rotor=… sets it; with the real motor's it needs no guess", o.name));
  }

  void fill(std::size_t i) {
    ObjectSpec& o = robot_.objects[i];
    const RigidBody solid = solid_object(o, robot_.meshes);
    if (!(solid.mass > 0) || !positive_definite(solid.inertia)) return;
    o.mass = solid.mass, o.com = solid.com, o.inertia = solid.inertia;
    note_(
        i, "mass",
        fmt::format("the link moves but has no mass: {:.4g} kg is taken, its shapes at {} kg/m³", o.mass, kUrdfDensity),
        "give it an <inertial>");
  }

  /// Arms come without a mass of their foot; it is bolted down, as other programs take it. A thing without joints gets
  /// the mass of its shapes.
  void bolt_down_a_base_without_mass() {
    const RigidBodies rigid = rigid_bodies(robot_);
    if (robot_.root == RootKind::fixed || rigid.bodies[0].mass > 0) return;
    if (rigid.bodies.size() == 1) {
      for (std::size_t i = 0; i < robot_.objects.size(); ++i) fill(i);
      return;
    }
    robot_.root = RootKind::fixed;
    note_(0, "mass", "the root link has no mass: the base is bolted to the world",
          "give it an <inertial> to set the robot free");
  }

  RobotSpec& robot_;
  const MassNote& note_;
};

}  // namespace

void complete_masses(RobotSpec& robot, const MassNote& note) { MassCompletion(robot, note).run(); }

}  // namespace gradus

/// The parts of descriptions that robots, fields and scenes share: shapes, surfaces, colours, servos, poses.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "load/find_file.h"
#include "load/toml_file.h"
#include "model/spec.h"

namespace gradus {

/// Units of a joint's numbers: a revolute turns, a prismatic slides.
struct JointUnits {
  Dimension q, speed, force, stiffness, damping, inertia;
  static JointUnits of(ObjectKind kind);
};

/// Where shapes find their meshes and where those go.
struct ShapeMeshes {
  std::vector<MeshSpec>& meshes;
  const LoadOptions& options;
  std::map<std::string, int> known;            // "file|scale" -> index
  std::vector<HeightMapSpec>* maps = nullptr;  // of the scene; robots have none
};

/// shape = { box = ["10 cm", "4 cm", "2 cm"], at = [...], rpy = [...], collides = true, visible = true }, "plane", or
/// an array of such tables.
bool read_shapes(const toml::node& node, ShapeMeshes& store, std::vector<ShapeSpec>& out, Diagnostics& log);
bool read_shape(const toml::node& node, ShapeMeshes& store, ShapeSpec& out, Diagnostics& log);

/// Inertia of the uniform solid of a shape about its centre, in the axes of the object. Not for meshes and planes.
bool inertia_of_shape(const ShapeSpec& shape, double mass, Sym3& out);

bool read_surface(const toml::table& table, SurfaceSpec& out, Diagnostics& log);
bool read_colour(TableReader& t, std::optional<Vec3>& out);

/// Overrides the numbers of `out` that the table gives.
bool read_servo(const toml::table& table, ObjectKind kind, ServoSpec& out, Diagnostics& log);
/// Which kind of joint the units of a servo table are for.
ObjectKind kind_of_servo(const toml::table& table);

/// pose = { x = "1 m", yaw = "90 deg", on_ground = true }
struct PoseReading {
  Vec3 p{0, 0, 0};
  Vec3 roll_pitch_yaw{0, 0, 0};
  bool z_given = false, on_ground_given = false, on_ground = false;
};
bool read_pose(const toml::table& table, bool for_robot, PoseReading& out, Diagnostics& log);

/// `names` of a set, each refused if it is not known: "there is no motion 'x'; did you mean 'y'?"
bool one_of(const std::vector<std::string>& known, const std::string& word);

}  // namespace gradus

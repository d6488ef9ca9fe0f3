/// What a viewer must know before it can show frames: robots, their bodies and shapes, the field, and the properties
/// that can be read, plotted and set. Sent as JSON when a viewer connects and again whenever it changes. Body and
/// property numbers in frames count through `robots[].bodies` and `properties` in the order given here.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/spec.h"

namespace gradus::view {

/// One shape of a body or of the field.
struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  double radius = 0;                     // sphere, capsule, cylinder                                [m]
  double length = 0;                     // capsule: between the centres; cylinder: full height      [m]
  Vec3 size{0, 0, 0};                    // box: full extents; plane: drawn extents, 0 = endless     [m]
  Pose X_BS = identity_pose();           // shape in its body (field: in the world); axis and plane normal along z of S
  Vec3 colour{0.6, 0.6, 0.6};            // red, green, blue in 0 … 1
  std::shared_ptr<const MeshSpec> mesh;  // kind mesh: its triangles; shared ones are sent once
};

struct Body {
  std::string name;
  std::vector<Shape> shapes;
};

struct Joint {
  std::string name;
  double lower = -std::numeric_limits<double>::infinity();  // [rad] or [m]
  double upper = std::numeric_limits<double>::infinity();
};

struct Robot {
  std::string name;
  std::vector<std::string> levels;  // motions that it can run at, lowest first; at most 255
  int level = 0;                    // index into levels at the time of writing; frames carry the current one
  std::vector<Body> bodies;
  std::vector<Joint> joints;
};

enum class PropertyType { number, whole, boolean };

/// A value addressed by path. The page groups properties by the path's parts and plots any of them.
struct Property {
  std::string path;  // robot.object.property, e.g. "blue1.LKneePitch.q"
  std::string unit;  // as people write it: "rad", "N m", "m/s"; "" for none
  PropertyType type = PropertyType::number;
  bool settable = false;
  double lower = -std::numeric_limits<double>::infinity();  // what set_property accepts
  double upper = std::numeric_limits<double>::infinity();
  std::string about{};              // one line for people
  std::optional<double> initial{};  // of a parameter: what it was before anybody set it
};

struct FieldObject {
  std::string name;
  Shape shape;  // X_BS is the pose in the world
};

/// A sensor that the page can draw: pads, sonar cones, seen objects, cameras. Values are properties: ROBOT.NAME.CHANNEL.
struct Sensor {
  int robot = 0;  // index into robots
  std::string name, kind;
  int body = 0;                  // number of the body that carries it
  Pose X_BS = identity_pose();   // its axes in the body
  std::vector<double> numbers{};  // pads: x, y of each [m]; sonar: half of the cone [rad], range [m]; camera: width, height
};

struct SceneDescription {
  std::string name, about;
  std::uint32_t revision = 1;  // frames carry the number of the description that they belong to
  double step = 0.001;         // h  [s]
  std::uint64_t seed = 0;
  bool can_seek = false;    // the feed keeps a past: the page offers the time line for scrubbing
  bool can_branch = false;  // the feed can run again from there with changes
  std::string no_past;      // why it keeps none
  std::vector<Robot> robots;
  std::vector<FieldObject> field;
  std::vector<Property> properties;  // at most 65535
  std::vector<Sensor> sensors;       // at most 65535

  int body_count() const;
  int robot_of(int body) const;  // the robot that a body belongs to; −1: no such body
};

/// Where a robot is going to step: drawn over the scene, told again whenever it changes.
struct PlannedWay {
  int robot = 0;                // index into SceneDescription::robots
  std::vector<Vec3> base;       // places of its base, from here to the goal                      [m]
  std::vector<Vec3> footholds;  // centres of its feet                                            [m]
};
using PlannedWays = std::vector<PlannedWay>;
/// The message {"type":"plans", "plans":[{"robot":0, "base":[[x, y, z], …], "footholds":[[x, y, z], …]}]}.
std::string to_json(const PlannedWays& ways);

/// The message {"type":"scene", …}.
std::string to_json(const SceneDescription& scene);

}  // namespace gradus::view

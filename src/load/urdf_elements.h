/// The <link> and <joint> elements of a URDF file, read one by one; how they hang together is urdf_tree's business.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "load/xml_file.h"
#include "model/spec.h"

namespace gradus {

/// Where the properties of check.h were written; no place: already reported, nothing more to say.
using PropertyPlaces = std::map<std::string, std::optional<Place>>;

struct UrdfLink {
  ObjectSpec body;  // name, place, mass, com, inertia, shapes, colour; kind and parent are set by the tree
  PropertyPlaces places;
};

enum class UrdfJointType { fixed, revolute, continuous, prismatic, floating, unknown };

struct UrdfJoint {
  ObjectSpec object;  // name, place, kind, axis, limits, dynamics, servo, mimic
  UrdfJointType type = UrdfJointType::unknown;
  std::string parent, child;  // links; "" after a reported error
  Place parent_place, child_place;
  Vec3 xyz{0, 0, 0};  // origin of the joint's frame in the parent link's       [m]
  Vec3 rpy{0, 0, 0};  // its orientation, R = Rz(yaw) Ry(pitch) Rx(roll)        [rad]
  PropertyPlaces places;
};

struct UrdfElements {
  std::string name;             // of the robot
  std::vector<UrdfLink> links;  // in the file's order
  std::vector<UrdfJoint> joints;
  std::vector<MeshSpec> meshes;  // each file and scale once
  bool masses_complete = true;   // no error in any <inertial>
};

UrdfElements read_urdf_elements(const XmlFile& file);

/// The name with '_' for every character that paths and command lines cannot hold, cut at 200 characters.
std::string usable_name(const std::string& name);

}  // namespace gradus

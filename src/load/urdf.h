/// URDF robots as trees of the seven objects. docs/urdf.md says what is read, refused and ignored.
///
/// A joint J from link P to link C becomes, in this order, each only where it is needed:
///   J_xyz  translation   the joint's origin, xyz
///   J_rpy  rotation      the joint's origin, rpy
///   J      revolute or prismatic; for a fixed joint the last of the two above has the joint's name
///   C      endpoint, translation by zero or fork (no, one, several children): mass and shapes of the link
/// The root link is the base. So both joints and links are found by their names.
#pragma once
#include <cstddef>
#include <string>

#include "base/result.h"
#include "model/spec.h"

namespace gradus {

inline constexpr std::size_t kUrdfFileLimit = std::size_t{64} << 20;  // [byte]
inline constexpr std::size_t kUrdfLinkLimit = 10'000;
inline constexpr int kUrdfDepthLimit = 1000;  // joints one after the other

/// Every problem of the file and of its meshes. A robot that comes back has passed check().
Result<RobotSpec> load_urdf(const std::string& path);
/// The same from text in memory; `path` is for messages and for finding meshes.
Result<RobotSpec> parse_urdf(const std::string& path, std::string text);

}  // namespace gradus

/// Robots in gradus' own form. docs/robot_files.md describes it; robots/one_dof_arm.toml is the shortest example.
///
///   [robot]        name, about, root = "free" | "fixed", feet = [...], include = [...]
///   [defaults]     servo, surface, colour for all objects that say nothing else
///   [servo.NAME]   kp, kd, torque, speed, rotor; or the stages of an actuator chain [servo_toml.h]
///   [[object]]     name, kind, after, like or mirror, and the object's properties
///
/// `after` names the predecessor (default: the object before in the same file); any order of objects is allowed, they
/// are sorted parents first and otherwise stay in order. Included files come before the file that includes them.
///
/// `like = "other"` copies the kind and all properties of an earlier object, then the object's own keys override them.
/// `mirror = "other"` does the same seen in a mirror in the x–z plane: y of offset, com and shapes changes sign,
/// products of inertia xy and yz too. The motion is mirrored exactly. Where the mirrored axis is the old one reversed
/// (roll about x, yaw about z), the axis stays and limits and initial change sign, as robot makers write it; else
/// (pitch about y, slanted axes) the axis is mirrored, x and z of a revolute axis change sign, and limits stay.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "load/find_file.h"
#include "model/spec.h"

namespace gradus {

inline constexpr std::size_t kMaxObjects = 10'000;

/// Every problem of the file and of what it includes. A robot that comes back has passed check().
Result<RobotSpec> load_robot_toml(const std::string& path, const LoadOptions& options = {});

/// The same from a text; `path` is what messages say and what relative file names start from.
Result<RobotSpec> parse_robot_toml(std::string_view text, const std::string& path, const LoadOptions& options = {});

/// By the ending of the name: .toml or .urdf.
Result<RobotSpec> load_robot(const std::string& path, const LoadOptions& options = {});

/// The object as a mirror in the x–z plane shows it; see above. Meshes cannot be mirrored here.
ObjectSpec mirrored(ObjectSpec object);

}  // namespace gradus

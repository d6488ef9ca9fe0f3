/// The parameters: every constant of a description that people may set, in one table. `--set` edits the scene with it
/// before a run; while a run goes on, properties, the viewer's inspector, `gradus run --at` and recorded commands set
/// the same names [step/properties.h, World::set_parameter].
///
///   world.contact.friction     of the surroundings         WorldParameter
///   blue1.kp_factor            of a whole robot            RobotParameter
///   blue1.left_knee.kp         of one of its objects       ObjectParameter
///
/// Setting one edits a Spec, which is then compiled: nothing in the step knows of parameters, and whatever follows from
/// a number (a link's inertia, the law of two surfaces, a chain's constants) follows as if a file had said so.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/spec.h"

namespace gradus {

/// What of a robot's motion must run for a parameter to count; elsewhere it waits.
enum class Acts {
  drives,    // joint forces, or a group's wheels
  position,  // drives that hold a position
  joints,    // joints follow targets within limits
  masses,    // impulses move the robot
  contacts,  // its surfaces touch something
};

/// What all three kinds have.
struct ParameterText {
  const char *name, *unit, *about;  // unit: SI; "" for a pure number
  double lower, upper;              // that are accepted; an infinite upper one: no limit
};

struct ObjectParameter : ParameterText {
  const char* linear_unit;  // of prismatic joints
  Acts acts;
  bool live;  // can be set while running: sizes of State do not depend on it, and no property of Input says it already
  /// None if the object has no such number. scene: says what surfaces leave open.
  std::optional<double> (*get)(const ObjectSpec&, const ContactSpec& scene);
  void (*set)(ObjectSpec&, double);
};

/// Of all joints or bodies at once. A factor multiplies what they have when it is set.
struct RobotParameter : ParameterText {
  Acts acts;
  bool factor;
  /// None if no object of the robot has such a number; NaN if they differ. Of a factor: 1.
  std::optional<double> (*get)(const RobotSpec&, const ContactSpec& scene);
  void (*set)(RobotSpec&, double);
};

struct Surroundings {
  Vec3 gravity{0, 0, -9.81};  // [m/s²]
  ContactSpec contact;
};
struct WorldParameter : ParameterText {
  double (*get)(const Surroundings&);
  void (*set)(Surroundings&, double);
};

std::span<const ObjectParameter> object_parameters();
std::span<const RobotParameter> robot_parameters();
std::span<const WorldParameter> world_parameters();
const char* unit_of(const ObjectParameter& p, const ObjectSpec& o);

/// "must be within 0 … 10 N m, not -1 N m"; "" if x is.
std::string range_fault(double lower, double upper, const char* unit, double x);

/// One parameter that was set, by its path.
struct Setting {
  std::string path;
  double value;
  bool operator==(const Setting&) const = default;
};
/// The settings whose path begins with `owner` and a point, without that, in their order.
std::vector<Setting> settings_of(std::span<const Setting> all, const std::string& owner);

/// Carries settings out, one after the other. "" or what is wrong; then the description may be half changed.
std::string apply_settings(RobotSpec& robot, std::span<const Setting> settings);
std::string apply_settings(Surroundings& surroundings, std::span<const Setting> settings);

}  // namespace gradus

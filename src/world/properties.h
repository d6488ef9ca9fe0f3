/// Everything that can be read from (and some that can be set in) a running simulation, by path:
/// simulation / robot / object / property, written `time`, `blue1.z`, `blue1.left_knee.q` [MuRoSimF 2009, 3.1].
/// A path is resolved once to a typed view; reading through it costs one call and nothing in the step. Which properties
/// a robot has depends on the algorithms bound to it: they add what they compute.
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "world/world.h"

namespace gradus {

enum class PropertyType { number, whole, truth };

/// A resolved path.
struct PropertyView {
  double (*read)(const World&, int robot, int index) = nullptr;
  std::string (*write)(World&, int robot, int index, double value) = nullptr;  // null: read only; "" or what is wrong
  int robot = -1, index = -1;
  PropertyType type = PropertyType::number;
  const char* unit = "";
  const char* about = "";
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();  // that set accepts
  double (*original)(const World&, int robot,
                     int index) = nullptr;  // of a parameter [model/parameters.h]: before it was set
  std::optional<double> original_value(const World& world) const {
    return original ? std::optional<double>(original(world, robot, index)) : std::nullopt;
  }
  double get(const World& world) const { return read(world, robot, index); }
  /// "", or what to say of a value that cannot be: "must be within 0 … 1, not 2".
  std::string fault(double value) const;
  /// The same of an attempt; then nothing has changed.
  std::string set(World& world, double value) const;
};

struct Property {
  std::string path;
  PropertyView view;
};

/// All properties of a world as it is now bound, in a fixed order.
std::vector<Property> list_properties(const World& world);
/// What people mostly want to see: base pose and joint coordinates of every robot.
std::vector<std::string> default_properties(const World& world);
/// The paths that exist, of paths and patterns: "level3.*.q" means all joints. Single paths are not looked up.
Result<std::vector<std::string>> chosen_properties(const World& world, const std::vector<std::string>& patterns);
/// The property of a path; or no value and a suggestion.
Result<PropertyView> find_property(const World& world, std::string_view path);

}  // namespace gradus

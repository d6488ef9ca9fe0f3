/// Everything that can be read from (and some that can be set in) a running simulation, by path:
/// simulation / robot / object / property, written `time`, `blue1.z`, `blue1.left_knee.q` [paper 000, 3.1].
/// A path is resolved once to a typed view; reading through it costs one call and nothing in the step. Which properties a
/// robot has depends on the algorithms bound to it: they add what they compute.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "step/world.h"

namespace gradus {

enum class PropertyType { number, whole, truth };

/// A resolved path.
struct PropertyView {
  double (*read)(const World&, int robot, int index) = nullptr;
  bool (*write)(World&, int robot, int index, double value) = nullptr;  // null: read only
  int robot = -1, index = -1;
  PropertyType type = PropertyType::number;
  const char* unit = "";
  const char* about = "";
  double get(const World& world) const { return read(world, robot, index); }
  bool set(World& world, double value) const { return write && write(world, robot, index, value); }
};

struct Property {
  std::string path;
  PropertyView view;
};

/// All properties of a world as it is now bound, in a fixed order.
std::vector<Property> list_properties(const World& world);
/// The property of a path; or no value and a suggestion.
Result<PropertyView> find_property(const World& world, std::string_view path);

}  // namespace gradus

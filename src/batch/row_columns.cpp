#include "batch/row_columns.h"

#include <algorithm>

namespace gradus {
namespace {

/// The part of a path behind the robot's name, or "".
std::string own_part(const std::string& path, const std::string& robot) {
  return path.starts_with(robot + ".") ? path.substr(robot.size() + 1) : "";
}

int find(std::span<const char* const> names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

constexpr const char* kPositions[] = {"x", "y", "z"};
constexpr const char* kAngles[] = {"roll", "pitch", "yaw"};
constexpr const char* kVelocities[] = {"wx", "wy", "wz", "vx", "vy", "vz"};

}  // namespace

std::optional<RowSource> row_source_of(const ObservedColumn& c, const RobotModel& robot, const RowLayout& at) {
  using K = RowSource::Kind;
  const auto what = c.kind;
  if (what == ObservedColumn::Kind::gravity || what == ObservedColumn::Kind::velocity ||
      what == ObservedColumn::Kind::spin)
    return RowSource{K::base, c.index, what};
  if (c.kept()) return RowSource{K::kept, 0, what};
  if (c.path == "time") return RowSource{K::time, 0, what};
  const std::string own = own_part(c.path, robot.name);
  if (const int i = find(kPositions, own); i >= 0) return RowSource{K::slot, at.q + i, what};
  if (const int i = find(kAngles, own); i >= 0) return RowSource{K::angle, i, what};
  if (const int i = find(kVelocities, own); i >= 0) return RowSource{K::slot, at.v + i, what};
  const std::size_t dot = own.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const int object = robot.kind->find_object(own.substr(0, dot));
  if (object < 0) return std::nullopt;
  const ObjectInfo& info = robot.kind->objects[static_cast<std::size_t>(object)];
  const std::string number = own.substr(dot + 1);
  if (number == "fn") return RowSource{K::link, info.link, what};
  if (info.joint < 0) return std::nullopt;
  if (number == "q") return RowSource{K::slot, at.q + 7 + info.joint, what};
  if (number == "v") return RowSource{K::slot, at.v + 6 + info.joint, what};
  if (number == "tau") return RowSource{K::slot, at.r + info.joint, what};
  if (number == "target") return RowSource{K::slot, at.target + info.joint, what};
  return std::nullopt;
}

}  // namespace gradus

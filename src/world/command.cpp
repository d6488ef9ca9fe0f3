#include "world/command.h"

#include <nlohmann/json.hpp>

namespace gradus {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kNames[] = {"motion", "set", "impulse", "push", "place"};

std::string apply_motion(World& w, int robot, const std::string& level) {
  std::string problem;
  for (const std::string& missing : w.set_motion(robot, level)) problem += (problem.empty() ? "" : "; ") + missing;
  return problem;
}

std::string apply_force(World& w, int robot, const Command& c) {
  const RobotKind& kind = *w.model().robots[static_cast<std::size_t>(robot)].kind;
  if (c.kind == Command::Kind::push && c.name.empty()) {
    w.set_push(robot, -1, {0, 0, 0}, {0, 0, 0});
    return "";
  }
  const int object = kind.find_object(c.name);
  if (object < 0) return "robot '" + c.robot + "' has no object '" + c.name + "'";
  const ObjectInfo& o = kind.objects[static_cast<std::size_t>(object)];
  const Vec3 p_L = o.X_LO * c.point;
  if (c.kind == Command::Kind::push)
    w.set_push(robot, o.link, c.vector, p_L);
  else
    w.add_impulse({robot, o.link, p_L, c.vector});
  return "";
}

std::string apply_place(World& w, int robot, const Command& c) {
  if (w.model().robots[static_cast<std::size_t>(robot)].group < 0) return "robot '" + c.robot + "' is in no group";
  const PlaceWish wish{c.point.x, c.point.y, c.point.z, c.vector.x, c.vector.y, c.name != "away"};
  return w.place(robot, wish).placed ? "" : "there is no room for '" + c.robot + "' there";
}

}  // namespace

std::string apply(World& world, const Command& c) {
  if (c.kind == Command::Kind::set) {
    const auto view = find_property(world, c.name);
    if (!view) return to_string(view.notes().front());
    const std::string problem = view->set(world, c.value);
    return problem.empty() ? "" : "'" + c.name + "' " + problem;
  }
  const int robot = world.model().find_robot(c.robot);
  if (robot < 0) return "there is no robot '" + c.robot + "'";
  if (c.kind == Command::Kind::place) return apply_place(world, robot, c);
  return c.kind == Command::Kind::motion ? apply_motion(world, robot, c.name) : apply_force(world, robot, c);
}

std::string to_json(const Command& c) {
  Json j;
  j["do"] = kNames[static_cast<int>(c.kind)];
  if (!c.robot.empty()) j["robot"] = c.robot;
  j["name"] = c.name;
  if (c.kind == Command::Kind::set) j["value"] = c.value;
  if (c.kind == Command::Kind::impulse || c.kind == Command::Kind::push || c.kind == Command::Kind::place) {
    j["vector"] = {c.vector.x, c.vector.y, c.vector.z};
    j["point"] = {c.point.x, c.point.y, c.point.z};
  }
  return j.dump();
}

Result<Command> command_from_json(std::string_view text) {
  Diagnostic problem;
  try {
    const Json j = Json::parse(text);
    Command c;
    const std::string what = j.at("do").get<std::string>();
    int kind = 0;
    while (kind < 5 && what != kNames[kind]) ++kind;
    if (kind == 5) throw std::runtime_error("unknown command '" + what + "'");
    c.kind = static_cast<Command::Kind>(kind);
    c.robot = j.value("robot", "");
    c.name = j.value("name", "");
    c.value = j.value("value", 0.0);
    auto vector = [&](const char* key) {
      if (!j.contains(key)) return Vec3{0, 0, 0};
      const Json& a = j.at(key);
      return Vec3{a.at(0).get<double>(), a.at(1).get<double>(), a.at(2).get<double>()};
    };
    c.vector = vector("vector");
    c.point = vector("point");
    return c;
  } catch (const std::exception& e) {
    problem.text = std::string("not a command: ") + e.what();
    return Diagnostics{problem};
  }
}

}  // namespace gradus

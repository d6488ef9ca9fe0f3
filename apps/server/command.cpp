#include "server/command.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/parameters.h"

namespace gradus::view {
namespace {

using nlohmann::json;

/// What is wrong with a command, for the person who sent it. Caught in parse_command only.
struct BadCommand : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const json& field(const json& j, const char* key) {
  const auto it = j.find(key);
  if (it == j.end()) throw BadCommand(std::string("'") + key + "' is missing");
  return *it;
}

double number(const json& j, const char* key, double lower, double upper) {
  const json& value = field(j, key);
  if (!value.is_number()) throw BadCommand(std::string("'") + key + "' must be a number");
  const double x = value.get<double>();
  if (!(x >= lower && x <= upper)) throw BadCommand(std::string("'") + key + "' is out of range");
  return x;
}

int integer(const json& j, const char* key, int lower, int upper) {
  const double x = number(j, key, lower, upper);
  if (x != std::floor(x)) throw BadCommand(std::string("'") + key + "' must be a whole number");
  return static_cast<int>(x);
}

std::string text(const json& j, const char* key) {
  const json& value = field(j, key);
  if (!value.is_string()) throw BadCommand(std::string("'") + key + "' must be text");
  return value.get<std::string>();
}

Vec3 vector(const json& j, const char* key) {
  const json& value = field(j, key);
  if (!value.is_array() || value.size() != 3) throw BadCommand(std::string("'") + key + "' must be three numbers");
  double x[3];
  for (std::size_t i = 0; i < 3; ++i) {
    if (!value[i].is_number()) throw BadCommand(std::string("'") + key + "' must be three numbers");
    x[i] = value[i].get<double>();
    if (!(std::abs(x[i]) <= 1e6)) throw BadCommand(std::string("'") + key + "' is out of range");
  }
  return {x[0], x[1], x[2]};
}

/// Position of `name` among `names`.
int index_of(const std::string& what, const std::string& name, const std::vector<std::string>& names) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return static_cast<int>(it - names.begin());
  throw BadCommand("there is no such " + what);
}

Action speed(const json& j, const SceneDescription&) {
  if (j.contains("factor") && j["factor"] == "max") return Speed{std::numeric_limits<double>::infinity()};
  return Speed{number(j, "factor", 1.0 / 1024, 1024)};
}

Action set_motion(const json& j, const SceneDescription& scene) {
  std::vector<std::string> names;
  for (const Robot& r : scene.robots) names.push_back(r.name);
  const int robot = index_of("robot", text(j, "robot"), names);
  const std::string level = text(j, "level");
  return SetMotion{robot, index_of("level of this robot", level, scene.robots[robot].levels), names[robot], level};
}

Action set_property(const json& j, const SceneDescription& scene) {
  const std::string path = text(j, "path");
  const auto it =
      std::find_if(scene.properties.begin(), scene.properties.end(), [&](const Property& p) { return p.path == path; });
  if (it == scene.properties.end()) throw BadCommand("there is no such property");
  if (!it->settable) throw BadCommand("this property cannot be set");
  const int index = static_cast<int>(it - scene.properties.begin());
  if (it->type == PropertyType::boolean) {
    if (!field(j, "value").is_boolean()) throw BadCommand("'value' must be true or false");
    return SetProperty{index, j["value"].get<bool>() ? 1.0 : 0.0, path};
  }
  const double x = number(j, "value", -1e300, 1e300);
  const std::string problem = range_fault(it->lower, it->upper, it->unit.c_str(), x);
  if (!problem.empty()) throw BadCommand(path + " " + problem);
  return SetProperty{index, x, path};
}

Action push(const json& j, const SceneDescription& scene) {
  if (scene.body_count() == 0) throw BadCommand("there is no body to push");
  return Push{integer(j, "body", 0, scene.body_count() - 1), vector(j, "point"), vector(j, "target"),
              number(j, "stiffness", 0, 1e6), number(j, "max_force", 0, 1e6)};
}

Action subscribe(const json& j, const SceneDescription& scene) {
  const json& list = field(j, "properties");
  if (!list.is_array() || list.size() > kSubscriptionMax)
    throw BadCommand("'properties' must be a list of at most 512");
  Subscribe s;
  for (const json& x : list) {
    if (!x.is_number_unsigned() || x.get<std::uint64_t>() >= scene.properties.size())
      throw BadCommand("'properties' must be numbers of properties");
    s.properties.push_back(x.get<std::uint16_t>());
  }
  std::sort(s.properties.begin(), s.properties.end());
  s.properties.erase(std::unique(s.properties.begin(), s.properties.end()), s.properties.end());
  if (const auto volumes = j.find("volumes"); volumes != j.end()) {
    if (!volumes->is_boolean()) throw BadCommand("'volumes' must be true or false");
    s.volumes = volumes->get<bool>();
  }
  if (j.contains("camera")) {
    const int n = integer(j, "camera", 0, static_cast<int>(scene.sensors.size()) - 1);
    if (scene.sensors[static_cast<std::size_t>(n)].kind != "camera") throw BadCommand("'camera' is not one");
    s.cameras = {static_cast<std::uint16_t>(n)};
  }
  return s;
}

using Parser = Action (*)(const json&, const SceneDescription&);

template <class T>
Action plain(const json&, const SceneDescription&) {
  return T{};
}

const std::map<std::string, Parser>& parsers() {
  static const std::map<std::string, Parser> table = {
      {"pause", plain<Pause>},
      {"resume", plain<Resume>},
      {"step", [](const json& j, const SceneDescription&) -> Action { return Step{integer(j, "count", 1, 100000)}; }},
      {"speed", speed},
      {"set_motion", set_motion},
      {"set_property", set_property},
      {"push", push},
      {"release_push", plain<ReleasePush>},
      {"reset", plain<Reset>},
      {"seek", [](const json& j, const SceneDescription&) -> Action { return Seek{number(j, "time", 0, 1e9)}; }},
      {"branch", plain<Branch>},
      {"subscribe", subscribe},
      {"take_control", plain<TakeControl>},
      {"give_control", plain<GiveControl>},
  };
  return table;
}

}  // namespace

bool needs_control(const Action& a) {
  return !std::holds_alternative<Subscribe>(a) && !std::holds_alternative<TakeControl>(a) &&
         !std::holds_alternative<GiveControl>(a);
}

ParsedCommand parse_command(std::string_view bytes, const SceneDescription& scene) {
  ParsedCommand result;
  if (bytes.size() > kCommandSizeMax) return {0, {}, "command too long"};
  const json j = json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (!j.is_object()) return {0, {}, "not a JSON object"};
  try {
    result.id = static_cast<std::uint32_t>(number(j, "id", 0, 4294967295.0));
    const auto it = parsers().find(text(j, "do"));
    if (it == parsers().end()) throw BadCommand("unknown command");
    result.action = it->second(j, scene);
  } catch (const BadCommand& bad) {
    result.error = bad.what();
  }
  return result;
}

}  // namespace gradus::view

/// Any bytes as a viewer's command: an error, or an action whose indices are those of the scene and whose numbers are
/// finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "server/command.h"

namespace {

using namespace gradus::view;

void demand(bool holds) {
  if (!holds) std::abort();
}

SceneDescription two_robots() {
  SceneDescription s;
  s.robots = {{"red1", {"single_body", "articulated"}, 0, {{"trunk", {}}, {"head", {}}}, {}},
              {"blue1", {"kinematic_walk"}, 0, {{"trunk", {}}}, {}}};
  s.properties = {{"red1.trunk.x", "m"},
                  {"red1.gain", "", PropertyType::number, true, 0, 2},
                  {"red1.light", "", PropertyType::boolean, true}};
  return s;
}

bool finite(const gradus::Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const SceneDescription scene = two_robots();
  const ParsedCommand c = parse_command({reinterpret_cast<const char*>(data), size}, scene);
  if (!c.error.empty()) return 0;
  if (const auto* a = std::get_if<SetMotion>(&c.action)) {
    demand(a->robot >= 0 && a->robot < 2);
    demand(a->level >= 0 && a->level < static_cast<int>(scene.robots[static_cast<std::size_t>(a->robot)].levels.size()));
  }
  if (const auto* a = std::get_if<SetProperty>(&c.action)) {
    demand(a->property == 1 || a->property == 2);
    demand(a->value >= 0 && a->value <= (a->property == 1 ? 2 : 1));
  }
  if (const auto* a = std::get_if<Push>(&c.action)) {
    demand(a->body >= 0 && a->body < scene.body_count());
    demand(finite(a->point_B) && finite(a->target_W) && a->stiffness >= 0 && a->max_force >= 0);
    demand(std::isfinite(a->stiffness) && std::isfinite(a->max_force));
  }
  if (const auto* a = std::get_if<Step>(&c.action)) demand(a->count >= 1 && a->count <= 100000);
  if (const auto* a = std::get_if<Speed>(&c.action)) demand(a->factor > 0);
  if (const auto* a = std::get_if<Seek>(&c.action)) demand(std::isfinite(a->time));
  if (const auto* a = std::get_if<Subscribe>(&c.action)) {
    for (const auto p : a->properties) demand(p < scene.properties.size());
    demand(a->cameras.empty());
  }
  return 0;
}

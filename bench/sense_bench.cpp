// What sensors cost: a standing humanoid without sensors and with 60 channels that have everything (density, drift, low-pass, A/D),
// in turns; the least time of several rounds.
#include <chrono>
#include <cstdio>
#include <ctime>

#include "load/robot_toml.h"
#include "load/shipped.h"
#include "world/world.h"

namespace {

using namespace gradus;

std::unique_ptr<World> standing(int sets) {
  SceneSpec s;
  FieldObjectSpec floor;
  floor.name = "floor";
  floor.shape.kind = ShapeKind::plane;
  s.field.push_back(floor);
  auto robot = load_robot(find_shipped("humanoid28", "robots"), shipped_files());
  if (!robot) std::abort();
  for (int i = 0; i < sets; ++i)
    for (const char* kind : {"gyroscope", "accelerometer"}) {
      SensorSpec x;
      x.name = kind + std::to_string(i), x.kind = kind;
      for (const auto& [key, values] : std::initializer_list<std::pair<const char*, std::vector<double>>>{
               {"noise_per_root_hz", {0.001}}, {"drift.deviation", {0.01}}, {"bandwidth", {98}}, {"range", {-50, 50}}, {"bits", {16}}})
        x.settings.push_back({key, values, {}, {}, {}});
      robot->sensors.push_back(x);
    }
  RobotInstanceSpec r;
  r.name = "robot", r.robot = *robot, r.on_ground = true;
  s.robots.push_back(r);
  auto model = compile(s);
  auto world = World::make(std::move(*model));
  return std::move(*world);
}

double microseconds(World& w, int steps) {
  const std::clock_t start = std::clock();
  for (int i = 0; i < steps; ++i) w.step();
  return 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / steps;
}

}  // namespace

int main() {
  const auto bare = standing(0), ten = standing(10);
  double without = 1e9, with = 1e9;
  for (int round = 0; round < 20; ++round) {
    without = std::min(without, microseconds(*bare, 5000));
    with = std::min(with, microseconds(*ten, 5000));
  }
  std::printf("standing humanoid28: %.3f us a step; with 60 channels %.3f: %.3f us, %.1f ns a channel\n", without, with, with - without,
              1e3 * (with - without) / 60);
}

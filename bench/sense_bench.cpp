// What sensors cost: a standing humanoid without sensors and with 60 channels that have everything (density, drift, low-pass, A/D),
// in turns; the least time of several rounds.
#include <chrono>
#include <cstdio>
#include <ctime>

#include "load/robot_toml.h"
#include "load/scene_toml.h"
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

/// 22 Naos and a ball on the field, in two crowds that look at each other.
std::unique_ptr<World> match(const char* sensors) {
  std::string text = "[world]\nstep = \"1 ms\"\ninclude = [\"fields/spl.toml\"]\n";
  for (int i = 0; i < 22; ++i) {
    const int side = i % 2, row = i / 2;
    text += "[robot.r" + std::to_string(i) + "]\nmodel = \"robots/nao_h25_v6.toml\"\nmotion = \"single_body\"\npose = { x = \"" + std::to_string((side ? 1 : -1) * (0.8 + 0.7 * (row % 4))) + " m\", y = \"" +
            std::to_string(0.5 * (row - 5)) + " m\", yaw = \"" + (side ? "180" : "0") + " deg\" }\n";
    if (*sensors) text += "sensors = \"" + std::string(sensors) + "\"\n";
  }
  text += "[robot.ball]\nmodel = \"robots/orange_ball.toml\"\nmotion = \"free_body\"\npose = { z = \"42.5 mm\" }\n";
  auto scene = parse_scene(text, "match.toml", shipped_files());
  auto model = scene ? compile(*scene) : Result<Model>(scene.notes());
  auto world = model ? World::make(std::move(*model)) : Result<std::unique_ptr<World>>(model.notes());
  if (!world) std::fprintf(stderr, "%s\n", to_string(world.notes().front()).c_str()), std::abort();
  return std::move(*world);
}

void eyes(const char* sensors) {
  const auto bare = match(""), seeing = match(sensors);
  double without = 1e9, with = 1e9;
  for (int round = 0; round < 12; ++round) {
    without = std::min(without, microseconds(*bare, 400));
    with = std::min(with, microseconds(*seeing, 400));
  }
  std::printf("22 Naos with '%s': %.1f us a step of 1 ms, %.2f %% of a core\n", sensors, with - without, 0.1 * (with - without));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return eyes(argv[1]), 0;
  const auto bare = standing(0), ten = standing(10);
  double without = 1e9, with = 1e9;
  for (int round = 0; round < 20; ++round) {
    without = std::min(without, microseconds(*bare, 5000));
    with = std::min(with, microseconds(*ten, 5000));
  }
  eyes("percepts");
  eyes("simspark_see");
  std::printf("standing humanoid28: %.3f us a step; with 60 channels %.3f: %.3f us, %.1f ns a channel\n", without, with, with - without,
              1e3 * (with - without) / 60);
}

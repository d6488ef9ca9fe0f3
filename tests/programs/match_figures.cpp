/// How lively the built-in strategy plays: every wheeled scene on many seeds.
///   match_figures [SCENES=mirosot_5v5,…] [SEEDS=20] [SECONDS=300]
/// A table: share of the time in which the ball is slower than 2 cm/s, the longest such time, goals, free balls, and
/// the longest time for which a robot pushes against a wall without moving.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "session/attach.h"
#include "load/scene_toml.h"
#include "wheels/group.h"

namespace gradus {
namespace {

using namespace wheels;

struct Figures {
  double seconds = 0, still = 0, longest_still = 0, goals = 0, free_balls = 0, wall = 0;
  void add(const Figures& f) {
    seconds += f.seconds, still += f.still, goals += f.goals, free_balls += f.free_balls;
    longest_still = std::max(longest_still, f.longest_still), wall = std::max(wall, f.wall);
  }
};

/// Does a robot press a wall: at it, told to drive, and neither moving nor turning?
bool presses_wall(const WheelsModel& m, std::span<const double> body, double target) {
  const wheels::Field& f = m.par.field;
  const double half = 0.0375 * (std::fabs(std::cos(body[kTheta])) + std::fabs(std::sin(body[kTheta]))), gap = 0.003;
  const bool mouth = std::fabs(body[kY]) < 0.5 * f.goal_width;
  const bool at =
      std::fabs(body[kY]) + half > f.half_width - gap || (std::fabs(body[kX]) + half > f.half_length - gap && !mouth);
  return at && std::hypot(body[kV], body[kU]) < 0.02 && std::fabs(body[kW]) < 0.3 && target > 3;
}

Figures play(SceneSpec scene, std::uint64_t seed, double seconds) {
  scene.seed = seed;
  auto model = compile(scene);
  auto world = World::make(std::move(*model));
  if (!world || !attach_controllers(**world)) std::exit(1);
  World& w = **world;
  const auto& group = static_cast<const Group&>(w.groups().motion(0));
  const WheelsModel& m = group.model();
  Figures f;
  double run = 0, events = 0;
  std::vector<double> wall(static_cast<std::size_t>(m.robot_count()));
  for (f.seconds = 0; f.seconds < seconds; f.seconds += scene.step) {
    w.step();
    const auto bodies = w.section(0).first(static_cast<std::size_t>(state_size(m)));
    const auto match = match_of(w.section(0));
    const auto ball = body_of(bodies, m.robot_count());
    const bool still = std::hypot(ball[kBallVx], ball[kBallVy]) < 0.02;
    run = still ? run + scene.step : 0;
    f.still += still ? scene.step : 0;
    f.longest_still = std::max(f.longest_still, run);
    if (match[kEventCount] != events) f.free_balls += match[kLastEvent] == static_cast<double>(MatchEvent::free_ball);
    events = match[kEventCount];
    f.goals = match[kGoalsBlue] + match[kGoalsYellow];
    for (std::size_t i = 0; i < wall.size(); ++i) {
      const auto target = w.targets(w.model().groups[0].members[i]);
      const double most = std::max(std::fabs(target[0]), std::fabs(target[1]));
      wall[i] = presses_wall(m, body_of(bodies, static_cast<int>(i)), most) ? wall[i] + scene.step : 0;
      f.wall = std::max(f.wall, wall[i]);
    }
  }
  return f;
}

}  // namespace
}  // namespace gradus

int main(int count, char** words) {
  using namespace gradus;
  std::istringstream names(count > 1 ? words[1] : "mirosot_3v3,mirosot_5v5,mirosot_11v11,firasim_3v3,firasim_5v5");
  const int seeds = count > 2 ? std::atoi(words[2]) : 20;
  const double seconds = count > 3 ? std::atof(words[3]) : 300;
  std::printf("%-14s %7s %13s %12s %11s %13s\n", "scene", "still", "longest still", "goals/5 min", "free balls",
              "wall pushed");
  for (std::string name; std::getline(names, name, ',');) {
    const auto scene = load_scene(std::string(GRADUS_SOURCE_DIR) + "/scenes/" + name + ".toml", {});
    if (!scene) return std::fprintf(stderr, "no scene %s\n", name.c_str()), 1;
    Figures all;
    for (int s = 1; s <= seeds; ++s) all.add(play(*scene, static_cast<std::uint64_t>(s), seconds));
    std::printf("%-14s %6.2f%% %11.1f s %12.2f %11g %11.1f s\n", name.c_str(), 100 * all.still / all.seconds,
                all.longest_still, 300 * all.goals / all.seconds, all.free_balls, all.wall);
    std::fflush(stdout);
  }
}

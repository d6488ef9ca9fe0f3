/// Scenes in which moving bodies touch: robots on robots, on loose boxes, on a ball, on themselves; stacks; collisions
/// in flight [facts/coupling.md, sec. 2 and 3]. Shared by the tests and by tests/programs/contact_figures.cpp.
#pragma once
#include <functional>

#include "support/robots.h"

namespace gradus::test {

/// Contact numbers of every moving pair: stiffness k, relaxation time τ.
SceneSpec contact_scene(double h, double k, double relaxation = 0.005);

SceneSpec stack_of(int boxes, double h, double k = 1e6);  // 0.2 m, 1 kg, a few mm off each other
/// Robots, boxes, a ball and a hull that fall over each other on rough terrain, against a mesh: every kind of contact.
SceneSpec rough_ground(double h, double k = 1e5);
SceneSpec gram_under_ton(double h);  // k 1e8

struct RobotScene {
  const char* name;
  double seconds;
  std::function<SceneSpec(double h, double k)> make;
  std::function<void(World&)> start;  // targets; may be empty
};
/// Leaning, falling on each other, on loose boxes, hit by a heavy ball, ball under a foot, arms on the torso.
const std::vector<RobotScene>& robot_scenes();

/// What a run showed.
struct Watched {
  double deepest = 0;  // overlap of moving pairs                                 [m]
  double top = 0;      // fastest base or joint (at 0.1 m)                        [m/s]
  double end = 0;      // the same in the last half second
  double pull = 0;     // largest pull of a static contact                        [N]
  int contacts = 0;    // most at once
  bool finite = true;
};
Watched watch(World& world, double seconds);

/// Total momentum (angular about the world's origin, linear) of velocities v at the configuration q of each robot.
Vec6 momentum_at(const World& world, const std::vector<std::vector<double>>& q,
                 const std::vector<std::vector<double>>& v);
std::vector<std::vector<double>> all_q(const World& world);
std::vector<std::vector<double>> all_v(const World& world);

}  // namespace gradus::test

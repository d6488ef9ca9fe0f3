/// Robots and scenes for tests: three of them cover what the kernels branch on (coordinate and general axes, prismatic
/// joints, branching links, rotors, free and fixed roots); the small ones have closed-form solutions.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "world/world.h"

namespace gradus::test {

/// Random numbers of a test: the same on every run and machine, if no two are drawn among the arguments of one call,
/// whose order is the compiler's (braces are in order).
class Random {
 public:
  explicit Random(std::uint64_t seed) : key_{seed, 0, 0} {}
  double in(double lo, double hi) { return random_in(key_, 0, draw_++, lo, hi); }
  int below(int n) { return static_cast<int>(in(0, n)); }
  Vec3 vector(double size) { return {in(-size, size), in(-size, size), in(-size, size)}; }
  Vec3 direction();
  Quat rotation();

 private:
  RandomKey key_;
  std::uint32_t draw_ = 0;
};

/// Nao-like: a free torso and 22 hinges, 28 degrees of freedom, 5.3 kg [facts/peers.md].
RobotSpec humanoid28();
/// Base over the soles; the last factor is cos 0.35.
constexpr double kHumanoid28Height = 0.085 + 0.045 + (0.100 + 0.1029) * 0.93937271284737889;
/// The same with every servo's kp times `stiffer`, kd times its root (so that the lag kd/kp shrinks), no bound on its
/// torque.
RobotSpec humanoid28_stiff(double stiffer);
/// A random tree with a free root: prismatic and revolute joints about general axes, rotations between them, forks,
/// several bodies to a link, general inertias, rotors.
RobotSpec random_tree(std::uint64_t seed);
/// Six joints bolted to the world, general axes, one prismatic, rotors.
RobotSpec fixed_arm();
/// A free base with two limbs of three joints; the limbs' first joints share a motor.
RobotSpec two_legs(double multiplier, bool right_leads);
/// One body without joints.
RobotSpec solid_box(double mass, Vec3 size, double friction = 0.8);
RobotSpec solid_ball(double mass, double radius, double friction = 0.8);

std::shared_ptr<const RobotKind> kind_of(const RobotSpec& spec);

/// Coordinates q (nq) and velocities v (nv) anywhere; a fixed root stays at the origin, at rest.
struct RandomState {
  std::vector<double> q, v;
};
RandomState random_state(const RobotKind& kind, Random& random);

/// A scene in two lines:  SceneSpec s = scene(0.001);  add(s, solid_box(...), "free_body", {0, 0, 1});
SceneSpec scene(double h);                                     // with gravity, without ground
SceneSpec& add_ground(SceneSpec& s, Vec3 normal = {0, 0, 1});  // through the world's origin
RobotInstanceSpec& add(SceneSpec& s, const RobotSpec& robot, const std::string& motion, Vec3 p_WB = {0, 0, 0},
                       Quat q_WB = {1, 0, 0, 0});
/// Ends the test program with the reasons if the scene does not compile.
std::unique_ptr<World> make_world(const SceneSpec& s, int threads = 1);
std::unique_ptr<World> make_world(const SceneSpec& s, const World::Options& options);
void run(World& world, double seconds);
/// Largest |v| of a robot: base angular and linear, joints.
double fastest(const World& world, int robot = 0);
/// The same over the next `seconds`.
double fastest_during(World& world, double seconds);
Vec3 base_at(const World& world, int robot = 0);
Vec3 base_velocity_of(const World& world, int robot = 0);

}  // namespace gradus::test

/// Robots and scenes made in code, without files:
///
///   gradus::RobotDraft arm("arm");
///   arm.fixed().base("shoulder").solid_box(1, {0.1, 0.1, 0.1})
///      .revolute("elbow", {0, 1, 0}).servo(40, 2, 10).solid_box(0.5, {0.05, 0.05, 0.3}, {0, 0, 0.15});
///   gradus::SceneDraft scene(0.001);
///   scene.ground().add("arm1", arm, {0, 0, 1});
///   auto sim = gradus::Simulation::build(scene);
///
/// A robot is a tree of objects; each call adds one behind the last, or behind the one that after() names. Mass, shape,
/// limits and servo belong to the object added last. SI units, radians.
#pragma once
#include <gradus/gradus.h>

#include <array>
#include <memory>

namespace gradus {

using Triple = std::array<double, 3>;

class RobotDraft {
 public:
  explicit RobotDraft(const std::string& name);
  RobotDraft(const RobotDraft&);
  RobotDraft& operator=(const RobotDraft&);
  ~RobotDraft();
  RobotDraft& fixed();  // bolts the base to the world
  RobotDraft& base(const std::string& name);
  RobotDraft& translation(const std::string& name, Triple offset);
  RobotDraft& rotation(const std::string& name, Triple axis, double angle);
  RobotDraft& revolute(const std::string& name, Triple axis);
  RobotDraft& prismatic(const std::string& name, Triple axis);
  RobotDraft& ball(const std::string& name);  // turns freely about its origin; coordinates NAME_x, NAME_y, NAME_z
  RobotDraft& fork(const std::string& name);  // the only object that several others may follow
  RobotDraft& endpoint(const std::string& name);
  /// Closes a loop: the point `at` of a is held at the point of b that lies there in the start posture.
  RobotDraft& loop(const std::string& name, const std::string& a, const std::string& b, Triple at);
  RobotDraft& after(const std::string& object);
  RobotDraft& mass(double mass, Triple centre, std::array<double, 6> inertia);  // about the centre: xx yy zz xy xz yz
  RobotDraft& solid_box(double mass, Triple size, Triple centre = {0, 0, 0});   // mass, inertia and shape
  RobotDraft& solid_sphere(double mass, double radius, Triple centre = {0, 0, 0});
  RobotDraft& limits(double lower, double upper);
  RobotDraft& servo(double kp, double kd, double torque);  // position servo of a joint
  RobotDraft& friction(double coulomb);                    // of the surface
  RobotDraft& initial(double q);                           // start posture of a joint
  RobotDraft& foot();                                      // the object may be a standing foot

 private:
  friend class SceneDraft;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class SceneDraft {
 public:
  explicit SceneDraft(double step = 0.001);
  SceneDraft(const SceneDraft&);
  SceneDraft& operator=(const SceneDraft&);
  ~SceneDraft();
  SceneDraft& gravity(Triple g);
  SceneDraft& friction(double coulomb);                                  // where surfaces say nothing
  SceneDraft& ground();                                                  // the plane z = 0
  SceneDraft& box(const std::string& name, Triple size, Triple centre);  // that stands still
  SceneDraft& add(const std::string& name, const RobotDraft& robot, Triple position = {0, 0, 0},
                  const std::string& motion = "articulated");
  SceneDraft& on_ground();  // the robot added last is lowered until it touches the ground
  SceneDraft& impedance();  // the robot added last is commanded by impedance [Simulation::impedance]

 private:
  friend class Simulation;
  friend class Batch;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gradus

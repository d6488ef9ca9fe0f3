/// gradus for C++ programs: load, step, read.
///
///   auto sim = gradus::Simulation::load("scenes/levels.toml");
///   sim.step(1000);
///   double x = sim.get("level3.x");
///
/// In inner loops find a number once and read or write it through its handle, or use arrays:
///
///   auto knee = sim.property("level3.left_knee.q");     // once
///   while (sim.time() < 10) {
///     sim.targets("level3")[3] = 0.5 * sim.get(knee);   // some nanoseconds
///     sim.step();
///   }
///
/// Errors of files, paths and names are thrown as gradus::Error, whose text lists all of them with file:line:column; so
/// is a control program that failed and a state that is not finite. SI units, radians; quaternions (w, x, y, z). One
/// Simulation belongs to one thread at a time; several are independent of each other. Link with gradus::gradus after
/// find_package(gradus).
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace gradus {

class SceneDraft;  // gradus/build.h

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PropertyInfo {
  std::string path, unit, about;
  bool settable;
  double lower, upper;  // that set accepts
};

class Simulation {
 public:
  /// A number of one simulation, found once. Stays good for its life, whatever levels and parameters are set.
  class Property {
   public:
    Property() = default;

   private:
    friend class Simulation;
    int number_ = -1;
  };

  struct Pose {
    double position[3];     // [m]
    double orientation[4];  // w x y z
  };

  /// Two bodies that push each other, with the force of the last step.
  struct Contact {
    std::string robot, body;         // "ground", a field object, or the body of another robot touches it:
    std::string other_robot, other;  // other_robot "": the static world
    double point[3], force[3];       // world axes; the force on `body`      [m], [N]
  };

  /// Something worth telling: kind fall | rise | goal | contact | touch | apart | set.
  struct Event {
    double time;  // [s]
    std::string kind, robot, what;
  };

  struct Options {
    int threads = 1;                // the result does not depend on it
    std::vector<std::string> logs;  // files to write: .mcap (can be replayed) or .csv
    std::vector<std::string>
        properties;                 // that the logs hold: paths or patterns like "level3.*.q"; none: base and joints
    std::vector<std::string> sets;  // changes of the scene, as `gradus run --set`: "world.contact.friction=0.3"
  };

  /// Scene file with all it names, a robot file (.urdf, .toml: alone on a plane), or the name of a scene that comes
  /// with gradus.
  static Simulation load(const std::string& scene_file, const Options& options);
  static Simulation load(const std::string& scene_file, int threads = 1);
  /// A scene made in code [gradus/build.h].
  static Simulation build(const SceneDraft& scene, const Options& options);
  static Simulation build(const SceneDraft& scene) { return build(scene, Options{}); }
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// Runs control programs, logs and events along. Throws if a control program failed or a state is not finite.
  void step(int count = 1);
  double time() const;  // simulated [s]
  double step_length() const;
  std::int64_t step_number() const;
  std::uint64_t hash() const;                        // of the whole state: equal for equal runs
  const std::vector<std::string>& warnings() const;  // of loading
  const std::vector<Event>& events() const;          // since the start

  // ---- numbers by name
  std::vector<PropertyInfo> properties() const;
  double get(const std::string& path) const;
  /// Coordinates, targets, or a parameter (mass, gain, friction, gravity: docs/parameters.md) of one robot.
  void set(const std::string& path, double value);
  Property property(const std::string& path);
  double get(Property property) const;
  void set(Property property, double value);

  // ---- arrays of one robot, by its number or name. Spans are good until the next step, set_state, restore or
  // set_motion.
  int robot_count() const;
  int find_robot(const std::string& name) const;  // throws if there is none
  std::string robot_name(int robot) const;
  std::vector<std::string> joints(int robot) const;  // names, in the order of the arrays
  std::vector<std::string> bodies(int robot) const;
  std::span<const double> q(int robot) const;        // base position (3), orientation (4), joints
  std::span<const double> v(int robot) const;        // base angular (3) and linear velocity (3), world axes, joints
  std::span<const double> torques(int robot) const;  // joint forces of the last step
  std::span<double> targets(int robot);              // of the joints; held until changed
  /// τ = kp (target − q) + kd (speed − v) + torque of each joint, held until changed. Empty unless the scene says
  /// commands = "impedance" of the robot; torque control: kp = kd = 0.
  struct Impedance {
    std::span<double> speed, torque, kp, kd;
  };
  Impedance impedance(int robot);
  std::span<const double> q(const std::string& robot) const { return q(find_robot(robot)); }
  std::span<const double> v(const std::string& robot) const { return v(find_robot(robot)); }
  std::span<const double> torques(const std::string& robot) const { return torques(find_robot(robot)); }
  std::span<double> targets(const std::string& robot) { return targets(find_robot(robot)); }
  void set_state(int robot, std::span<const double> q, std::span<const double> v);

  // ---- sensors (docs/sensors.md), by their number in the order of the robot's file
  struct Sensor {
    std::string name, kind;
    std::vector<std::string> channels, units;
  };
  /// What a sensor shows; spans are good until the next step.
  struct Reading {
    std::span<const double> values, truth;  // of the newest sample that has arrived; what it measures, now
    double time;                            // of the sample [s]
    std::int64_t sample;                    // its number; −1: none has arrived, values are as at the start
  };
  /// One format of a camera's image; good until the next one is asked for.
  struct Image {
    std::string format;  // rgb, grey, yuyv, depth (floats, m), segmentation (16-bit numbers)
    int width, height;
    std::size_t row_bytes;
    std::span<const unsigned char> bytes;  // rows from the top
    std::int64_t frame;
    double time;  // middle of the exposure [s]
  };
  std::vector<Sensor> sensors(int robot) const;
  int find_sensor(int robot, const std::string& name) const;  // throws if there is none
  Reading read(int robot, int sensor) const;
  /// The newest image of a camera that has arrived, in each of its formats; rendered now. Empty: none has arrived.
  std::vector<Image> image(int robot, int sensor);

  // ---- bodies and contacts
  Pose pose(int robot, const std::string& body) const;
  std::vector<Contact> contacts() const;
  /// A force that is held until the next call, at a point of the body's frame; zero ends it.
  void push(int robot, const std::string& body, std::span<const double, 3> force, std::span<const double, 3> point);
  /// Once, in the next step [N s].
  void kick(int robot, const std::string& body, std::span<const double, 3> impulse, std::span<const double, 3> point);

  /// Level of detail of a robot's motion, while running: "kinematic_walk", "single_body", …
  void set_motion(const std::string& robot, const std::string& motion);
  std::string motion(const std::string& robot) const;

  /// The complete state; restore continues from there, bit for bit, also in another process with the same scene. What
  /// control programs remember is theirs. Not while logs are written, which only go forward.
  std::vector<unsigned char> save() const;
  void restore(const std::vector<unsigned char>& snapshot);
  /// Ends the logs. Throws if something was lost.
  void close_logs();

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gradus

/// gradus for C++ programs: load, step, read.
///
///   auto sim = gradus::Simulation::load("scenes/levels.toml");
///   sim.step(1000);
///   double x = sim.get("level3.x");
///
/// Errors of files and paths are thrown as gradus::Error, whose text lists all of them. Link with gradus::gradus after
/// find_package(gradus).
#pragma once
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gradus {

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
  /// Scene file with all it names, or the name of a scene that comes with gradus ("levels"). threads: the result does
  /// not depend on it.
  static Simulation load(const std::string& scene_file, int threads = 1);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  void step(int count = 1);
  double time() const;  // simulated [s]
  std::int64_t step_number() const;
  std::uint64_t hash() const;  // of the whole state: equal for equal runs

  std::vector<PropertyInfo> properties() const;
  double get(const std::string& path) const;
  /// Coordinates, targets, or a parameter (mass, gain, friction, gravity: docs/parameters.md) of one robot.
  void set(const std::string& path, double value);
  /// Level of detail of a robot's motion, while running: "kinematic_walk", "single_body", …
  void set_motion(const std::string& robot, const std::string& motion);
  std::string motion(const std::string& robot) const;

  /// The complete state; restore continues from there, bit for bit, also in another process with the same scene.
  std::vector<unsigned char> save() const;
  void restore(const std::vector<unsigned char>& snapshot);

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gradus

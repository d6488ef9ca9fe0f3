/// MuJoCo behind a few plain functions: a peer in benchmarks and a witness in tests, never part of the product. Built
/// against Debian's libmujoco-dev where it is installed; otherwise make() says so.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace gradus::bench {

class Mujoco {
 public:
  static bool installed();
  static std::string version();  // "2.2.2", or "not installed"
  /// A model from MJCF text [mjcf.h].
  static Result<std::unique_ptr<Mujoco>> make(const std::string& mjcf);
  ~Mujoco();

  void step(int steps);
  int nq() const;
  int nv() const;
  int nu() const;
  int contact_count() const;
  std::span<double> q();     // p (3), quaternion w x y z (4), joints in the order of gradus' links
  std::span<double> v();     // linear velocity (world), angular velocity (body axes!), joints
  std::span<double> ctrl();  // targets
  std::span<double> acceleration();
  void forward();  // accelerations of the present state
  void reset();

 private:
  Mujoco();
  struct Data;
  std::unique_ptr<Data> d_;
};

}  // namespace gradus::bench

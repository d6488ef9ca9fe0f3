/// One engine on one scene, ready to be timed.
#pragma once
#include <memory>
#include <span>

#include "batch/lanes/kernel.h"
#include "bench/bench.h"
#include "model/model.h"

namespace gradus::bench {

class Runner {
 public:
  virtual ~Runner() = default;
  virtual void run(int steps) = 0;
  virtual void set_targets(std::span<const double> target) = 0;  // of all robots
  virtual int worlds() const { return 1; }
  virtual void set_world_targets(int, std::span<const double> target) { set_targets(target); }  // of one world's robots
  /// Fills contacts and hash of the present state.
  virtual void describe(BenchRow& row) = 0;
  BenchRow row;
};

Result<std::unique_ptr<Runner>> make_world_runner(const Model& model, const std::string& variant);
Result<std::unique_ptr<Runner>> make_lanes_runner(const Model& model, int worlds, LaneType type,
                                                  std::span<const LaneKernel> kernels, const std::string& variant,
                                                  int predictions = kPredictions);
Result<std::unique_ptr<Runner>> make_mujoco_runner(const Model& model, const ContactSpec& contact);

}  // namespace gradus::bench

/// Many worlds of one robot on an NVIDIA GPU: one thread a world, the kernels of tree/, contact/, actuator/ and motion/
/// in float with recomputed frames [batch/world_step.h]. Numbers lie as [worlds/32][number][32], so that the 32 threads
/// of a warp read neighbours. Not part of the default build: docs/gpu.md says how to build and check it.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "batch/world_step.h"

namespace gradus {

constexpr int kGpuTile = 32;      // worlds that share a tile: one warp
constexpr int kGpuMaxLinks = 32;  // links, points and branching links a GPU robot may have: room on each thread's stack
constexpr int kGpuMaxPoints = 64;
constexpr int kGpuMaxBranches = 8;

class GpuWorlds {
 public:
  /// `constants` points to host memory; everything is copied. Null and a reason if the robot is too large or the GPU
  /// says no.
  static std::unique_ptr<GpuWorlds> make(const BatchConstantsT<float>& constants, int worlds, std::string& error);
  ~GpuWorlds();

  /// Slab of (worlds rounded up to 32) × at().size floats.
  bool upload(std::span<const float> slab);
  bool download(std::span<float> slab) const;
  /// Runs `steps` steps of all worlds in one launch and waits. Few launches of 5 to 200 steps are best. False: see
  /// error().
  bool step(int steps);
  const RowLayout& at() const { return at_; }
  std::size_t slab_size() const;
  const std::string& error() const { return error_; }

 private:
  GpuWorlds() = default;
  struct Memory;
  std::unique_ptr<Memory> memory_;
  BatchConstantsT<float> on_device_{};
  RowLayout at_{};
  int worlds_ = 0;
  std::string error_;
};

}  // namespace gradus

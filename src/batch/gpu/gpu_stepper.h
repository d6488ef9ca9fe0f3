/// The two ways to take steps on a GPU [gpu_worlds.h]. For nvcc alone.
#pragma once
#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <vector>

#include "batch/gpu/gpu_worlds.h"

namespace gradus {

/// Blocks of the GPU's memory, freed together. After a refusal `status` says why, and nothing more is asked for.
struct GpuMemory {
  std::vector<void*> blocks;
  cudaError_t status = cudaSuccess;
  GpuMemory() = default;
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  ~GpuMemory() {
    for (void* p : blocks) cudaFree(p);
  }
  template <class T>
  T* room(std::size_t count) {
    void* p = nullptr;
    if (status == cudaSuccess) status = cudaMalloc(&p, (count > 0 ? count : 1) * sizeof(T));
    if (p) blocks.push_back(p);
    return static_cast<T*>(p);
  }
  template <class T>
  const T* copy(const T* host, std::size_t count) {
    T* p = room<T>(count);
    if (status == cudaSuccess && count > 0) status = cudaMemcpy(p, host, count * sizeof(T), cudaMemcpyHostToDevice);
    return p;
  }
};

class GpuStepper {
 public:
  virtual ~GpuStepper() = default;
  virtual cudaError_t launch(float* tiles, int steps, cudaStream_t stream) = 0;
};

/// Null, and why: a robot that limbs cannot do. What CUDA refuses is in memory.status.  predictions: counted there
std::unique_ptr<GpuStepper> make_limb_stepper(const BatchConstantsT<float>& c, const RowLayout& at, int worlds, GpuMemory& memory,
                                              unsigned long long* predictions, std::string& method, std::string& why);
/// The same for one thread a world.
std::unique_ptr<GpuStepper> make_thread_stepper(const BatchConstantsT<float>& c, const RowLayout& at, int worlds,
                                                GpuMemory& memory, unsigned long long* predictions, std::string& why);

}  // namespace gradus

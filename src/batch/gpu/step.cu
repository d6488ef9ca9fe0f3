// Layout and launch; the physics is step_world.
#include "batch/gpu/gpu_worlds.h"

namespace gradus {
namespace {

constexpr int kBlock = 64;  // threads of a block

/// Scratch and numbers of one thread's world. Indexed at run time, so they lie in the thread's local memory (L1, L2).
struct ThreadRoom {
  FrameT<float> branches[kGpuMaxBranches];
  float sine[kGpuMaxLinks], cosine[kGpuMaxLinks];
  StaticContactT<float> contacts[kGpuMaxPoints];
  int contact_begin[kGpuMaxLinks + 1];
  DriveForceT<float> drive[kGpuMaxLinks];
  Vec6T<float> acc[kGpuMaxLinks];
  float a[kGpuMaxLinks];
  Factor6T<float> root;
  JointFactorT<float> factors[kGpuMaxLinks];
  Mat6T<float> branch_I[kGpuMaxBranches];
  Vec6T<float> branch_b[kGpuMaxBranches];
  FrameT<float> branches_next[kGpuMaxBranches];
  float sine_next[kGpuMaxLinks], cosine_next[kGpuMaxLinks];
  float q_next[7 + kGpuMaxLinks], v_next[6 + kGpuMaxLinks];
  Vec6T<float> change[kGpuMaxLinks], impulse[kGpuMaxLinks];
  RigidInertiaT<float> inertia[kGpuMaxLinks];
  float dv[kGpuMaxLinks];
};
constexpr int kMaxNumbers = 7 + 6 + 6 + 4 * kGpuMaxLinks + 4 * kGpuMaxPoints;

__global__ void __launch_bounds__(kBlock)
    step_kernel(BatchConstantsT<float> c, RowLayout at, float* tiles, int worlds, int steps) {
  const int world = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (world >= worlds) return;
  float* mine = tiles + static_cast<std::size_t>(world / kGpuTile) * at.size * kGpuTile + world % kGpuTile;
  float numbers[kMaxNumbers];
  for (int i = 0; i < at.size; ++i) numbers[i] = mine[i * kGpuTile];
  ThreadRoom t;
  const StepRoomT<float> room{t.branches,
                              t.sine,
                              t.cosine,
                              t.contacts,
                              t.contact_begin,
                              t.drive,
                              t.acc,
                              t.a,
                              {&t.root, t.factors, t.branch_I, t.branch_b},
                              t.branches_next,
                              t.sine_next,
                              t.cosine_next,
                              t.q_next,
                              t.v_next,
                              {t.change, t.impulse, t.inertia, t.dv}};
  RowT<float> row = row_at(numbers, at);
  float* results = row.r;
  for (int k = 0; k < steps; ++k) {
    row.r = k + 1 == steps ? results : nullptr;  // results of the last step are the ones that can be read
    step_world<float, RecomputeFrames, float>(c, row, room);
  }
  for (int i = 0; i < at.size; ++i) mine[i * kGpuTile] = numbers[i];
}

bool fits(const BatchConstantsT<float>& c, std::string& error) {
  if (c.kind.nlink > kGpuMaxLinks)
    error = "the robot has more than " + std::to_string(kGpuMaxLinks) + " links";
  else if (c.kind.npoint() > kGpuMaxPoints)
    error = "the robot has more than " + std::to_string(kGpuMaxPoints) + " contact points";
  else if (c.kind.branch_count > kGpuMaxBranches)
    error = "the robot branches more than " + std::to_string(kGpuMaxBranches) + " times";
  return error.empty();
}

}  // namespace

/// Device copies of the constants, and the slab.
struct GpuWorlds::Memory {
  std::vector<void*> blocks;
  float* tiles = nullptr;
  cudaError_t status = cudaSuccess;
  ~Memory() {
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
  const T* copy(const T* host, int count) {
    T* p = room<T>(static_cast<std::size_t>(count));
    if (status == cudaSuccess && count > 0)
      status = cudaMemcpy(p, host, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice);
    return p;
  }
};

GpuWorlds::~GpuWorlds() = default;

std::size_t GpuWorlds::slab_size() const {
  return static_cast<std::size_t>((worlds_ + kGpuTile - 1) / kGpuTile) * kGpuTile * static_cast<std::size_t>(at_.size);
}

std::unique_ptr<GpuWorlds> GpuWorlds::make(const BatchConstantsT<float>& c, int worlds, std::string& error) {
  error.clear();
  if (worlds < 1) error = "no worlds";
  if (!error.empty() || !fits(c, error)) return nullptr;
  std::unique_ptr<GpuWorlds> g(new GpuWorlds);
  g->memory_ = std::make_unique<Memory>();
  Memory& m = *g->memory_;
  const int n = c.kind.nlink;
  g->worlds_ = worlds;
  g->at_ = make_row_layout(n - 1, c.kind.npoint());
  g->on_device_ = c;
  g->on_device_.kind.links = m.copy(c.kind.links, n);
  g->on_device_.kind.points = m.copy(c.kind.points, c.kind.npoint());
  g->on_device_.kind.point_begin = m.copy(c.kind.point_begin, n + 1);
  g->on_device_.kind.bound_centre = m.copy(c.kind.bound_centre, n);
  g->on_device_.kind.bound_radius = m.copy(c.kind.bound_radius, n);
  g->on_device_.joints = m.copy(c.joints, n - 1);
  m.tiles = m.room<float>(g->slab_size());
  if (m.status != cudaSuccess) {
    error = cudaGetErrorString(m.status);
    return nullptr;
  }
  return g;
}

bool GpuWorlds::upload(std::span<const float> slab) {
  if (slab.size() != slab_size()) return false;
  return cudaMemcpy(memory_->tiles, slab.data(), slab.size_bytes(), cudaMemcpyHostToDevice) == cudaSuccess;
}

bool GpuWorlds::download(std::span<float> slab) const {
  if (slab.size() != slab_size()) return false;
  return cudaMemcpy(slab.data(), memory_->tiles, slab.size_bytes(), cudaMemcpyDeviceToHost) == cudaSuccess;
}

bool GpuWorlds::step(int steps) {
  step_kernel<<<(worlds_ + kBlock - 1) / kBlock, kBlock>>>(on_device_, at_, memory_->tiles, worlds_, steps);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) status = cudaDeviceSynchronize();
  if (status != cudaSuccess) error_ = cudaGetErrorString(status);
  return status == cudaSuccess;
}

}  // namespace gradus

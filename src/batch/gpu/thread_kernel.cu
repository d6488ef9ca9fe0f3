// One thread a world: step_world as it is, with recomputed frames, for robots that limbs cannot do [limb_kernel.cu].
#include "batch/gpu/gpu_stepper.h"

namespace gradus {
namespace {

constexpr int kBlock = 64;        // threads of a block
constexpr int kMostLinks = 32;    // links, points and branching links of a robot: room on each thread's stack
constexpr int kMostPoints = 224;
constexpr int kMostBranches = 8;

/// Scratch and numbers of one thread's world. Indexed at run time, so they lie in the thread's local memory (L1, L2).
struct ThreadRoom {
  FrameT<float> branches[kMostBranches];
  float sine[kMostLinks], cosine[kMostLinks];
  StaticContactT<float> contacts[kMostPoints];
  int contact_begin[kMostLinks + 1];
  DriveForceT<float> drive[kMostLinks];
  Vec6T<float> acc[kMostLinks];
  float a[kMostLinks];
  Factor6T<float> root;
  JointFactorT<float> factors[kMostLinks];
  Mat6T<float> branch_I[kMostBranches];
  Vec6T<float> branch_b[kMostBranches];
  FrameT<float> branches_next[kMostBranches];
  float sine_next[kMostLinks], cosine_next[kMostLinks];
  float q_next[7 + kMostLinks], v_next[6 + kMostLinks];
  Vec6T<float> change[kMostLinks], impulse[kMostLinks];
  RigidInertiaT<float> inertia[kMostLinks];
  float dv[kMostLinks];
};
constexpr int kMaxNumbers = 7 + 6 + 6 + 4 * kMostLinks + 4 * kMostPoints;

__global__ void __launch_bounds__(kBlock)
    step_kernel(BatchConstantsT<float> c, RowLayout at, float* tiles, int worlds, int steps, unsigned long long* predictions) {
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
  int count = 0;
  for (int k = 0; k < steps; ++k) {
    row.r = k + 1 == steps ? results : nullptr;  // results of the last step are the ones that can be read
    count += step_world<float, RecomputeFrames, float>(c, row, room);
  }
  for (int i = 0; i < at.size; ++i) mine[i * kGpuTile] = numbers[i];
  atomicAdd(predictions, static_cast<unsigned long long>(count));
}

class ThreadStepper : public GpuStepper {
 public:
  cudaError_t launch(float* tiles, int steps, cudaStream_t stream) override {
    step_kernel<<<(worlds + kBlock - 1) / kBlock, kBlock, 0, stream>>>(constants, at, tiles, worlds, steps, predictions);
    return cudaGetLastError();
  }
  BatchConstantsT<float> constants;  // with pointers to the GPU's memory
  RowLayout at;
  int worlds;
  unsigned long long* predictions;
};

}  // namespace

std::unique_ptr<GpuStepper> make_thread_stepper(const BatchConstantsT<float>& c, const RowLayout& at, int worlds,
                                                GpuMemory& memory, unsigned long long* predictions, std::string& why) {
  const int n = c.kind.nlink, points = c.kind.npoint();
  if (n > kMostLinks) why = "more than " + std::to_string(kMostLinks) + " links";
  if (points > kMostPoints) why = "more than " + std::to_string(kMostPoints) + " contact points";
  if (c.kind.branch_count > kMostBranches) why = "more than " + std::to_string(kMostBranches) + " branching links";
  if (c.chain_count > 0) why = "actuator chains";
  if (!why.empty()) return nullptr;
  auto s = std::make_unique<ThreadStepper>();
  s->constants = c;
  s->at = at;
  s->worlds = worlds;
  s->predictions = predictions;
  const auto links = static_cast<std::size_t>(n);
  KindArraysT<float>& kind = s->constants.kind;
  kind.links = memory.copy(c.kind.links, links);
  kind.points = memory.copy(c.kind.points, static_cast<std::size_t>(points));
  kind.point_begin = memory.copy(c.kind.point_begin, links + 1);
  kind.bound_centre = memory.copy(c.kind.bound_centre, links);
  kind.bound_radius = memory.copy(c.kind.bound_radius, links);
  s->constants.joints = memory.copy(c.joints, links - 1);
  return s;
}

}  // namespace gradus

// Layout, launch and refill of the step by limbs; the walk is limb_step.h.
//
// A block holds groups of 32 worlds, each group W warps that share them: in every warp thread i walks limbs of world i. All
// groups of a block begin each round together, because warps that drift apart in a kernel of this size wait for its
// instructions (falling: 417 against 266 million steps a second [facts/gpu_limbs.md, 2]). A thread whose world is through
// takes the next one.
#include <algorithm>

#include "batch/gpu/gpu_stepper.h"
#include "batch/gpu/limb_step.h"

namespace gradus {
namespace {

constexpr int kThreads = 512;  // of a block at most, so that a thread may have 128 registers
constexpr int kWords = 3;      // of a world beside its numbers: flag, the next world, rounds
constexpr unsigned kAllLanes = 0xffffffffu;

struct LimbLaunch {
  float *tiles, *far;
  const LimbLinkT<float>* links;
  const LimbJointT<float>* joints;
  const ContactPointT<float>* points;
  RowLayout at;
  int worlds, steps, groups;  // groups of a block
  int* counter;               // worlds handed out beyond the first of every thread
  unsigned long long* predictions;  // of all worlds since the start
};

template <int W>
struct WarpRoom {
  static constexpr int warps = W, stride = kGpuTile;
  float *keep, *sums, *base, *far;
  int warp, group;
  std::uint32_t* flag;
  __device__ __forceinline__ void barrier() const {
    if constexpr (W == 1)
      __syncwarp();
    else
      asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "n"(W * 32) : "memory");
  }
  __device__ __forceinline__ void clear() const { *flag = 0; }
  __device__ __forceinline__ bool any(bool x) const { return __any_sync(kAllLanes, x); }
  __device__ __forceinline__ bool some(bool x) const { return __any_sync(__activemask(), x); }  // a branch, not a predicate
  __device__ __forceinline__ std::uint32_t combine(std::uint32_t bits) const {
    if constexpr (W == 1) return bits;
    if (bits) atomicOr(flag, bits);
    barrier();
    return *flag;
  }
};

/// Robots with joints that turn, without friction, springs and mimics; and all.
struct Plain {
  static constexpr bool prismatic = false, passive = false, mimics = false;
  using Word = std::uint32_t;
};
struct Full {
  static constexpr bool prismatic = true, passive = true, mimics = true;
  using Word = std::uint64_t;
};

/// Bytes of a block's shared memory, tables first.
__host__ __device__ inline std::size_t table_bytes(int nlink, int npoint) {
  return static_cast<std::size_t>(nlink) * sizeof(LimbLinkT<float>) + static_cast<std::size_t>(nlink - 1) * sizeof(LimbJointT<float>) +
         (static_cast<std::size_t>(npoint) * sizeof(ContactPointT<float>) + 15) / 16 * 16;
}
__host__ __device__ inline std::size_t group_bytes(int nlink, int warps) {
  return static_cast<std::size_t>(limb_shared_size(nlink, warps) + kWords) * kGpuTile * sizeof(float);
}

template <class T>
__device__ __forceinline__ const T* share(unsigned char*& at, const T* from, int count) {
  T* to = reinterpret_cast<T*>(at);
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
  at += (static_cast<std::size_t>(count) * sizeof(T) + 15) / 16 * 16;
  return to;
}

template <int W, class Has>
__global__ void __launch_bounds__(kThreads, 1)
    limb_kernel(const __grid_constant__ LimbRobotT<float> robot, const __grid_constant__ LimbLaunch in) {
  extern __shared__ __align__(16) unsigned char shared[];
  unsigned char* free_room = shared;
  const LimbTablesT<float> tables{share(free_room, in.links, robot.nlink), share(free_room, in.joints, robot.nlink - 1),
                                  share(free_room, in.points, robot.npoint)};
  const int lane = threadIdx.x % kGpuTile;
  const int warp = __shfl_sync(kAllLanes, static_cast<int>(threadIdx.x) / kGpuTile, 0);  // the compiler knows: of all lanes
  const int group = warp / W;
  LimbWalker<float, WarpRoom<W>, Has> walker(robot, tables);
  float* mine = reinterpret_cast<float*>(free_room) + group * (limb_shared_size(robot.nlink, W) + kWords) * kGpuTile + lane;
  auto* flag = reinterpret_cast<std::uint32_t*>(mine);
  int *given = reinterpret_cast<int*>(mine + kGpuTile), *rounds = given + kGpuTile;
  mine += kWords * kGpuTile;
  float* sums = mine + (robot.nlink - 1) * kKept * kGpuTile;
  float* far = in.far + static_cast<std::size_t>(blockIdx.x * in.groups + group) * limb_far_size(robot) * kGpuTile + lane;
  // Warp w of a block runs on scheduler w mod 4: turned, so that not all left legs share one.
  walker.room = {mine, sums, sums + W * kLimbSum * kGpuTile, far, (warp + group) % W, group, flag};
  const bool rooted = walker.room.warp == robot.plan.root_warp;
  const auto row_of = [&](int world) {
    return in.tiles + static_cast<std::size_t>(world / kGpuTile) * in.at.size * kGpuTile + world % kGpuTile;
  };
  const int first = (blockIdx.x * in.groups + group) * kGpuTile + lane;
  bool has = first < in.worlds;
  float* row = row_of(has ? first : 0);  // threads without a world walk along with the first
  walker.load(row, in.at);
  if (rooted) *rounds = 0;
  __syncthreads();
  int done = 0;
  while (__syncthreads_or(has)) {
    const bool stepped = walker.round(has, has && done + 1 == in.steps ? row + in.at.r * kGpuTile : nullptr);
    if (rooted && has) ++*rounds;
    const bool through = has && stepped && ++done == in.steps;
    if (__any_sync(kAllLanes, through)) {  // the same in all warps of the group
      if (through) walker.save(row, in.at);
      if (through && rooted) *given = static_cast<int>(gridDim.x) * in.groups * kGpuTile + atomicAdd(in.counter, 1);
      walker.room.barrier();
      if (through) {
        has = *given < in.worlds;
        done = 0;
        if (has) walker.load(row = row_of(*given), in.at);
      }
    }
  }
  if (rooted) atomicAdd(in.predictions, static_cast<unsigned long long>(*rounds));
}

using Kernel = void (*)(LimbRobotT<float>, LimbLaunch);

class LimbStepper : public GpuStepper {
 public:
  cudaError_t launch(float* tiles, int steps, cudaStream_t stream) override {
    in_.tiles = tiles;
    in_.steps = steps;
    cudaError_t status = cudaMemsetAsync(in_.counter, 0, sizeof(int), stream);
    if (status != cudaSuccess) return status;
    kernel_<<<blocks_, robot_.plan.warps * in_.groups * kGpuTile, shared_, stream>>>(robot_, in_);
    return cudaGetLastError();
  }
  LimbRobotT<float> robot_;
  LimbLaunch in_;
  Kernel kernel_;
  int blocks_;
  std::size_t shared_;
};

}  // namespace

std::unique_ptr<GpuStepper> make_limb_stepper(const BatchConstantsT<float>& c, const RowLayout& at, int worlds, GpuMemory& memory,
                                              unsigned long long* predictions, std::string& method, std::string& why) {
  LimbRobotData<float> data;
  if (!make_limb_robot(c, 0, data, why)) return nullptr;
  auto s = std::make_unique<LimbStepper>();
  const LimbRobotT<float>& r = s->robot_ = data.robot;
  const int warps = r.plan.warps;
  s->kernel_ = warps == 1 ? limb_kernel<1, Full> : data.needs.none() ? limb_kernel<4, Plain> : limb_kernel<4, Full>;
  int device = 0, processors = 0, most_shared = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  memory.status = cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  const std::size_t tables = table_bytes(r.nlink, r.npoint), group = group_bytes(r.nlink, warps);
  const int fit = static_cast<int>((static_cast<std::size_t>(most_shared) - tables) / group);
  if (memory.status == cudaSuccess && fit < 1) return why = "more links than this GPU's shared memory holds", nullptr;
  const int tiles = (worlds + kGpuTile - 1) / kGpuTile, wanted = (tiles + processors - 1) / std::max(processors, 1);
  const int groups = std::clamp(wanted, 1, std::min(fit, kThreads / (warps * kGpuTile)));
  s->shared_ = tables + static_cast<std::size_t>(groups) * group;
  if (memory.status == cudaSuccess)
    memory.status = cudaFuncSetAttribute(reinterpret_cast<const void*>(s->kernel_), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(s->shared_));
  int resident = 1;
  if (memory.status == cudaSuccess)
    memory.status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, s->kernel_, warps * groups * kGpuTile, s->shared_);
  s->blocks_ = std::min((tiles + groups - 1) / groups, processors * std::max(resident, 1));
  s->in_ = {nullptr,
            memory.room<float>(static_cast<std::size_t>(s->blocks_) * static_cast<std::size_t>(groups) * kGpuTile *
                               static_cast<std::size_t>(limb_far_size(r))),
            memory.copy(data.links.data(), data.links.size()),
            memory.copy(data.joints.data(), data.joints.size()),
            memory.copy(data.points.data(), data.points.size()),
            at,
            worlds,
            0,
            groups,
            memory.room<int>(1),
            predictions};
  method = "limbs, " + std::to_string(warps) + (warps == 1 ? " warp" : " warps") + " a world";
  return s;
}

}  // namespace gradus

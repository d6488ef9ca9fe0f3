/// The compiled step of one lane type: everything behind plain pointers, so that the same source can be compiled for
/// the baseline machine (deterministic) and for the machine at hand (fast) without mixing the two.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "batch/world_step.h"

namespace gradus {

/// What a lane holds and how many worlds share a register.
struct LaneType {
  bool single;  // float, else double
  int lanes;
  bool recompute = false;  // frames are recomputed instead of stored [tree/frames.h]
  friend bool operator==(const LaneType&, const LaneType&) = default;
};

/// Work for one thread: `steps` steps of tiles [begin, end).
struct LaneCall {
  const void* constants;  // BatchConstantsT of float or double, or of the lanes' pack
  RowLayout at;
  std::byte* tiles;  // [tile][number][lane], 64-byte aligned
  int tile_begin, tile_end, steps;
  std::int64_t first_step;   // of these tiles: where the rings of delays are
  std::byte* room;           // room_bytes of scratch, 64-byte aligned
  std::int64_t predictions;  // out: made for all tiles
};

struct LaneKernel {
  LaneType type;
  std::size_t (*room_bytes)(int nlink, int branch_count, int npoint, int chain_count);
  void (*step)(LaneCall& call);
  void (*step_own)(LaneCall& call);  // constants: of every lane's own [own_constants.h]; null: not compiled
};

std::span<const LaneKernel> portable_kernels();  // -ffp-contract=off: the same bits everywhere, and as World
/// The same source and bits in wider registers; empty if this machine has none of them.
std::span<const LaneKernel> avx2_kernels();
std::span<const LaneKernel> avx512_kernels();
/// Of these three, the one whose lanes just fill a register of this machine.
const LaneKernel& widest_kernel(bool single);
/// -march=native with contraction; target gradus_batch_native. Empty if this machine cannot run them.
std::span<const LaneKernel> native_kernels();

}  // namespace gradus

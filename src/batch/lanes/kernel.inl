/// Body of a LaneKernel for any scalar and frames policy. Included by the portable and the native translation unit;
/// each puts its instances into its own unnamed namespace, so that the linker can never exchange one for the other.
#pragma once
#include "batch/lanes/kernel.h"

namespace gradus {
namespace {

// Local names: templates of them have internal linkage as well.
struct Store : StoreFrames {
  static constexpr bool recompute = false;
};
struct Recompute : RecomputeFrames {
  static constexpr bool recompute = true;
  static constexpr bool chains = true;
};

/// Hands out aligned parts of a block; with a null block it only counts.
struct Carver {
  std::byte* block;
  std::size_t used = 0;
  template <class T>
  GRADUS_INLINE T* take(int count) {
    T* p = block ? reinterpret_cast<T*>(block + used) : nullptr;
    used += (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
    return p;
  }
};

template <class T>
GRADUS_INLINE StepRoomT<T> carve(Carver& c, int nlink, int branch_count, int npoint, int chain_count) {
  StepRoomT<T> r;
  r.frames = c.take<FrameT<T>>(nlink);
  r.sine = c.take<T>(nlink);
  r.cosine = c.take<T>(nlink);
  r.contacts = c.take<StaticContactT<T>>(npoint);
  r.contact_begin = c.take<int>(nlink + 1);
  r.drive = c.take<DriveForceT<T>>(nlink);
  r.acc = c.take<Vec6T<T>>(nlink);
  r.a = c.take<T>(nlink);
  r.articulated = {c.take<Factor6T<T>>(1), c.take<JointFactorT<T>>(nlink), c.take<Mat6T<T>>(branch_count),
                   c.take<Vec6T<T>>(branch_count)};
  r.frames_next = c.take<FrameT<T>>(nlink);
  r.sine_next = c.take<T>(nlink);
  r.cosine_next = c.take<T>(nlink);
  r.q_next = c.take<T>(7 + nlink);
  r.v_next = c.take<T>(6 + nlink);
  r.flight = {c.take<Vec6T<T>>(nlink), c.take<Vec6T<T>>(nlink), c.take<RigidInertiaT<T>>(nlink), c.take<T>(nlink)};
  r.limbs = {c.take<RigidInertiaT<T>>(nlink), c.take<Vec6T<T>>(nlink), c.take<Mat6T<T>>(nlink), c.take<Vec6T<T>>(nlink),
             c.take<bool>(nlink), c.take<bool>(1)};
  r.chains = c.take<ChainStepT<T>>(chain_count);
  return r;
}

template <class T>
std::size_t room_bytes(int nlink, int branch_count, int npoint, int chain_count) {
  Carver count{nullptr};
  carve<T>(count, nlink, branch_count, npoint, chain_count);
  return count.used;
}

/// F: T where every lane has constants of its own, else the scalar.
template <class T, class Policy, class F = RealOf<T>>
void step_tiles(LaneCall& call) {
  const auto& c = *static_cast<const BatchConstantsT<F>*>(call.constants);
  Carver carver{call.room};
  const StepRoomT<T> room = carve<T>(carver, c.kind.nlink, c.kind.branch_count, c.kind.npoint(), c.chain_count);
  for (int t = call.tile_begin; t < call.tile_end; ++t) {
    T* numbers = reinterpret_cast<T*>(call.tiles) + static_cast<std::ptrdiff_t>(t) * call.at.size;
    const RowT<T> row = row_at(numbers, call.at);
    for (int k = 0; k < call.steps; ++k) call.predictions += step_world<T, Policy>(c, row, room, call.first_step + k);
  }
}

/// own: with a step for constants of every lane's own, which takes the compiler as long again.
template <class T, class Policy, bool own = false>
constexpr LaneKernel lane_kernel() {
  LaneKernel k{{sizeof(RealOf<T>) == 4, ScalarTraits<T>::lanes, Policy::recompute}, &room_bytes<T>, &step_tiles<T, Policy>, nullptr};
  if constexpr (own) k.step_own = &step_tiles<T, Policy, T>;
  return k;
}

}  // namespace
}  // namespace gradus

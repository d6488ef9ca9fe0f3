/// One world walked by limbs on a CPU [limb_step.h]: by one warp, or by as many threads as it has warps. For tests and for
/// comparisons with a GPU.
#pragma once
#include <atomic>
#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include "batch/gpu/limb_step.h"

namespace gradus {

struct LimbHas {
  static constexpr bool prismatic = true, passive = true, mimics = true;
  using Word = std::uint64_t;
};

/// Memory and meeting place of the warps of one world.
template <class T>
struct HostLimbs {
  HostLimbs(const LimbRobotT<T>& r)
      : shared(static_cast<std::size_t>(limb_shared_size(r.nlink, r.plan.warps))),
        far(static_cast<std::size_t>(r.plan.warps), std::vector<T>(static_cast<std::size_t>(limb_far_size(r)))),
        meeting(r.plan.warps) {}
  std::vector<T> shared;
  std::vector<std::vector<T>> far;
  std::barrier<> meeting;
  std::atomic<std::uint32_t> flags{0};
};

template <class T, int W>
struct HostRoom {
  static constexpr int warps = W, stride = 1;
  T *keep, *sums, *base, *far;
  int warp;
  HostLimbs<T>* all;
  void barrier() const {
    if constexpr (W > 1) all->meeting.arrive_and_wait();
  }
  void clear() const { all->flags = 0; }
  bool any(bool x) const { return x; }
  bool some(bool x) const { return x; }
  std::uint32_t combine(std::uint32_t bits) const {
    all->flags |= bits;
    barrier();
    return all->flags;
  }
};

/// Steps the world in `row` in place.
template <class T, int W>
void step_limbs(const LimbRobotData<T>& data, const RowLayout& at, T* row, int steps) {
  const LimbRobotT<T>& r = data.robot;
  const std::vector<LimbLinkT<T>>& links = data.links;
  HostLimbs<T> all(r);
  const auto walk = [&](int warp) {
    LimbWalker<T, HostRoom<T, W>, LimbHas> walker(r, {links.data(), data.joints.data(), data.points.data()});
    T* sums = all.shared.data() + (r.nlink - 1) * kKept;
    walker.room = {all.shared.data(), sums, sums + W * kLimbSum, all.far[static_cast<std::size_t>(warp)].data(), warp, &all};
    walker.load(row, at);
    walker.room.barrier();
    for (int k = 0; k < steps; walker.room.barrier())
      if (walker.round(true, k + 1 == steps ? row + at.r : nullptr)) ++k;
    walker.save(row, at);
  };
  std::vector<std::thread> others;
  for (int w = 1; w < W; ++w) others.emplace_back(walk, w);
  walk(0);
  for (std::thread& t : others) t.join();
}

}  // namespace gradus

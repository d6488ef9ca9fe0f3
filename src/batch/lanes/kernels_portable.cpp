#include <algorithm>

#include "batch/lanes/kernel.inl"

namespace gradus {

std::span<const LaneKernel> portable_kernels() {
  static constexpr LaneKernel kernels[] = {
      lane_kernel<double, Store, true>(),    lane_kernel<float, Store, true>(),
      lane_kernel<Lane<double, 8>, Store>(), lane_kernel<Lane<float, 16>, Store>(),
      lane_kernel<Lane<double, 2>, Store, true>(), lane_kernel<Lane<float, 4>, Store, true>(),
      lane_kernel<double, Recompute>(),      lane_kernel<Lane<float, 16>, Recompute>(),
  };
  return kernels;
}

const LaneKernel& widest_kernel(bool single) {
  for (const auto& kernels : {avx512_kernels(), avx2_kernels()})
    for (const LaneKernel& k : kernels)
      if (k.type.single == single) return k;
  const LaneType fits{single, single ? 4 : 2};  // registers of 128 bits: what every x86-64 and ARM has
  const auto all = portable_kernels();
  return *std::find_if(all.begin(), all.end(), [&](const LaneKernel& k) { return k.type == fits; });
}

}  // namespace gradus

#include "batch/lanes/kernel.inl"

namespace gradus {

std::span<const LaneKernel> portable_kernels() {
  static constexpr LaneKernel kernels[] = {
      lane_kernel<double, Store>(),          lane_kernel<float, Store>(),
      lane_kernel<Lane<double, 8>, Store>(), lane_kernel<Lane<float, 16>, Store>(),
      lane_kernel<double, Recompute>(),      lane_kernel<Lane<float, 16>, Recompute>(),
  };
  return kernels;
}

}  // namespace gradus

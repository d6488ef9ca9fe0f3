// The portable kernels in registers of 256 bits. No contraction: the bits of kernels_portable.cpp.
#include "batch/lanes/kernel.inl"

namespace gradus {

std::span<const LaneKernel> avx2_kernels() {
#if defined(__AVX2__)
  static constexpr LaneKernel kernels[] = {lane_kernel<Lane<double, 4>, Store, true>(), lane_kernel<Lane<float, 8>, Store, true>()};
  if (__builtin_cpu_supports("avx2")) return kernels;
#endif
  return {};
}

}  // namespace gradus

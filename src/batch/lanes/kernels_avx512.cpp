// The portable kernels in registers of 512 bits. No contraction: the bits of kernels_portable.cpp.
#include "batch/lanes/kernel.inl"

namespace gradus {

std::span<const LaneKernel> avx512_kernels() {
#if defined(__AVX512F__)
  static constexpr LaneKernel kernels[] = {lane_kernel<Lane<double, 8>, Store, true>(),
                                           lane_kernel<Lane<float, 16>, Store, true>()};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return kernels;
#endif
  return {};
}

}  // namespace gradus

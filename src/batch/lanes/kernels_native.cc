// Compiled with -march=native -ffp-contract=fast as its own target. Nothing here may emit a symbol that the deterministic
// core also has: kernels are in an unnamed namespace or inlined, and no container of the standard library is used.
#include "batch/lanes/kernel.inl"

namespace gradus {
namespace {

bool runs_here() {
#if defined(__x86_64__)
#if defined(__AVX512F__)
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq")) return false;
#endif
#if defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return false;
#endif
#endif
  return true;
}

}  // namespace

std::span<const LaneKernel> native_kernels() {
  static constexpr LaneKernel kernels[] = {
      lane_kernel<Lane<float, 16>, Store>(), lane_kernel<Lane<double, 8>, Store>(),
      lane_kernel<Lane<float, 8>, Store>(),  lane_kernel<float, Store>(),
      lane_kernel<double, Store>(),
  };
  if (!runs_here()) return {};
  return kernels;
}

}  // namespace gradus

// Compiled with the -mavx512 flags. Nothing here may emit a symbol that the rest also has: kernels are in an unnamed
// namespace or inlined, and no container of the standard library is used.
#include "render/kernel.inl"
#include "render/kernels.h"

namespace gradus::render {

const RenderKernel* kernel_avx512() {
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  static constexpr RenderKernel one = render_kernel<Lane<float, 16>>("AVX-512");
  const bool here = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return here ? &one : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace gradus::render

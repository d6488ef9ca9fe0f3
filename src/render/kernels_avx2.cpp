// Compiled with -mavx2. Nothing here may emit a symbol that the rest also has: kernels are in an unnamed namespace or
// inlined, and no container of the standard library is used.
#include "render/kernel.inl"
#include "render/kernels.h"

namespace gradus::render {

const RenderKernel* kernel_avx2() {
#if defined(__AVX2__)
  static constexpr RenderKernel one = render_kernel<Lane<float, 8>>("AVX2");
  return __builtin_cpu_supports("avx2") ? &one : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace gradus::render

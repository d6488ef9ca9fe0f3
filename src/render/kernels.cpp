#include "render/kernels.h"

#include <cstdlib>

namespace gradus::render {

std::span<const RenderKernel> kernels() {
  struct All {
    RenderKernel list[4];
    std::size_t count = 0;
    All() {
      for (int i = 0; i < 2; ++i) list[count++] = kernels_portable()[i];
      for (const RenderKernel* k : {kernel_avx2(), kernel_avx512()})
        if (k != nullptr) list[count++] = *k;
    }
  };
  static const All all;
  return {all.list, all.count};
}

const RenderKernel& best_kernel() {
  static const RenderKernel& best = []() -> const RenderKernel& {
    if (const char* wish = std::getenv("GRADUS_LANES"))
      for (const RenderKernel& k : kernels())
        if (k.lanes == std::atoi(wish)) return k;
    return kernels().back();
  }();
  return best;
}

}  // namespace gradus::render

// One ray at a time, and four: what every machine can do.
#include "render/kernel.inl"
#include "render/kernels.h"

namespace gradus::render {

const RenderKernel* kernels_portable() {
  static constexpr RenderKernel both[] = {render_kernel<float>("plain"), render_kernel<Lane<float, 4>>("baseline")};
  return both;
}

}  // namespace gradus::render

/// What nvcc sees of the kernels' source, with CUDA's marks taken away: a name that is missing there fails here.
/// Nothing runs.
#define __CUDACC__ 1
#define __host__
#define __device__
#define __forceinline__ inline
#include "batch/gpu/limb_host.h"
#include "batch/world_step.h"

namespace gradus {
template int step_world<float, RecomputeFrames, float>(const BatchConstantsT<float>&, const RowT<float>&,
                                                       const StepRoomT<float>&, std::int64_t);
template void step_limbs<float, 4>(const LimbRobotData<float>&, const RowLayout&, float*, int);
}  // namespace gradus

#include "render/kernel.inl"
namespace gradus::render {
/// All that src/render/gpu/images.cu calls.
[[maybe_unused]] int all_of_images(const BandCall& call, const Placed& s, const TileLists& l, const TileCone& cone, const float* rays,
                  const std::uint16_t* ids, std::uint16_t* out) {
  GroundBox box{};
  Hit<float> h;
  float painted;
  const WideCone wide = widened(cone, call.slack_cos, call.slack_sin);
  const Colour<float> c = sample_of(s, call, l, cone.axis, turned(call, 0, rays[0], rays[1], rays[2]), h, painted);
  store_segments(s, h, painted, out);
  return ground_box(s, cone, 0, box) + spheres_meet<float>(s, 0, wide) + is_near(s.shapes[0], wide) +
         shade_meets<float>(s, 0, box) + paint_meets<float>(s, 0, box) + is_edge(ids, 0) +
         mean_level(0, between_0_and_1(c.r) + extra_ray(call, rays, 0, 0).x);
}
}  // namespace gradus::render

#include "bench/gpu_check.cu"

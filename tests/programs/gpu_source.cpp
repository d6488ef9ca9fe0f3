/// What nvcc sees of the kernels' source, with CUDA's marks taken away: a name that is missing there fails here.
/// Nothing runs.
#define __CUDACC__ 1
#define __host__
#define __device__
#define __forceinline__ inline
#include "batch/world_step.h"

namespace gradus {
template int step_world<float, RecomputeFrames, float>(const BatchConstantsT<float>&, const RowT<float>&,
                                                       const StepRoomT<float>&);
}  // namespace gradus

#include "bench/gpu_check.cu"

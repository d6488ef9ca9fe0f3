/// The ray caster compiled for each instruction set, from one source [kernel.inl]. All give the same bits, so nobody
/// needs to know which one runs.
#pragma once
#include <span>

#include "render/flat.h"

namespace gradus::render {

/// Those that this machine can run, fewest lanes first.
std::span<const RenderKernel> kernels();
/// The fastest here; GRADUS_LANES=1|4|8|16 in the environment chooses another.
const RenderKernel& best_kernel();

// One file each: what it holds, or nothing where the compiler has no such instructions.
const RenderKernel* kernels_portable();  // two: 1 and 4 lanes
const RenderKernel* kernel_avx2();
const RenderKernel* kernel_avx512();

}  // namespace gradus::render

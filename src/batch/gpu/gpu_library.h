/// Finds libgradus_gpu [gpu_worlds.h] while the program runs, so that gradus itself needs no CUDA.
#pragma once
#include <memory>
#include <string>

#include "batch/gpu/gpu_worlds.h"

namespace gradus {

/// Looked for at GRADUS_GPU_LIBRARY, beside the library or program that holds this code, and where the system looks. Null, and
/// one line why: no library, another version, no device, a robot that does not fit.
std::unique_ptr<GpuWorlds> make_gpu_worlds(const BatchConstantsT<float>& constants, int worlds, std::string& why);

}  // namespace gradus

/// humanoid28 standing on the ground as a GpuFile.
#pragma once
#include "bench/gpu_file.h"
#include "base/result.h"

namespace gradus::bench {
Result<GpuFile> gpu_file_of(const std::string& robot_file);
}  // namespace gradus::bench

/// Marks functions that also run on a CUDA device. Everything a kernel calls carries one of these marks.
#pragma once

#if defined(__CUDACC__)
#define GRADUS_HD __host__ __device__
#define GRADUS_INLINE __host__ __device__ __forceinline__
#else
#define GRADUS_HD
#define GRADUS_INLINE inline __attribute__((always_inline))
#endif

/// Marks functions that also run on a CUDA device. Everything a kernel calls carries one of these marks.
#pragma once

#if defined(__CUDACC__)
#define GRADUS_HD __host__ __device__
#define GRADUS_INLINE __host__ __device__ __forceinline__
#define GRADUS_UNROLL _Pragma("unroll")  // before loops over the six directions of a twist
#else
#define GRADUS_HD
#define GRADUS_INLINE inline __attribute__((always_inline))
#define GRADUS_UNROLL _Pragma("GCC unroll 6")
#endif

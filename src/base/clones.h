/// Functions that are compiled twice, for every x86-64 and for those with AVX, of which the loader takes the better
/// one: a fifth fewer instructions, since no number need be copied before it is changed. Multiply-adds are not
/// contracted, so the bits are the same [tools/check_determinism].
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define GRADUS_CLONES [[gnu::target_clones("avx", "default")]]
#else
#define GRADUS_CLONES
#endif

// Calls the variant of a function that was compiled for the instructions that
// are to be used. For files compiled once per instruction set by
// hwy/foreach_target.h, which include this first of all; Highway's own dispatch
// would cost each process a library to load and some milliseconds.
#ifndef SHARDINE_BASE_SIMD_DISPATCH_H_
#define SHARDINE_BASE_SIMD_DISPATCH_H_

// simd_level.h has no level for this target.
#define HWY_DISABLED_TARGETS HWY_SSSE3

// Highway checks arguments in builds with sanitizers or without optimisation,
// and its library would have to be linked to print a failed check.
#define HWY_IS_DEBUG_BUILD 0

#include <hwy/detect_targets.h>

#include "base/simd_level.h"

// A level that the whole build is beyond has no variant of its own.
#if HWY_TARGETS & HWY_SSE4
#define SHARDINE_AT_SSE4(FUNCTION) N_SSE4::FUNCTION()
#else
#define SHARDINE_AT_SSE4(FUNCTION) HWY_STATIC_DISPATCH(FUNCTION)()
#endif
#if HWY_TARGETS & HWY_AVX2
#define SHARDINE_AT_AVX2(FUNCTION) N_AVX2::FUNCTION()
#else
#define SHARDINE_AT_AVX2(FUNCTION) HWY_STATIC_DISPATCH(FUNCTION)()
#endif
#if HWY_TARGETS & HWY_AVX3
#define SHARDINE_AT_AVX512(FUNCTION) N_AVX3::FUNCTION()
#else
#define SHARDINE_AT_AVX512(FUNCTION) HWY_STATIC_DISPATCH(FUNCTION)()
#endif

// REQUIRES: `FUNCTION` takes nothing and stands in HWY_NAMESPACE.
#define SHARDINE_AT_LEVEL(LEVEL, FUNCTION)                      \
  ((LEVEL) >= SimdLevel::kAvx512 ? SHARDINE_AT_AVX512(FUNCTION) \
   : (LEVEL) == SimdLevel::kAvx2 ? SHARDINE_AT_AVX2(FUNCTION)   \
   : (LEVEL) == SimdLevel::kSse4 ? SHARDINE_AT_SSE4(FUNCTION)   \
                                 : HWY_STATIC_DISPATCH(FUNCTION)())

#endif  // SHARDINE_BASE_SIMD_DISPATCH_H_

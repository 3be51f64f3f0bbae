#include "image/simd_level.h"

namespace shardine {
namespace {

SimdLevel Detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("sse4.2");
  const bool avx2 =
      sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  const bool vnni = avx512 && __builtin_cpu_supports("avx512vbmi") &&
                    __builtin_cpu_supports("avx512vbmi2") &&
                    __builtin_cpu_supports("avx512vnni") &&
                    __builtin_cpu_supports("avx512bitalg") &&
                    __builtin_cpu_supports("avx512vpopcntdq");
  if (vnni) return SimdLevel::kAvx512Vnni;
  if (avx512) return SimdLevel::kAvx512;
  if (avx2) return SimdLevel::kAvx2;
  if (sse4) return SimdLevel::kSse4;
#endif
  return SimdLevel::kPortable;
}

SimdLevel& Current() {
  static SimdLevel level = Detect();
  return level;
}

}  // namespace

SimdLevel CurrentSimdLevel() { return Current(); }

bool LimitSimd(SimdLevel level) {
  UnlimitSimd();
  if (level > Current()) return false;
  Current() = level;
  return true;
}

void UnlimitSimd() { Current() = Detect(); }

}  // namespace shardine

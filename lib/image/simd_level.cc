#include "image/simd_level.h"

#include <hwy/targets.h>

namespace shardine {
namespace {

// The bits of all targets up to a level: a lower bit is a better target.
std::int64_t TargetsUpTo(SimdLevel level) {
  switch (level) {
    case SimdLevel::kPortable:
      return -HWY_BASELINE_SCALAR;
    case SimdLevel::kSse4:
      return -HWY_SSE4;
    case SimdLevel::kAvx2:
      return -HWY_AVX2;
    case SimdLevel::kAvx512:
      return -HWY_AVX3;
    case SimdLevel::kAvx512Vnni:
      break;
  }
  return -HWY_AVX3_DL;
}

}  // namespace

bool LimitSimd(SimdLevel level) {
  UnlimitSimd();
  const std::int64_t allowed = TargetsUpTo(level);
  const std::int64_t there = hwy::SupportedTargets();
  const std::int64_t best = allowed & -allowed;
  if ((there & best) == 0) return false;
  hwy::SetSupportedTargetsForTest(there & allowed);
  return true;
}

void UnlimitSimd() { hwy::SetSupportedTargetsForTest(0); }

}  // namespace shardine

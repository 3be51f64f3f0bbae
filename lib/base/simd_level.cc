#include "base/simd_level.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "shardine/environment.h"

namespace shardine {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"portable", "sse4", "avx2",
                                                    "avx512", "avx512vnni"};

SimdLevel OfProcessor() {
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

// The processor's, or less if the environment says so.
SimdLevel Detect() {
  const SimdLevel best = OfProcessor();
  const std::string wanted = Environment::Latest().Of("SHARDINE_SIMD");
  const auto name = std::find(kNames.begin(), kNames.end(), wanted);
  if (name == kNames.end()) return best;
  return std::min(best, static_cast<SimdLevel>(name - kNames.begin()));
}

// Until it is asked for.
constexpr auto kUnknown = static_cast<SimdLevel>(UINT8_MAX);
constinit std::atomic<SimdLevel> current = kUnknown;

}  // namespace

std::string_view ToString(SimdLevel level) {
  return kNames[static_cast<std::size_t>(level)];
}

SimdLevel CurrentSimdLevel() {
  SimdLevel level = current;
  if (level == kUnknown) current = level = Detect();
  return level;
}

SimdLevel ProcessorSimdLevel() { return OfProcessor(); }

bool LimitSimd(SimdLevel level) {
  const SimdLevel best = OfProcessor();
  current = std::min(best, level);
  return level <= best;
}

void UnlimitSimd() { current = kUnknown; }

}  // namespace shardine

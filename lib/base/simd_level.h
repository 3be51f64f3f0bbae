// Which vector instructions pixel code uses. They change the speed, never a
// pixel; tests and benchmarks hold it to less than the processor has.
#ifndef SHARDINE_BASE_SIMD_LEVEL_H_
#define SHARDINE_BASE_SIMD_LEVEL_H_

#include <cstdint>
#include <string_view>

namespace shardine {

enum class SimdLevel : std::uint8_t {
  kPortable,  // any processor of the kind has it
  kSse4,
  kAvx2,
  kAvx512,      // F, BW, CD, DQ, VL
  kAvx512Vnni,  // and VBMI, VNNI and the rest of Ice Lake
};

// "portable", "sse4", "avx2", "avx512", "avx512vnni".
std::string_view ToString(SimdLevel level);

// The best that the processor has, unless limited by one of those words in the
// environment variable SHARDINE_SIMD, or by LimitSimd.
SimdLevel CurrentSimdLevel();

// The best that the processor has, whatever limits it.
SimdLevel ProcessorSimdLevel();

// From now on nothing above `level` is used, whatever the environment says;
// false if the processor has less than `level`. Not thread-safe; an image that
// was begun keeps its level.
bool LimitSimd(SimdLevel level);
void UnlimitSimd();  // but for the environment

}  // namespace shardine

#endif  // SHARDINE_BASE_SIMD_LEVEL_H_

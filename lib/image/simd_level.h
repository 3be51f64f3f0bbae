// Which vector instructions pixel code uses. They change the speed, never a
// pixel; tests and benchmarks hold it to less than the processor has.
#ifndef SHARDINE_IMAGE_SIMD_LEVEL_H_
#define SHARDINE_IMAGE_SIMD_LEVEL_H_

#include <cstdint>

namespace shardine {

enum class SimdLevel : std::uint8_t {
  kPortable,  // what any processor of the kind has
  kSse4,
  kAvx2,
  kAvx512,      // F, BW, CD, DQ, VL
  kAvx512Vnni,  // and VBMI, VNNI and what else Ice Lake has
};

// The best that the processor has, unless limited.
SimdLevel CurrentSimdLevel();

// From now on nothing above `level` is used; false, without any limit, if the
// processor has no such instructions. Not thread-safe; what has begun an image
// keeps what it has.
bool LimitSimd(SimdLevel level);
void UnlimitSimd();

}  // namespace shardine

#endif  // SHARDINE_IMAGE_SIMD_LEVEL_H_

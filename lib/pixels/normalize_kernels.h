// The inner loops of Normalizer, for each instruction set that has vectors of
// floats with a fused multiply-add, and halves. For lib/image/normaliz*.cc.
#ifndef SHARDINE_PIXELS_NORMALIZE_KERNELS_H_
#define SHARDINE_PIXELS_NORMALIZE_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/simd_level.h"

namespace shardine {

// A quotient is made of a product and one correction, which is exact but for a
// few divisors: q = a * reciprocal; q + (a - q * std) * reciprocal, the two
// steps fused.
struct ChannelScale {
  std::array<float, 3> mean;
  std::array<float, 3> std;
  std::array<float, 3> reciprocal;  // of std
};

// Each does the first pixels of `count`, as many as fill whole vectors, and
// returns how many those are. Planes begin `plane` values apart.
struct NormalizeKernels {
  std::size_t (*byte_planes)(const std::uint8_t* rgb, std::size_t count,
                             std::uint8_t* out, std::size_t plane);
  std::size_t (*float_planes)(const std::uint8_t* rgb, std::size_t count,
                              const ChannelScale& scale, float* out,
                              std::size_t plane);
  std::size_t (*half_planes)(const std::uint8_t* rgb, std::size_t count,
                             const ChannelScale& scale, std::uint16_t* out,
                             std::size_t plane);
  std::size_t (*float_pixels)(const std::uint8_t* rgb, std::size_t count,
                              const ChannelScale& scale, float* out);
  std::size_t (*half_pixels)(const std::uint8_t* rgb, std::size_t count,
                             const ChannelScale& scale, std::uint16_t* out);
};

// Below kAvx2: those that do none.
NormalizeKernels VectorNormalizeKernels(SimdLevel level);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_NORMALIZE_KERNELS_H_

// Images of known content for tests of pixel operations.
#ifndef SHARDINE_TESTS_UNIT_PIXELS_DRAWN_PIXELS_H_
#define SHARDINE_TESTS_UNIT_PIXELS_DRAWN_PIXELS_H_

#include <cstdint>
#include <vector>

#include "base/simd_level.h"
#include "pixels/pixels.h"

namespace shardine {

constexpr SimdLevel kSimdLevels[] = {SimdLevel::kPortable, SimdLevel::kSse4,
                                     SimdLevel::kAvx2, SimdLevel::kAvx512,
                                     SimdLevel::kAvx512Vnni};

// Owns its bytes.
struct DrawnPixels {
  explicit DrawnPixels(PixelSize image, std::uint32_t seed = 1) : size(image) {
    bytes.resize(std::size_t{size.width} * size.height * 3);
    std::uint32_t state = seed;
    for (std::uint8_t& byte : bytes) {
      state = state * 1'664'525 + 1'013'904'223;
      // Extremes are a quarter of all: they find faults of clamping.
      const std::uint32_t kind = state >> 28;
      byte = kind == 0  ? 0
             : kind < 4 ? 255
                        : static_cast<std::uint8_t>(state >> 16);
    }
  }

  RgbPixels view() { return {bytes.data(), size}; }
  int at(std::uint32_t x, std::uint32_t y, std::size_t channel) const {
    return bytes[(std::size_t{y} * size.width + x) * 3 + channel];
  }
  friend bool operator==(const DrawnPixels&, const DrawnPixels&) = default;

  PixelSize size;
  std::vector<std::uint8_t> bytes;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_PIXELS_DRAWN_PIXELS_H_

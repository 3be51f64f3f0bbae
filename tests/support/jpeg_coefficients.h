// JPEGs as libjpeg takes them apart: their coefficients, and their pixels; and
// JPEGs made of any coefficients that it can write.
#ifndef SHARDINE_TESTS_SUPPORT_JPEG_COEFFICIENTS_H_
#define SHARDINE_TESTS_SUPPORT_JPEG_COEFFICIENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardine {

struct CoefficientPlane {
  std::uint32_t blocks_across = 0;  // with those that fill up the last MCUs
  std::uint32_t blocks_down = 0;
  std::array<std::uint16_t, 64> steps{};  // natural order
  // Row by row of blocks, each in natural order.
  std::vector<std::array<std::int16_t, 64>> blocks;
};

// One plane: gray; three: YCbCr.
using CoefficientPlanes = std::vector<CoefficientPlane>;

// REQUIRES: a whole JPEG.
CoefficientPlanes ReadCoefficients(std::string_view jpeg);

// `jpeg` with these planes instead of its own. REQUIRES: of the same size;
// AC coefficients within +-1023, DC differences within +-2047.
std::string ReplaceCoefficients(std::string_view jpeg,
                                const CoefficientPlanes& planes);

struct DecodedJpeg {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 0;  // 1 or 3
  std::vector<std::uint8_t> pixels;
};

// libjpeg's pixels, with its default settings.
DecodedJpeg DecodeByLibjpeg(std::string_view jpeg);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_JPEG_COEFFICIENTS_H_

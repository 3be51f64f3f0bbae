// The parts of RowMaker that are written once for each kind of vectors.
#ifndef SHARDINE_JPEG_PIXEL_KERNELS_H_
#define SHARDINE_JPEG_PIXEL_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/simd_level.h"

namespace shardine {

// The samples that a kernel may read, and the sums and samples (but no pixels)
// that it may write, after the last that it is asked for.
inline constexpr std::size_t kKernelPadding = 64;

struct YccRow {
  const std::uint8_t* y = nullptr;
  const std::uint8_t* cb = nullptr;
  const std::uint8_t* cr = nullptr;
};

// A row with chroma of half its width, each sample as a sum over two rows:
// 3 parts of the nearer and 1 of the other.
struct HalfYccRow {
  const std::uint8_t* y = nullptr;
  // At the sample that the first pixel lies in; one more before and one after
  // the last are read.
  const std::int16_t* cb = nullptr;
  const std::int16_t* cr = nullptr;
  // The first pixel is the right one of the two in its sample.
  bool starts_right = false;
  // Addends before a division by 16, for the left and the right pixel.
  std::int16_t left_bias = 0;
  std::int16_t right_bias = 0;
};

struct PixelKernels {
  // sums[i] = 3 * near[i] + far[i].
  void (*add_rows)(const std::uint8_t* near, const std::uint8_t* far,
                   std::size_t count, std::int16_t* sums);
  // samples[i] = (3 * near[i] + far[i] + bias) / 4.
  void (*blend_rows)(const std::uint8_t* near, const std::uint8_t* far,
                     std::int16_t bias, std::size_t count,
                     std::uint8_t* samples);
  // YCbCr to RGB.
  void (*convert)(const YccRow& row, std::size_t count, std::uint8_t* rgb);
  // The same, with chroma doubled by the triangle filter on the way.
  void (*convert_half)(const HalfYccRow& row, std::size_t count,
                       std::uint8_t* rgb);
};

PixelKernels PortablePixelKernels();
PixelKernels VectorPixelKernels(SimdLevel level);
// REQUIRES: SimdLevel::kAvx512Vnni.
PixelKernels VbmiPixelKernels();

// JFIF's conversion, in the fixed point of jdcolor.c: R = Y + 1.402 Cr, G = Y -
// 0.344136286 Cb - 0.714136286 Cr, B = Y + 1.772 Cb. As 16-bit products: these,
// of twice the value, rounded at the 15th bit (equal for all values), ...
inline constexpr std::int16_t kRedCr = 22970;
inline constexpr std::int16_t kBlueCb = 29033;
// ... and these, of twice the value, rounded at the 16th.
inline constexpr std::int16_t kGreenCb = -11277;
inline constexpr std::int16_t kGreenCr = -23401;

}  // namespace shardine

#endif  // SHARDINE_JPEG_PIXEL_KERNELS_H_

// The inner loops of AffineSampler, compiled for each instruction set.
#ifndef SHARDINE_PIXELS_AFFINE_KERNELS_H_
#define SHARDINE_PIXELS_AFFINE_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/geometry.h"
#include "base/simd_level.h"
#include "pixels/affine_sampler.h"
#include "shardine/affine_operations.h"

namespace shardine {

// One coordinate of the places that pixels come from: for pixel x of row y,
// both from the image's middle, it is
//   (((x across + y down) + one) + 1) half - 0.5
// from the first pixel's centre on; the factors are the matrix's row divided by
// half the side, as torch's grids have it from -1 to 1. A coordinate a pixel or
// more outside is -1 or `limit`, the side.
struct AffineAxis {
  float across = 0;
  float down = 0;
  float one = 0;
  float half = 0;
  float limit = 0;
};

struct AffineTask {
  // The first pixel of the image as it was, and bytes from row to row. Around
  // it is room: a pixel above and to the left, two below and to the right, of
  // the color outside, and kAffineSlack bytes after all.
  const std::uint8_t* first = nullptr;
  std::size_t stride = 0;
  PixelSize size;
  AffineAxis x;
  AffineAxis y;
  OutsideColor outside = {};
};

constexpr std::size_t kAffineSlack = 8;

// Makes the row at `y` from the image's middle. REQUIRES: the image and its
// surroundings have less than 2^31 bytes, and no side 2^22 pixels.
using AffineKernel = void (*)(const AffineTask& task, float y,
                              std::uint8_t* out);

struct AffineKernels {
  AffineKernel nearest;
  AffineKernel bilinear;
};

// The axes of a matrix, with no image yet.
AffineTask AffineTaskOf(PixelSize size, const AffineMatrix& matrix);

// Which pixels, y * width + x, the row at `y` from the image's middle is made
// of by `nearest`; a place outside is UINT32_MAX. REQUIRES: as AffineKernel.
void NearestPlaces(const AffineTask& task, float y,
                   std::span<std::uint32_t> places);

AffineKernels PortableAffineKernels();
AffineKernels VectorAffineKernels(SimdLevel level);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_AFFINE_KERNELS_H_

// AffineSampler: an image whose pixels come from other places of it, in the
// arithmetic of shardine/pixel_operations.h.
#ifndef SHARDINE_PIXELS_AFFINE_SAMPLER_H_
#define SHARDINE_PIXELS_AFFINE_SAMPLER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "pixels/pixels.h"
#include "shardine/affine_operations.h"

namespace shardine {

// The pixel at (x, y) has its value from (m[0] x + m[1] y + m[2],
// m[3] x + m[4] y + m[5]), both from the image's middle.
using AffineMatrix = std::array<double, 6>;

// Has the room that it needs, for one image after another. Thread-compatible.
class AffineSampler {
 public:
  // The same at every SimdLevel. REQUIRES: the matrix is finite as floats; the
  // image has less than 2 GiB and no side of 2^22.
  void operator()(RgbPixels image, const AffineMatrix& matrix,
                  Interpolation interpolation, const OutsideColor& outside);

 private:
  // The image as it was, with room of that color around it.
  void Surround(RgbPixels image, const std::array<std::uint8_t, 3>& color);

  std::vector<std::uint8_t> around_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_AFFINE_SAMPLER_H_

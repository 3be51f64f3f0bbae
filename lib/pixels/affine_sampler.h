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
  // REQUIRES: the matrix is finite as floats.
  void operator()(RgbPixels image, const AffineMatrix& matrix,
                  Interpolation interpolation, const OutsideColor& outside);

 private:
  std::vector<std::uint8_t> before_;
  std::vector<float> places_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_AFFINE_SAMPLER_H_

// NeighborFilters: operations that make a pixel of it and its neighbours, in
// the arithmetic of shardine/pixel_operations.h, the same at every SimdLevel.
#ifndef SHARDINE_PIXELS_NEIGHBOR_FILTERS_H_
#define SHARDINE_PIXELS_NEIGHBOR_FILTERS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "pixels/pixels.h"

namespace shardine {

// Has the room that they need, for one image after another. Thread-compatible.
class NeighborFilters {
 public:
  void Sharpen(RgbPixels image, double factor);

  // Weights of both passes, from the middle on: of the pixel itself, of those
  // beside it, ... REQUIRES: neither is empty.
  void Blur(RgbPixels image, std::span<const float> across,
            std::span<const float> down);

 private:
  std::vector<std::uint8_t> rows_;
  std::vector<float> row_;
  std::vector<float> floats_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_NEIGHBOR_FILTERS_H_

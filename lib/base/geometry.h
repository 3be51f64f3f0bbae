// Sizes and regions of images, in pixels.
#ifndef SHARDINE_BASE_GEOMETRY_H_
#define SHARDINE_BASE_GEOMETRY_H_

#include <cstdint>

namespace shardine {

struct PixelSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

// The pixels from (x, y), counted from the upper left corner, on.
struct Region {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  friend bool operator==(const Region&, const Region&) = default;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_GEOMETRY_H_

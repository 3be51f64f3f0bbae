#include "pixels/pixel_moves.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace shardine {

void FlipHorizontally(RgbPixels image) {
  if (image.size.width < 2) return;
  for (std::uint32_t y = 0; y < image.size.height; ++y) {
    std::uint8_t* left = image.row(y);
    std::uint8_t* right = left + image.stride() - 3;
    for (; left < right; left += 3, right -= 3) {
      std::swap(left[0], right[0]);
      std::swap(left[1], right[1]);
      std::swap(left[2], right[2]);
    }
  }
}

void FlipVertically(RgbPixels image) {
  for (std::uint32_t y = 0; y < image.size.height / 2; ++y) {
    std::uint8_t* const upper = image.row(y);
    std::swap_ranges(upper, upper + image.stride(),
                     image.row(image.size.height - 1 - y));
  }
}

void Paint(RgbPixels image, const Region& region,
           const std::array<std::uint8_t, 3>& color) {
  SHARDINE_CHECK(std::uint64_t{region.x} + region.width <= image.size.width);
  SHARDINE_CHECK(std::uint64_t{region.y} + region.height <= image.size.height);
  if (region.width == 0 || region.height == 0) return;
  const std::size_t left = std::size_t{region.x} * 3;
  const std::size_t bytes = std::size_t{region.width} * 3;
  std::uint8_t* const first = image.row(region.y) + left;
  for (std::size_t i = 0; i < bytes; i += 3) {
    std::copy(color.begin(), color.end(), first + i);
  }
  // The rest of the box is that row again.
  for (std::uint32_t y = 1; y < region.height; ++y) {
    std::copy_n(first, bytes, image.row(region.y + y) + left);
  }
}

}  // namespace shardine

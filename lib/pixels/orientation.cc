#include "pixels/orientation.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace shardine {
namespace {

constexpr std::uint32_t kTile = 32;

// The source of output pixel (0, 0), and the distances in the input of a step
// to the right and of one down, in bytes.
struct Walk {
  const std::uint8_t* first;
  std::ptrdiff_t right;
  std::ptrdiff_t down;
};

Walk WalkOf(const PixelView& pixels, std::uint8_t orientation) {
  const auto [width, height] = pixels.size;
  const bool swapped = SwapsSides(orientation);
  const bool from_right = orientation == 2 || orientation == 3 ||
                          orientation == 7 || orientation == 8;
  const bool from_below = orientation == 3 || orientation == 4 ||
                          orientation == 6 || orientation == 7;
  const auto across = static_cast<std::ptrdiff_t>(pixels.channels);
  const auto along = static_cast<std::ptrdiff_t>(pixels.stride);
  const std::ptrdiff_t step_x = from_right ? -across : across;
  const std::ptrdiff_t step_y = from_below ? -along : along;
  Walk walk{pixels.data, swapped ? step_y : step_x, swapped ? step_x : step_y};
  if (from_right) walk.first += std::size_t{width - 1} * pixels.channels;
  if (from_below) walk.first += pixels.stride * (height - 1);
  return walk;
}

// In tiles, so that the input is read in pieces that the cache keeps.
template <std::size_t kChannels>
void Turn(const Walk& walk, PixelBuffer& upright) {
  const auto [width, height] = upright.size();
  for (std::uint32_t top = 0; top < height; top += kTile) {
    for (std::uint32_t left = 0; left < width; left += kTile) {
      const std::uint32_t bottom = std::min(height, top + kTile);
      const std::uint32_t right = std::min(width, left + kTile);
      for (std::uint32_t y = top; y < bottom; ++y) {
        const std::uint8_t* from = walk.first + walk.down * std::ptrdiff_t{y} +
                                   walk.right * std::ptrdiff_t{left};
        std::uint8_t* to = upright.row(y) + left * kChannels;
        for (std::uint32_t x = left; x < right; ++x) {
          std::memcpy(to, from, kChannels);
          to += kChannels;
          from += walk.right;
        }
      }
    }
  }
}

}  // namespace

bool SwapsSides(std::uint8_t orientation) { return orientation >= 5; }

void ApplyOrientation(const PixelView& pixels, std::uint8_t orientation,
                      PixelBuffer& upright) {
  const auto [width, height] = pixels.size;
  upright.Reset(SwapsSides(orientation) ? PixelSize{height, width}
                                        : PixelSize{width, height},
                pixels.channels);
  if (width == 0 || height == 0) return;
  const Walk walk = WalkOf(pixels, orientation);
  if (pixels.channels == 1) {
    Turn<1>(walk, upright);
  } else {
    Turn<3>(walk, upright);
  }
}

}  // namespace shardine

#include <algorithm>
#include <cmath>

#include "pixels/affine_kernels.h"

namespace shardine {
namespace {

constexpr std::size_t kChannels = 3;

// The coordinate of the pixel in column i.
float PlaceOf(const AffineAxis& axis, float first, std::uint32_t i,
              float down) {
  const float x = first + static_cast<float>(static_cast<int>(i));
  const float grid = (x * axis.across + down) + axis.one;
  const float place = (grid + 1.0F) * axis.half - 0.5F;
  const float low = place > -1.0F ? place : -1.0F;
  return low < axis.limit ? low : axis.limit;
}

// Calls use(i, x, y) for each pixel of the row, with where it comes from.
template <typename Use>
void ForPlaces(const AffineTask& task, float y, const Use& use) {
  const float first = (1.0F - static_cast<float>(task.size.width)) * 0.5F;
  const float x_down = y * task.x.down;
  const float y_down = y * task.y.down;
  for (std::uint32_t i = 0; i < task.size.width; ++i) {
    use(i, PlaceOf(task.x, first, i, x_down),
        PlaceOf(task.y, first, i, y_down));
  }
}

const std::uint8_t* PixelAt(const AffineTask& task, int x, int y) {
  return task.first + y * static_cast<std::ptrdiff_t>(task.stride) +
         x * static_cast<std::ptrdiff_t>(kChannels);
}

// Halves to even. REQUIRES: -2^22 < value < 2^22.
float Nearest(float value) {
  // Beyond 2^23 floats are integers, and adding rounds.
  constexpr float kIntegers = 0x1.8p23F;
  return (value + kIntegers) - kIntegers;
}

void TakeNearest(const AffineTask& task, float row, std::uint8_t* out) {
  ForPlaces(task, row, [&](std::uint32_t i, float x, float y) {
    std::copy_n(PixelAt(task, static_cast<int>(Nearest(x)),
                        static_cast<int>(Nearest(y))),
                kChannels, out + i * kChannels);
  });
}

// The two pixels around a coordinate: the first one, and the shares of both in
// a pixel between them; 0 for a pixel outside.
struct Pair {
  Pair(float place, std::uint32_t side) {
    const float floor = std::floor(place);
    const float share = place - floor;
    first = static_cast<int>(floor);
    const int end = static_cast<int>(side);
    shares = {first >= 0 && first < end ? 1.0F - share : 0.0F,
              first + 1 < end ? share : 0.0F};
  }

  int first;
  std::array<float, 2> shares;
};

void TakeBilinear(const AffineTask& task, float row, std::uint8_t* out) {
  ForPlaces(task, row, [&](std::uint32_t i, float place_x, float place_y) {
    const Pair x(place_x, task.size.width);
    const Pair y(place_y, task.size.height);
    const std::array<float, 4> weights = {
        x.shares[0] * y.shares[0], x.shares[1] * y.shares[0],
        x.shares[0] * y.shares[1], x.shares[1] * y.shares[1]};
    const float inside = ((weights[0] + weights[1]) + weights[2]) + weights[3];
    const std::uint8_t* const above = PixelAt(task, x.first, y.first);
    const std::uint8_t* const below = above + task.stride;
    for (std::size_t c = 0; c < kChannels; ++c) {
      float value = static_cast<float>(above[c]) * weights[0];
      value += static_cast<float>(above[c + kChannels]) * weights[1];
      value += static_cast<float>(below[c]) * weights[2];
      value += static_cast<float>(below[c + kChannels]) * weights[3];
      if (task.outside) {
        const auto fill = static_cast<float>((*task.outside)[c]);
        value = (value - fill) * inside + fill;
      }
      // Rounding of weights makes a little more than 255 of white.
      out[i * kChannels + c] = static_cast<std::uint8_t>(
          static_cast<int>(Nearest(std::min(value, 255.0F))));
    }
  });
}

}  // namespace

void NearestPlaces(const AffineTask& task, float y,
                   std::span<std::uint32_t> places) {
  ForPlaces(task, y, [&](std::uint32_t i, float place_x, float place_y) {
    const int x = static_cast<int>(Nearest(place_x));
    const int row = static_cast<int>(Nearest(place_y));
    const bool inside = x >= 0 && row >= 0 &&
                        static_cast<std::uint32_t>(x) < task.size.width &&
                        static_cast<std::uint32_t>(row) < task.size.height;
    places[i] = inside ? static_cast<std::uint32_t>(row) * task.size.width +
                             static_cast<std::uint32_t>(x)
                       : UINT32_MAX;
  });
}

AffineKernels PortableAffineKernels() { return {TakeNearest, TakeBilinear}; }

}  // namespace shardine

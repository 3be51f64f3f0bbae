#include "pixels/neighbor_filters.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/check.h"
#include "base/simd_level.h"
#include "pixels/neighbor_kernels.h"

namespace shardine {
namespace {

constexpr std::size_t kChannels = 3;

// Where a place beyond the border has its value from: mirrored at the last
// pixel, which is not repeated, as often as it takes.
std::size_t Mirrored(std::int64_t place, std::uint32_t side) {
  if (side == 1) return 0;
  const std::int64_t period = 2 * (std::int64_t{side} - 1);
  const std::int64_t within = ((place % period) + period) % period;
  return static_cast<std::size_t>(std::min(within, period - within));
}

// A row as floats, with `margin` pixels of its mirror on both sides.
void Widen(const std::uint8_t* row, std::uint32_t width, std::size_t margin,
           float* out) {
  const auto before = static_cast<std::int64_t>(margin);
  const auto all = static_cast<std::int64_t>(width) + 2 * before;
  for (std::int64_t i = 0; i < all; ++i) {
    const std::uint8_t* const pixel =
        row + Mirrored(i - before, width) * kChannels;
    for (std::size_t c = 0; c < kChannels; ++c) *out++ = pixel[c];
  }
}

}  // namespace

void NeighborFilters::Sharpen(RgbPixels image, double factor) {
  const auto [width, height] = image.size;
  if (width < 3 || height < 3) return;
  const NeighborKernels kernels = VectorNeighborKernels(CurrentSimdLevel());
  const auto rest = static_cast<float>(1.0 - factor);
  // The rows above and at work, as they were before they changed.
  const std::size_t stride = image.stride();
  rows_.resize(2 * stride);
  std::uint8_t* above = rows_.data();
  std::uint8_t* middle = above + stride;
  std::copy_n(image.row(0), stride, above);
  for (std::uint32_t y = 1; y + 1 < height; ++y) {
    std::copy_n(image.row(y), stride, middle);
    kernels.sharpen(above, middle, image.row(y + 1), stride - 2 * kChannels,
                    rest, image.row(y) + kChannels);
    std::swap(above, middle);
  }
}

void NeighborFilters::Blur(RgbPixels image, std::span<const float> across,
                           std::span<const float> down) {
  SHARDINE_CHECK(!across.empty() && !down.empty());
  const PixelSize size = image.size;
  const NeighborKernels kernels = VectorNeighborKernels(CurrentSimdLevel());
  const std::size_t stride = image.stride();
  const std::size_t margin = across.size() - 1;
  row_.resize(std::max((size.width + 2 * margin) * kChannels, stride));
  floats_.resize(stride * size.height);
  for (std::uint32_t y = 0; y < size.height; ++y) {
    Widen(image.row(y), size.width, margin, row_.data());
    const float* const middle = row_.data() + margin * kChannels;
    float* const sum = floats_.data() + stride * y;
    kernels.begin(middle, across[0], stride, sum);
    for (std::size_t k = 1; k < across.size(); ++k) {
      kernels.add(middle - k * kChannels, middle + k * kChannels, across[k],
                  stride, sum);
    }
  }
  for (std::uint32_t y = 0; y < size.height; ++y) {
    const auto row = [&](std::int64_t from) {
      return floats_.data() + stride * Mirrored(from, size.height);
    };
    kernels.begin(row(y), down[0], stride, row_.data());
    for (std::size_t k = 1; k < down.size(); ++k) {
      const auto away = static_cast<std::int64_t>(k);
      kernels.add(row(y - away), row(y + away), down[k], stride, row_.data());
    }
    kernels.round(row_.data(), stride, image.row(y));
  }
}

}  // namespace shardine

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

// The places of a side and of `margin` beyond it on both sides.
std::vector<std::size_t> MirroredPlaces(std::uint32_t side,
                                        std::size_t margin) {
  std::vector<std::size_t> places(side + 2 * margin);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = Mirrored(
        static_cast<std::int64_t>(i) - static_cast<std::int64_t>(margin), side);
  }
  return places;
}

// A row as floats; `columns` are those of MirroredPlaces.
void Widen(const std::uint8_t* row, std::span<const std::size_t> columns,
           std::size_t margin, float* out) {
  const auto one_by_one = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        out[i * kChannels + c] = row[columns[i] * kChannels + c];
      }
    }
  };
  const std::size_t end = columns.size() - margin;
  one_by_one(0, margin);
  const std::size_t values = (end - margin) * kChannels;
  for (std::size_t i = 0; i < values; ++i) out[margin * kChannels + i] = row[i];
  one_by_one(end, columns.size());
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
  const auto [width, height] = image.size;
  const NeighborKernels kernels = VectorNeighborKernels(CurrentSimdLevel());
  const std::size_t stride = image.stride();
  const std::size_t margin = across.size() - 1;
  const auto columns = MirroredPlaces(width, margin);
  row_.resize(columns.size() * kChannels);
  floats_.resize(stride * height);
  for (std::uint32_t y = 0; y < height; ++y) {
    Widen(image.row(y), columns, margin, row_.data());
    kernels.across(row_.data() + margin * kChannels, across, stride,
                   floats_.data() + stride * y);
  }
  const std::size_t reach = down.size() - 1;
  const auto places = MirroredPlaces(height, reach);
  std::vector<const float*> rows(2 * reach + 1);
  for (std::uint32_t y = 0; y < height; ++y) {
    const auto row = [&](std::size_t place) {
      return floats_.data() + stride * places[place];
    };
    rows[0] = row(y + reach);
    for (std::size_t k = 1; k <= reach; ++k) {
      rows[2 * k - 1] = row(y + reach - k);
      rows[2 * k] = row(y + reach + k);
    }
    kernels.down(rows.data(), down, stride, image.row(y));
  }
}

}  // namespace shardine

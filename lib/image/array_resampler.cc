#include "image/array_resampler.h"

#include <algorithm>

#include "base/status_macros.h"
#include "pixels/color_convert.h"
#include "pixels/crop_sink.h"

namespace shardine {
namespace {

// Bytes converted at a time: with the resampler's output they should stay in
// the first-level cache.
constexpr std::size_t kBytesAtOnce = std::size_t{16} << 10;
constexpr std::uint8_t kChannels = 3;

const std::uint8_t* At(const PixelView& pixels, std::uint32_t x,
                       std::uint32_t y) {
  return pixels.row(y) + std::size_t{x} * pixels.channels;
}

}  // namespace

Status ArrayResampler::Resample(const PixelView& pixels, const Region& region,
                                const ResampleTarget& target, std::uint8_t* out,
                                std::size_t stride) {
  SHARDINE_RETURN_IF_ERROR(CheckRegion(region, pixels.size));
  const ResampleSpec spec{.in = {region.width, region.height},
                          .out = target.size,
                          .channels = kChannels,
                          .filter = target.filter,
                          .order = target.order,
                          .flip = target.flip,
                          .part = target.part};
  const Region input = InputOf(spec);
  const Region needed{region.x + input.x, region.y + input.y, input.width,
                      input.height};
  resampler_.Begin(spec, out, stride);
  if (pixels.channels == kChannels) {
    // They lie in memory as the resampler takes them: no copy is made.
    resampler_.Push(At(pixels, needed.x, needed.y), pixels.stride,
                    needed.height);
  } else {
    PushConverted(pixels, needed);
  }
  return {};
}

void ArrayResampler::PushConverted(const PixelView& pixels,
                                   const Region& needed) {
  const std::size_t row_bytes = std::size_t{needed.width} * kChannels;
  const auto rows = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kBytesAtOnce / row_bytes, 1, needed.height));
  rgb_.Resize(row_bytes * rows);
  auto* const rgb = reinterpret_cast<std::uint8_t*>(rgb_.data());
  const auto convert = pixels.channels == 1 ? GrayToRgb : RgbaToRgb;
  for (std::uint32_t first = 0; first < needed.height; first += rows) {
    const std::uint32_t count = std::min(rows, needed.height - first);
    for (std::uint32_t y = 0; y < count; ++y) {
      convert(At(pixels, needed.x, needed.y + first + y), rgb + row_bytes * y,
              needed.width);
    }
    resampler_.Push(rgb, row_bytes, count);
  }
}

}  // namespace shardine

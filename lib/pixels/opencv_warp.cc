#include "pixels/opencv_warp.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "pixels/opencv_warp_weights.h"

namespace shardine {
namespace {

constexpr std::uint32_t kChannels = 3;
// Places are calculated in 1024ths of a pixel, and cut to 32nds.
constexpr int kFineBits = 10;
constexpr double kFine = 1 << kFineBits;
constexpr std::uint32_t kPlaceMask = OpenCvWarpWeights::kPlaces - 1;

// OpenCV's saturate_cast<int>, which is cvtsd2si: a value out of range becomes
// the least integer.
std::uint32_t ToInteger(double value) {
  constexpr double kEnd = 2147483648.0;
  const double rounded = std::nearbyint(value);
  if (!(rounded >= -kEnd && rounded < kEnd)) return std::uint32_t{1} << 31;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(rounded));
}

// From where a pixel comes. In doubles, in OpenCV's order of operations.
using Inverse = std::array<double, 6>;

Inverse Invert(const OpenCvMatrix& matrix) {
  const std::array<double, 6> m = {matrix[0], matrix[1], matrix[2],
                                   matrix[3], matrix[4], matrix[5]};
  double scale = m[0] * m[4] - m[1] * m[3];
  scale = scale != 0 ? 1. / scale : 0;
  const double a11 = m[4] * scale;
  const double a22 = m[0] * scale;
  const double a12 = m[1] * -scale;
  const double a21 = m[3] * -scale;
  return {a11, a12, -a11 * m[2] - a12 * m[5],
          a21, a22, -a21 * m[2] - a22 * m[5]};
}

std::int32_t ToShort(std::int32_t value) {
  return std::clamp<std::int32_t>(value, -32768, 32767);
}

// A pixel of the target, by the place that it comes from.
class WarpSampler {
 public:
  WarpSampler(const PixelView& from, OpenCvFilter filter, std::uint8_t fill)
      : from_(from),
        weights_(OpenCvWarpWeights::For(filter)),
        fill_(fill),
        width_(static_cast<std::int32_t>(from.size.width)),
        height_(static_cast<std::int32_t>(from.size.height)) {}

  void Nearest(std::int32_t x, std::int32_t y, std::uint8_t* out) const {
    std::memcpy(out, Pixel(ToShort(x), ToShort(y)).data(), kChannels);
  }

  template <std::int32_t kTaps>
  void Weighted(std::int32_t fine_x, std::int32_t fine_y,
                std::uint8_t* out) const {
    constexpr int kBits = OpenCvWarpWeights::kPlaceBits;
    const std::int16_t* weight =
        weights_.At(static_cast<std::uint32_t>(fine_x) & kPlaceMask,
                    static_cast<std::uint32_t>(fine_y) & kPlaceMask);
    const std::int32_t x = ToShort(fine_x >> kBits) - (kTaps / 2 - 1);
    const std::int32_t y = ToShort(fine_y >> kBits) - (kTaps / 2 - 1);
    std::array<std::int32_t, kChannels> sums{};
    if (x >= 0 && y >= 0 && x + kTaps <= width_ && y + kTaps <= height_) {
      AddInside<kTaps>(x, y, weight, sums);
    } else if (x >= width_ || y >= height_ || x + kTaps <= 0 ||
               y + kTaps <= 0) {
      std::memset(out, fill_, kChannels);
      return;
    } else {
      AddAtBorder<kTaps>(x, y, weight, sums);
    }
    constexpr std::int32_t kHalf = 1 << (OpenCvWarpWeights::kBits - 1);
    for (std::uint32_t c = 0; c < kChannels; ++c) {
      out[c] = static_cast<std::uint8_t>(
          std::clamp((sums[c] + kHalf) >> OpenCvWarpWeights::kBits, 0, 255));
    }
  }

 private:
  using Sums = std::array<std::int32_t, kChannels>;

  const std::uint8_t* At(std::int32_t x, std::int32_t y) const {
    return from_.row(static_cast<std::uint32_t>(y)) +
           static_cast<std::size_t>(x) * kChannels;
  }

  std::array<std::uint8_t, kChannels> Pixel(std::int32_t x,
                                            std::int32_t y) const {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) {
      return {fill_, fill_, fill_};
    }
    const std::uint8_t* const at = At(x, y);
    return {at[0], at[1], at[2]};
  }

  template <std::int32_t kTaps>
  void AddInside(std::int32_t x, std::int32_t y, const std::int16_t* weight,
                 Sums& sums) const {
    for (std::int32_t down = 0; down < kTaps; ++down) {
      const std::uint8_t* at = At(x, y + down);
      for (std::int32_t across = 0; across < kTaps; ++across, ++weight) {
        for (std::uint32_t c = 0; c < kChannels; ++c) {
          sums[c] += *at++ * *weight;
        }
      }
    }
  }

  template <std::int32_t kTaps>
  void AddAtBorder(std::int32_t x, std::int32_t y, const std::int16_t* weight,
                   Sums& sums) const {
    for (std::int32_t down = 0; down < kTaps; ++down) {
      for (std::int32_t across = 0; across < kTaps; ++across, ++weight) {
        const auto pixel = Pixel(x + across, y + down);
        for (std::uint32_t c = 0; c < kChannels; ++c) {
          sums[c] += pixel[c] * *weight;
        }
      }
    }
  }

  const PixelView& from_;
  const OpenCvWarpWeights& weights_;
  const std::uint8_t fill_;
  const std::int32_t width_;
  const std::int32_t height_;
};

// Calls take(x, y, out) with each pixel's place, `shift` bits coarser than the
// 1024ths.
template <typename F>
void ForPlaces(const Inverse& m, const Region& part, int shift,
               std::uint8_t* out, std::size_t stride, F take) {
  std::vector<std::array<std::uint32_t, 2>> across(part.width);
  for (std::uint32_t i = 0; i < part.width; ++i) {
    const double x = part.x + i;
    across[i] = {ToInteger(m[0] * x * kFine), ToInteger(m[3] * x * kFine)};
  }
  const std::uint32_t half = std::uint32_t{1} << (shift - 1);
  for (std::uint32_t i = 0; i < part.height; ++i) {
    const double y = part.y + i;
    // Sums wrap around, as OpenCV's integers do.
    const std::uint32_t begin_x = ToInteger((m[1] * y + m[2]) * kFine) + half;
    const std::uint32_t begin_y = ToInteger((m[4] * y + m[5]) * kFine) + half;
    std::uint8_t* pixel = out + stride * i;
    for (const auto& [step_x, step_y] : across) {
      take(static_cast<std::int32_t>(begin_x + step_x) >> shift,
           static_cast<std::int32_t>(begin_y + step_y) >> shift, pixel);
      pixel += kChannels;
    }
  }
}

}  // namespace

void OpenCvWarp(const PixelView& from, const OpenCvMatrix& matrix,
                OpenCvFilter filter, std::uint8_t fill, const Region& part,
                std::uint8_t* out, std::size_t stride) {
  const Inverse inverse = Invert(matrix);
  const WarpSampler sampler(from, filter, fill);
  constexpr int kToPlaces = kFineBits - OpenCvWarpWeights::kPlaceBits;
  const auto weighted = [&](auto take) {
    ForPlaces(inverse, part, kToPlaces, out, stride, take);
  };
  using Place = std::int32_t;
  switch (filter) {
    case OpenCvFilter::kNearest:
      return ForPlaces(inverse, part, kFineBits, out, stride,
                       [&](Place x, Place y, std::uint8_t* pixel) {
                         sampler.Nearest(x, y, pixel);
                       });
    case OpenCvFilter::kCubic:
      return weighted([&](Place x, Place y, std::uint8_t* pixel) {
        sampler.Weighted<4>(x, y, pixel);
      });
    case OpenCvFilter::kLanczos4:
      return weighted([&](Place x, Place y, std::uint8_t* pixel) {
        sampler.Weighted<8>(x, y, pixel);
      });
    case OpenCvFilter::kLinear:
    case OpenCvFilter::kArea:
      return weighted([&](Place x, Place y, std::uint8_t* pixel) {
        sampler.Weighted<2>(x, y, pixel);
      });
  }
}

}  // namespace shardine

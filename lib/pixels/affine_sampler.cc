#include "pixels/affine_sampler.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"
#include "base/simd_level.h"
#include "pixels/affine_kernels.h"

namespace shardine {
namespace {

constexpr std::size_t kChannels = 3;

// Pixels around the image, as AffineTask has them.
constexpr std::size_t kBefore = 1;
constexpr std::size_t kAfter = 2;

AffineAxis AxisOf(const double* row, std::uint32_t side) {
  const float half = static_cast<float>(side) * 0.5F;
  return {.across = static_cast<float>(row[0]) / half,
          .down = static_cast<float>(row[1]) / half,
          .one = static_cast<float>(row[2]) / half,
          .half = half,
          .limit = static_cast<float>(side)};
}

std::uint8_t* Fill(std::uint8_t* out, std::size_t pixels,
                   const std::array<std::uint8_t, 3>& color) {
  for (; pixels > 0; --pixels) {
    out = std::copy_n(color.data(), kChannels, out);
  }
  return out;
}

}  // namespace

AffineTask AffineTaskOf(PixelSize size, const AffineMatrix& matrix) {
  return {.size = size,
          .x = AxisOf(matrix.data(), size.width),
          .y = AxisOf(matrix.data() + 3, size.height)};
}

void AffineSampler::operator()(RgbPixels image, const AffineMatrix& matrix,
                               Interpolation interpolation,
                               const OutsideColor& outside) {
  const auto [width, height] = image.size;
  const std::size_t stride = (width + kBefore + kAfter) * kChannels;
  const std::size_t rows = height + kBefore + kAfter;
  constexpr std::size_t kMostSide = 1U << 22;
  constexpr std::size_t kMostBytes = 1U << 31;
  SHARDINE_CHECK(width < kMostSide && height < kMostSide);
  SHARDINE_CHECK(stride * rows < kMostBytes);
  Surround(image, outside.value_or(std::array<std::uint8_t, 3>{}));
  AffineTask task = AffineTaskOf(image.size, matrix);
  task.first = around_.data() + kBefore * stride + kBefore * kChannels;
  task.stride = stride;
  task.outside = outside;
  const AffineKernels kernels = VectorAffineKernels(CurrentSimdLevel());
  const AffineKernel take = interpolation == Interpolation::kNearest
                                ? kernels.nearest
                                : kernels.bilinear;
  const float first = (1.0F - static_cast<float>(height)) * 0.5F;
  for (std::uint32_t y = 0; y < height; ++y) {
    take(task, first + static_cast<float>(y), image.row(y));
  }
}

void AffineSampler::Surround(RgbPixels image,
                             const std::array<std::uint8_t, 3>& color) {
  const auto [width, height] = image.size;
  const std::size_t across = width + kBefore + kAfter;
  around_.resize(across * (height + kBefore + kAfter) * kChannels +
                 kAffineSlack);
  std::uint8_t* out = Fill(around_.data(), kBefore * across, color);
  for (std::uint32_t y = 0; y < height; ++y) {
    out = Fill(out, kBefore, color);
    out = std::copy_n(image.row(y), image.stride(), out);
    out = Fill(out, kAfter, color);
  }
  Fill(out, kAfter * across, color);
}

}  // namespace shardine

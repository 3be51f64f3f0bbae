#include "pixels/opencv_warp_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/made_once.h"
#include "pixels/opencv_factors.h"

namespace shardine {
namespace {

constexpr std::int32_t kOne = 1 << OpenCvWarpWeights::kBits;

std::int16_t ToFixed(float weight) {
  return static_cast<std::int16_t>(
      std::clamp(std::lrint(weight * kOne), -32768l, 32767l));
}

// The error of rounding goes to one of four weights in the middle: an excess to
// the least, a lack to the greatest. OpenCV's middle begins at taps / 2: with
// two taps it holds the last alone.
void Complete(std::int16_t* weights, std::uint32_t taps) {
  std::int32_t sum = 0;
  for (std::uint32_t i = 0; i < taps * taps; ++i) sum += weights[i];
  if (sum == kOne) return;
  const std::uint32_t begin = taps / 2;
  const std::uint32_t end = std::min(begin + 2, taps);
  std::int16_t* least = weights + begin * taps + begin;
  std::int16_t* most = least;
  for (std::uint32_t y = begin; y < end; ++y) {
    for (std::uint32_t x = begin; x < end; ++x) {
      std::int16_t* const at = weights + y * taps + x;
      if (*at < *least) {
        least = at;
      } else if (*at > *most) {
        most = at;
      }
    }
  }
  std::int16_t* const changed = sum < kOne ? most : least;
  *changed = static_cast<std::int16_t>(*changed + kOne - sum);
}

}  // namespace

const OpenCvWarpWeights& OpenCvWarpWeights::For(OpenCvFilter filter) {
  static constinit MadeOnce<OpenCvWarpWeights> linear;
  static constinit MadeOnce<OpenCvWarpWeights> cubic;
  static constinit MadeOnce<OpenCvWarpWeights> lanczos;
  MadeOnce<OpenCvWarpWeights>& made = filter == OpenCvFilter::kCubic ? cubic
                                      : filter == OpenCvFilter::kLanczos4
                                          ? lanczos
                                          : linear;
  return made.Get([filter] { return OpenCvWarpWeights(filter); });
}

OpenCvWarpWeights::OpenCvWarpWeights(OpenCvFilter filter)
    : taps_(TapsOf(filter)) {
  std::array<OpenCvFactors, kPlaces> factors{};
  for (std::uint32_t i = 0; i < kPlaces; ++i) {
    factors[i] = FactorsOf(filter, static_cast<float>(i) / kPlaces);
  }
  weights_.reserve(std::size_t{kPlaces} * kPlaces * taps_ * taps_);
  for (const OpenCvFactors& down : factors) {
    for (const OpenCvFactors& across : factors) {
      for (std::uint32_t y = 0; y < taps_; ++y) {
        for (std::uint32_t x = 0; x < taps_; ++x) {
          weights_.push_back(ToFixed(down[y] * across[x]));
        }
      }
      Complete(&*weights_.end() - taps_ * taps_, taps_);
    }
  }
}

}  // namespace shardine

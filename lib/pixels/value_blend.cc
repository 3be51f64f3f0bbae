#include "pixels/value_blend.h"

#include <cmath>
#include <cstdint>

#include "base/simd_level.h"
#include "pixels/blend_kernels.h"
#include "pixels/half_float.h"

namespace shardine {
namespace {

float Blended(float other, float own, const BlendWeights& weights) {
  return other * weights.other + own * weights.own;
}

std::uint8_t BlendedValue(std::uint8_t other, std::uint8_t own,
                          const BlendWeights& weights) {
  // nearbyint rounds by the environment's mode, which no code here changes.
  return static_cast<std::uint8_t>(
      std::nearbyint(Blended(other, own, weights)));
}

float BlendedValue(float other, float own, const BlendWeights& weights) {
  return Blended(other, own, weights);
}

std::uint16_t BlendedValue(std::uint16_t other, std::uint16_t own,
                           const BlendWeights& weights) {
  return HalfBits(Blended(HalfValue(other), HalfValue(own), weights));
}

template <typename T, typename Kernel>
void BlendAll(Kernel kernel, const std::byte* other, std::size_t count,
              const BlendWeights& weights, std::byte* own) {
  const T* const from = reinterpret_cast<const T*>(other);
  T* const to = reinterpret_cast<T*>(own);
  for (std::size_t i = kernel(from, count, weights, to); i < count; ++i) {
    to[i] = BlendedValue(from[i], to[i], weights);
  }
}

}  // namespace

void BlendValues(PixelType type, const std::byte* other, std::size_t count,
                 float weight, std::byte* own) {
  const BlendKernels kernels = VectorBlendKernels(CurrentSimdLevel());
  const BlendWeights weights{weight, 1 - weight};
  switch (type) {
    case PixelType::kUint8:
      return BlendAll<std::uint8_t>(kernels.bytes, other, count, weights, own);
    case PixelType::kFloat32:
      return BlendAll<float>(kernels.floats, other, count, weights, own);
    case PixelType::kFloat16:
      return BlendAll<std::uint16_t>(kernels.halves, other, count, weights,
                                     own);
  }
}

}  // namespace shardine

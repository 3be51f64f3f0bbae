// Compiled once for each instruction set, by foreach_target.h. The plain loops
// here are vectorized by the compiler.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/neighbor_vectors.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cstdint>

#include "pixels/neighbor_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

// Values at a time of loops that keep some between them.
constexpr std::size_t kBlock = 256;

// Beyond 2^23 floats are integers, and adding rounds as the header says.
constexpr float kIntegers = 0x1p23F;

void BeginSums(const float* HWY_RESTRICT a, float weight, std::size_t count,
               float* HWY_RESTRICT sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] = a[i] * weight;
}

void AddToSums(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
               float weight, std::size_t count, float* HWY_RESTRICT sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += (a[i] + b[i]) * weight;
}

void PlainAcross(const float* middle, std::span<const float> weights,
                 std::size_t count, float* sums) {
  BeginSums(middle, weights[0], count, sums);
  for (std::size_t k = 1; k < weights.size(); ++k) {
    AddToSums(middle - 3 * k, middle + 3 * k, weights[k], count, sums);
  }
}

void PlainDown(const float* const* rows, std::span<const float> weights,
               std::size_t count, std::uint8_t* out) {
  float sums[kBlock];
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t here = std::min(kBlock, count - begin);
    BeginSums(rows[0] + begin, weights[0], here, sums);
    for (std::size_t k = 1; k < weights.size(); ++k) {
      AddToSums(rows[2 * k - 1] + begin, rows[2 * k] + begin, weights[k], here,
                sums);
    }
    for (std::size_t i = 0; i < here; ++i) {
      const float whole = (sums[i] + kIntegers) - kIntegers;
      const float least = whole > 255.0F ? 255.0F : whole;
      out[begin + i] = static_cast<std::uint8_t>(static_cast<int>(least));
    }
  }
}

constexpr std::uint32_t Thirteenth(std::uint32_t sum) {
  return (sum * 5042) >> 16;
}

constexpr bool AreThirteenths(std::uint32_t most) {
  for (std::uint32_t sum = 0; sum <= most; ++sum) {
    if (Thirteenth(sum) != sum / 13) return false;
  }
  return true;
}
static_assert(AreThirteenths(13 * 255 + 6));

// out[i]: the rounded mean of the 3 x 3 neighbours of value i, less that value.
void SoftLess(const std::uint8_t* HWY_RESTRICT above,
              const std::uint8_t* HWY_RESTRICT middle,
              const std::uint8_t* HWY_RESTRICT below, std::size_t count,
              std::int16_t* HWY_RESTRICT out) {
  for (std::size_t i = 0; i < count; ++i) {
    // Words are enough, and twice as many to a vector as integers.
    const auto around = static_cast<std::uint16_t>(
        above[i] + above[i + 3] + above[i + 6] + middle[i] + middle[i + 6] +
        below[i] + below[i + 3] + below[i + 6]);
    const std::uint16_t value = middle[i + 3];
    // No sum is half a step from the next mean: 13 is odd.
    const auto sum = static_cast<std::uint16_t>(around + 5 * value + 6);
    const auto soft = static_cast<std::uint16_t>(Thirteenth(sum));
    out[i] = static_cast<std::int16_t>(soft - value);
  }
}

void SharpenRow(const std::uint8_t* HWY_RESTRICT above,
                const std::uint8_t* HWY_RESTRICT middle,
                const std::uint8_t* HWY_RESTRICT below, std::size_t count,
                float rest, std::uint8_t* HWY_RESTRICT out) {
  std::int16_t less[kBlock];
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t here = std::min(kBlock, count - begin);
    SoftLess(above + begin, middle + begin, below + begin, here, less);
    for (std::size_t i = 0; i < here; ++i) {
      const auto sharp =
          static_cast<std::int32_t>(static_cast<float>(middle[begin + i + 3]) +
                                    static_cast<float>(less[i]) * rest);
      out[begin + i] =
          static_cast<std::uint8_t>(std::min(std::max(sharp, 0), 255));
    }
  }
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_SSE4

namespace hn = hwy::HWY_NAMESPACE;

// Loads of rows that begin anywhere: each load of a longer vector spans two
// cache lines.
using DF = hn::CappedTag<float, 8>;
using D32 = hn::RebindToSigned<DF>;
using D8Quarter = hn::Rebind<std::uint8_t, DF>;
using VF = hn::Vec<DF>;

constexpr std::size_t kLanes = hn::MaxLanes(DF());
// Vectors of sums at a time: none waits for the one before.
constexpr std::size_t kSums = 4;

// The sums of values from i on: of middle(j) and before(k, j) and after(k, j),
// j being the value's place.
template <typename Middle, typename Before, typename After>
HWY_INLINE void SumsAt(std::size_t i, std::span<const float> weights,
                       const Middle& middle, const Before& before,
                       const After& after, VF* sums) {
  const DF d;
  const VF first = hn::Set(d, weights[0]);
  for (std::size_t v = 0; v < kSums; ++v) {
    sums[v] = hn::Mul(hn::LoadU(d, middle() + i + v * kLanes), first);
  }
  for (std::size_t k = 1; k < weights.size(); ++k) {
    const VF weight = hn::Set(d, weights[k]);
    const float* const a = before(k) + i;
    const float* const b = after(k) + i;
    for (std::size_t v = 0; v < kSums; ++v) {
      const VF both =
          hn::Add(hn::LoadU(d, a + v * kLanes), hn::LoadU(d, b + v * kLanes));
      sums[v] = hn::Add(sums[v], hn::Mul(both, weight));
    }
  }
}

// Calls make(i) so that each value is among the kSums vectors from some i on;
// the last ones overlap. REQUIRES: there are so many values.
template <typename Make>
HWY_INLINE void ForSums(std::size_t count, const Make& make) {
  constexpr std::size_t kStep = kSums * kLanes;
  std::size_t i = 0;
  for (; i + kStep <= count; i += kStep) make(i);
  if (i < count) make(count - kStep);
}

void Across(const float* middle, std::span<const float> weights,
            std::size_t count, float* sums) {
  if (count < kSums * kLanes) return PlainAcross(middle, weights, count, sums);
  ForSums(count, [&](std::size_t i) HWY_ATTR {
    VF made[kSums];
    SumsAt(
        i, weights, [&] { return middle; },
        [&](std::size_t k) { return middle - 3 * k; },
        [&](std::size_t k) { return middle + 3 * k; }, made);
    for (std::size_t v = 0; v < kSums; ++v) {
      hn::StoreU(made[v], DF(), sums + i + v * kLanes);
    }
  });
}

void Down(const float* const* rows, std::span<const float> weights,
          std::size_t count, std::uint8_t* out) {
  if (count < kSums * kLanes) return PlainDown(rows, weights, count, out);
  ForSums(count, [&](std::size_t i) HWY_ATTR {
    const DF d;
    VF made[kSums];
    SumsAt(
        i, weights, [&] { return rows[0]; },
        [&](std::size_t k) { return rows[2 * k - 1]; },
        [&](std::size_t k) { return rows[2 * k]; }, made);
    for (std::size_t v = 0; v < kSums; ++v) {
      const VF least = hn::Min(made[v], hn::Set(d, 255.0F));
      const auto whole =
          hn::And(hn::BitCast(D32(), hn::Add(least, hn::Set(d, kIntegers))),
                  hn::Set(D32(), 0xFF));
      hn::StoreU(hn::DemoteTo(D8Quarter(), whole), D8Quarter(),
                 out + i + v * kLanes);
    }
  });
}

NeighborKernels Filtering() { return {Across, Down, SharpenRow}; }

#else

NeighborKernels Filtering() { return {PlainAcross, PlainDown, SharpenRow}; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace shardine {

NeighborKernels VectorNeighborKernels(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Filtering);
}

}  // namespace shardine

#endif

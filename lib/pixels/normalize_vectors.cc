// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/normalize_vectors.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include "pixels/normalize_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

// Only these have a fused multiply-add and the conversion to halves. At other
// levels the kernels do no pixel, and the caller's table does all.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using D32 = hn::RebindToSigned<DF>;
using D8 = hn::Repartition<std::uint8_t, DF>;
using D8Quarter = hn::Rebind<std::uint8_t, DF>;
using D16Half = hn::Rebind<hwy::float16_t, DF>;
using VF = hn::Vec<DF>;
using V8 = hn::Vec<D8>;

constexpr std::size_t kFloats = hn::MaxLanes(DF());
constexpr std::size_t kBytes = hn::MaxLanes(D8());

HWY_INLINE void Put(VF values, float* out) { hn::StoreU(values, DF(), out); }

HWY_INLINE void Put(VF values, std::uint16_t* out) {
  const D16Half d;
  hn::StoreU(hn::DemoteTo(d, values), d,
             reinterpret_cast<hwy::float16_t*>(out));
}

struct VectorScale {
  VF mean, std, reciprocal;
};

// Not a division, but the quotient of one to the last bit: the caller has tried
// all bytes (MakesTable in normalizer.cc), in the same order of operations.
HWY_INLINE VF Scaled(const std::uint8_t* bytes, const VectorScale& scale) {
  const auto words = hn::PromoteTo(D32(), hn::LoadU(D8Quarter(), bytes));
  const VF value = hn::Sub(hn::ConvertTo(DF(), words), scale.mean);
  const VF quotient = hn::Mul(value, scale.reciprocal);
  const VF rest = hn::NegMulAdd(quotient, scale.std, value);
  return hn::MulAdd(rest, scale.reciprocal, quotient);
}

std::size_t BytePlanes(const std::uint8_t* rgb, std::size_t count,
                       std::uint8_t* out, std::size_t plane) {
  const D8 d;
  std::size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    V8 r, g, b;
    hn::LoadInterleaved3(d, rgb + 3 * i, r, g, b);
    hn::StoreU(r, d, out + i);
    hn::StoreU(g, d, out + plane + i);
    hn::StoreU(b, d, out + 2 * plane + i);
  }
  return i;
}

template <typename T>
std::size_t Planes(const std::uint8_t* rgb, std::size_t count,
                   const ChannelScale& scale, T* out, std::size_t plane) {
  const DF df;
  VectorScale scales[3];
  for (std::size_t c = 0; c < 3; ++c) {
    scales[c] = {hn::Set(df, scale.mean[c]), hn::Set(df, scale.std[c]),
                 hn::Set(df, scale.reciprocal[c])};
  }
  // Channels are taken apart as bytes, four times as many to a vector as
  // floats.
  std::uint8_t bytes[3 * kBytes];
  std::size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    BytePlanes(rgb + 3 * i, kBytes, bytes, kBytes);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t part = 0; part < kBytes; part += kFloats) {
        Put(Scaled(bytes + c * kBytes + part, scales[c]),
            out + c * plane + i + part);
      }
    }
  }
  return i;
}

// Three vectors have the channels in the same places again.
template <typename T>
std::size_t Pixels(const std::uint8_t* rgb, std::size_t count,
                   const ChannelScale& scale, T* out) {
  const DF df;
  VectorScale scales[3];
  for (std::size_t part = 0; part < 3; ++part) {
    float lanes[3][kFloats];
    for (std::size_t i = 0; i < kFloats; ++i) {
      const std::size_t channel = (part * kFloats + i) % 3;
      lanes[0][i] = scale.mean[channel];
      lanes[1][i] = scale.std[channel];
      lanes[2][i] = scale.reciprocal[channel];
    }
    scales[part] = {hn::LoadU(df, lanes[0]), hn::LoadU(df, lanes[1]),
                    hn::LoadU(df, lanes[2])};
  }
  std::size_t i = 0;
  for (; i + 3 * kFloats <= 3 * count; i += 3 * kFloats) {
    for (std::size_t part = 0; part < 3; ++part) {
      const std::size_t at = i + part * kFloats;
      Put(Scaled(rgb + at, scales[part]), out + at);
    }
  }
  return i / 3;
}

NormalizeKernels Normalizing() {
  return {BytePlanes, Planes<float>, Planes<std::uint16_t>, Pixels<float>,
          Pixels<std::uint16_t>};
}

#else

NormalizeKernels Normalizing() {
  return {[](const std::uint8_t*, std::size_t, std::uint8_t*, std::size_t) {
            return std::size_t{0};
          },
          [](const std::uint8_t*, std::size_t, const ChannelScale&, float*,
             std::size_t) { return std::size_t{0}; },
          [](const std::uint8_t*, std::size_t, const ChannelScale&,
             std::uint16_t*, std::size_t) { return std::size_t{0}; },
          [](const std::uint8_t*, std::size_t, const ChannelScale&, float*) {
            return std::size_t{0};
          },
          [](const std::uint8_t*, std::size_t, const ChannelScale&,
             std::uint16_t*) { return std::size_t{0}; }};
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace shardine {

NormalizeKernels VectorNormalizeKernels(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Normalizing);
}

}  // namespace shardine

#endif

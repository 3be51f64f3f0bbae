// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/unstuff.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cstring>

#include "jpeg/unstuff.h"
#include "jpeg/unstuff_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

// How many of the bytes, at most kStep, stand before the first FF.
constexpr std::size_t kStep = 8;
HWY_INLINE std::size_t CopyToFf(const std::uint8_t* from, std::uint8_t* to) {
  constexpr std::uint64_t kLow = 0x0101010101010101;
  std::uint64_t bytes;
  std::memcpy(&bytes, from, sizeof(bytes));
  std::memcpy(to, &bytes, sizeof(bytes));
  // The lowest byte that is zero in ~bytes gives the lowest bit set.
  const std::uint64_t found = (~bytes - kLow) & bytes & (kLow << 7);
  return found == 0 ? kStep
                    : static_cast<std::size_t>(std::countr_zero(found)) / 8;
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::CappedTag<std::uint8_t, 32>;
constexpr std::size_t kStep = hn::MaxLanes(Bytes());

HWY_INLINE std::size_t CopyToFf(const std::uint8_t* from, std::uint8_t* to) {
  const Bytes d;
  const auto bytes = hn::LoadU(d, from);
  hn::StoreU(bytes, d, to);
  const auto first = hn::FindFirstTrue(d, hn::Eq(bytes, hn::Set(d, 0xFF)));
  return first < 0 ? kStep : static_cast<std::size_t>(first);
}

#endif

Unstuffed UnstuffBytes(ByteView data, std::uint8_t* out) {
  static_assert(kStep <= kUnstuffPadding);
  const auto* const in = reinterpret_cast<const std::uint8_t*>(data.data());
  const std::size_t size = data.size();
  Unstuffed done;
  while (done.read < size) {
    std::size_t plain = 0;
    std::size_t step = kStep;
    if (size - done.read >= kStep) {
      plain = CopyToFf(in + done.read, out + done.written);
    } else {
      step = size - done.read;
      plain = static_cast<std::size_t>(
          std::find(in + done.read, in + size, 0xFF) - (in + done.read));
      std::memcpy(out + done.written, in + done.read, plain);
    }
    done.read += plain;
    done.written += plain;
    if (plain == step) continue;
    if (done.read + 1 < size && in[done.read + 1] != 0) break;
    out[done.written++] = 0xFF;
    done.read = std::min(done.read + 2, size);
  }
  return done;
}

UnstuffKernel UnstuffHere() { return &UnstuffBytes; }

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardine {

Unstuffed Unstuff(SimdLevel level, ByteView data, std::uint8_t* out) {
  if (level >= SimdLevel::kAvx512Vnni) return UnstuffVbmi2(data, out);
  return SHARDINE_AT_LEVEL(level, UnstuffHere)(data, out);
}

}  // namespace shardine
#endif

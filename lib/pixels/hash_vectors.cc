// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/hash_vectors.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include "pixels/hash_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

std::size_t SearchHashes(const PdqHash& /*hash*/,
                         const std::array<const std::uint64_t*, 4>& /*words*/,
                         std::size_t /*count*/, std::uint32_t /*most*/,
                         std::uint32_t* /*near*/, std::size_t& /*found*/) {
  return 0;
}

#else

namespace hn = hwy::HWY_NAMESPACE;

std::size_t SearchHashes(const PdqHash& hash,
                         const std::array<const std::uint64_t*, 4>& words,
                         std::size_t count, std::uint32_t most,
                         std::uint32_t* near, std::size_t& found) {
  const hn::ScalableTag<std::uint64_t> d;
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  const std::size_t lanes = hn::Lanes(d);
  const auto limit = hn::Set(d, most);
  const auto q0 = hn::Set(d, hash[0]);
  const auto q1 = hn::Set(d, hash[1]);
  const auto q2 = hn::Set(d, hash[2]);
  const auto q3 = hn::Set(d, hash[3]);
  // Bits of each byte of a word; four bytes have 32 at most.
  const auto bits = [&](const std::uint64_t* from, auto query) {
    return hn::PopulationCount(
        hn::BitCast(bytes, hn::Xor(hn::LoadU(d, from), query)));
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto sum =
        hn::Add(hn::Add(bits(words[0] + i, q0), bits(words[1] + i, q1)),
                hn::Add(bits(words[2] + i, q2), bits(words[3] + i, q3)));
    const auto is_far = hn::Gt(hn::SumsOf8(sum), limit);
    if (HWY_LIKELY(hn::AllTrue(d, is_far))) continue;
    std::uint8_t far[8] = {};
    hn::StoreMaskBits(d, is_far, far);
    for (std::size_t k = 0; k < lanes; ++k) {
      if ((far[0] >> k & 1) == 0) {
        near[found++] = static_cast<std::uint32_t>(i + k);
      }
    }
  }
  return i;
}

#endif

HashSearch Search() { return SearchHashes; }

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace shardine {

HashSearch VectorHashSearch(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Search);
}

}  // namespace shardine

#endif

// VBMI2 closes the gaps of 64 bytes at once, wherever they are.
#include <bit>

#include "base/check.h"
#include "jpeg/unstuff_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// For each function that uses the instructions; lambdas would not have them.
#define SHARDINE_VBMI2 \
  __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2")))

namespace shardine {
namespace {

constexpr std::size_t kStep = 64;

std::uint64_t FirstOf(std::size_t count) {
  return count >= kStep ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

SHARDINE_VBMI2 Unstuffed UnstuffVbmi2(ByteView data, std::uint8_t* out) {
  const std::byte* const in = data.data();
  const __m512i ff = _mm512_set1_epi8(-1);
  Unstuffed done;
  std::uint64_t after_ff = 0;  // the first byte is a stuffed zero
  while (done.read < data.size()) {
    const std::size_t left = data.size() - done.read;
    std::uint64_t keep = FirstOf(left);
    const __m512i bytes = _mm512_maskz_loadu_epi8(keep, in + done.read);
    const __m512i next =
        _mm512_maskz_loadu_epi8(FirstOf(left - 1), in + done.read + 1);
    const std::uint64_t found = _mm512_cmpeq_epi8_mask(bytes, ff);
    const std::uint64_t marker = _mm512_mask_test_epi8_mask(found, next, next);
    std::size_t step = left < kStep ? left : kStep;
    // An FF cannot be predicted, so only a marker, which is the end, branches.
    if (marker != 0) {
      step = static_cast<std::size_t>(std::countr_zero(marker));
      keep &= FirstOf(step);
    }
    keep &= ~(found << 1 | after_ff);
    after_ff = found >> 63;
    _mm512_storeu_si512(out + done.written,
                        _mm512_maskz_compress_epi8(keep, bytes));
    done.read += step;
    done.written += static_cast<std::size_t>(std::popcount(keep));
    if (step < kStep) break;
  }
  return done;
}

}  // namespace shardine

#else

namespace shardine {

Unstuffed UnstuffVbmi2(ByteView, std::uint8_t*) {
  SHARDINE_CHECK(false);
  return {};
}

}  // namespace shardine

#endif

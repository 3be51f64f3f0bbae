#include "pixels/byte_table.h"

#include "base/simd_level.h"

#if defined(__x86_64__)
#include <immintrin.h>

// GCC 12 sees uninitialised vectors in its own header (its bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define SHARDINE_VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#endif

namespace shardine {
namespace {

#if defined(__x86_64__)

constexpr std::size_t kLanes = 64;

struct VectorTable {
  __m512i quarters[4];
};

SHARDINE_VBMI VectorTable Loaded(const ByteTable& table) {
  return {{_mm512_loadu_si512(table.data()),
           _mm512_loadu_si512(table.data() + kLanes),
           _mm512_loadu_si512(table.data() + 2 * kLanes),
           _mm512_loadu_si512(table.data() + 3 * kLanes)}};
}

SHARDINE_VBMI inline __m512i Looked(const VectorTable& table, __m512i bytes) {
  const auto& [first, second, third, fourth] = table.quarters;
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes),
                                _mm512_permutex2var_epi8(first, bytes, second),
                                _mm512_permutex2var_epi8(third, bytes, fourth));
}

// How many of the bytes they did: whole vectors.
SHARDINE_VBMI std::size_t LookUpVectors(const ByteTable& table,
                                        std::uint8_t* bytes,
                                        std::size_t count) {
  const VectorTable loaded = Loaded(table);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    _mm512_storeu_si512(bytes + i,
                        Looked(loaded, _mm512_loadu_si512(bytes + i)));
  }
  return i;
}

// Whole vectors three times, after which channels are in the same places.
SHARDINE_VBMI std::size_t LookUpColorVectors(
    const std::array<ByteTable, 3>& tables, std::uint8_t* bytes,
    std::size_t count) {
  // Every third place from the first, the second and the third on.
  constexpr __mmask64 kThirds[3] = {0x9249249249249249, 0x2492492492492492,
                                    0x4924924924924924};
  const VectorTable r = Loaded(tables[0]);
  const VectorTable g = Loaded(tables[1]);
  const VectorTable b = Loaded(tables[2]);
  std::size_t i = 0;
  for (; i + 3 * kLanes <= count; i += 3 * kLanes) {
    for (std::size_t part = 0; part < 3; ++part) {
      // 64 is one more than a multiple of three.
      const __mmask64 green = kThirds[(4 - part) % 3];
      const __mmask64 blue = kThirds[(5 - part) % 3];
      std::uint8_t* const at = bytes + i + part * kLanes;
      const __m512i in = _mm512_loadu_si512(at);
      const __m512i red_or_green =
          _mm512_mask_blend_epi8(green, Looked(r, in), Looked(g, in));
      _mm512_storeu_si512(
          at, _mm512_mask_blend_epi8(blue, red_or_green, Looked(b, in)));
    }
  }
  return i;
}

#else

std::size_t LookUpVectors(const ByteTable&, std::uint8_t*, std::size_t) {
  return 0;
}
std::size_t LookUpColorVectors(const std::array<ByteTable, 3>&, std::uint8_t*,
                               std::size_t) {
  return 0;
}

#endif

}  // namespace

bool LooksUpFast() { return CurrentSimdLevel() >= SimdLevel::kAvx512Vnni; }

void LookUp(const ByteTable& table, std::uint8_t* bytes, std::size_t count) {
  std::size_t i = LooksUpFast() ? LookUpVectors(table, bytes, count) : 0;
  for (; i < count; ++i) bytes[i] = table[bytes[i]];
}

void LookUpColors(const std::array<ByteTable, 3>& tables, std::uint8_t* rgb,
                  std::size_t count) {
  const std::size_t bytes = 3 * count;
  std::size_t i = LooksUpFast() ? LookUpColorVectors(tables, rgb, bytes) : 0;
  for (; i < bytes; i += 3) {
    rgb[i] = tables[0][rgb[i]];
    rgb[i + 1] = tables[1][rgb[i + 1]];
    rgb[i + 2] = tables[2][rgb[i + 2]];
  }
}

}  // namespace shardine

// Two blocks at a time: each lane of 32 bits has a pair of rows of one column,
// then a pair of columns of one row, so that VNNI adds the products of a pair
// to a sum, and VBMI brings the zigzag order into pairs.
#include "jpeg/idct_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// GCC 12 sees uninitialised vectors in its own header (its bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// For each function that uses the instructions; lambdas would not have them.
#define SHARDINE_VNNI                                                     \
  __attribute__((                                                         \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2," \
             "avx512vnni")))
// Constants stay in registers if all is one loop.
#define SHARDINE_VNNI_INLINE SHARDINE_VNNI inline __attribute__((always_inline))

namespace shardine {
namespace {

// ---- From zigzag order to pairs of rows

// The bytes of a vector of pairs, from the two halves of a zigzag block.
struct PairPlaces {
  alignas(64) std::array<std::uint8_t, 64> place;  // within its half
  std::uint64_t second = 0;  // bits of those in the second
};

struct Places {
  PairPlaces even;  // rows 0 and 4 of eight columns, then 2 and 6
  PairPlaces odd;   // rows 1 and 7, then 5 and 3
};

// Of the values that a row's pairs are made of in the second pass: pairs have
// to lie side by side then.
constexpr std::array<std::uint8_t, 8> kColumns = {0, 4, 2, 6, 1, 7, 5, 3};

PairPlaces PlacesOf(const std::array<std::uint8_t, 4>& rows) {
  std::array<std::uint8_t, kBlockSize> zigzag{};
  for (std::uint8_t k = 0; k < kBlockSize; ++k) zigzag[kNaturalOrder[k]] = k;
  PairPlaces places{};
  for (std::size_t byte = 0; byte < 64; ++byte) {
    const std::size_t pair = byte / 4;
    const std::size_t row = rows[pair / 8 * 2 + byte / 2 % 2];
    const std::size_t k = zigzag[row * kBlockSide + kColumns[pair % 8]];
    places.place[byte] = static_cast<std::uint8_t>(k % 32 * 2 + byte % 2);
    if (k >= 32) places.second |= std::uint64_t{1} << byte;
  }
  return places;
}

const Places& ZigzagPlaces() {
  static const Places places = {PlacesOf({0, 4, 2, 6}), PlacesOf({1, 7, 5, 3})};
  return places;
}

SHARDINE_VNNI_INLINE __m512i Pick(__m512i first, __m512i second,
                                  const PairPlaces& places) {
  const __m512i place = _mm512_load_si512(places.place.data());
  return _mm512_mask_permutexvar_epi8(_mm512_permutexvar_epi8(place, first),
                                      places.second, place, second);
}

// The inputs of a pass: two in each lane, 16 lanes.
struct PairLines {
  __m512i p04, p26, p17, p53;
};

struct BlockPairs {
  __m512i even, odd;
};

SHARDINE_VNNI_INLINE BlockPairs LoadBlock(const DctBlock& block,
                                          const Places& places) {
  const __m512i first = _mm512_mullo_epi16(
      _mm512_mask_set1_epi16(_mm512_load_si512(block.coefficients), 1,
                             block.dc),
      _mm512_load_si512(block.steps->step.data()));
  const __m512i second =
      _mm512_mullo_epi16(_mm512_load_si512(block.coefficients + 32),
                         _mm512_load_si512(block.steps->step.data() + 32));
  return {Pick(first, second, places.even), Pick(first, second, places.odd)};
}

// ---- A pass

SHARDINE_VNNI_INLINE __m512i Pair(DctFactors factors) {
  return _mm512_set1_epi32(static_cast<std::int32_t>(
      static_cast<std::uint32_t>(static_cast<std::uint16_t>(factors.first)) |
      static_cast<std::uint32_t>(static_cast<std::uint16_t>(factors.second))
          << 16));
}

SHARDINE_VNNI_INLINE __m512i Sum(__m512i pairs, DctFactors factors) {
  return _mm512_madd_epi16(pairs, Pair(factors));
}
SHARDINE_VNNI_INLINE __m512i Add(__m512i sum, __m512i pairs,
                                 DctFactors factors) {
  return _mm512_dpwssd_epi32(sum, pairs, Pair(factors));
}

// 32 bits in each of 16 lanes.
struct WideLines {
  __m512i v0, v1, v2, v3, v4, v5, v6, v7;
};

template <int kShift>
SHARDINE_VNNI_INLINE __m512i Last(__m512i value) {
  return _mm512_srai_epi32(value, kShift);
}

template <int kShift>
SHARDINE_VNNI_INLINE WideLines Pass(const PairLines& in) {
  // Sums of 16 bits that wrap, in the high halves.
  const __m512i first = _mm512_slli_epi32(in.p04, 16);
  const __m512i fourth = _mm512_and_si512(in.p04, _mm512_set1_epi32(-0x10000));
  const __m512i half = _mm512_set1_epi32(1 << (kShift - 1));
  const __m512i even0 = _mm512_add_epi32(
      _mm512_srai_epi32(_mm512_add_epi32(first, fourth), 3), half);
  const __m512i even1 = _mm512_add_epi32(
      _mm512_srai_epi32(_mm512_sub_epi32(first, fourth), 3), half);
  const __m512i even2 = Sum(in.p26, kEven2);
  const __m512i even3 = Sum(in.p26, kEven3);
  const __m512i sum0 = _mm512_add_epi32(even0, even3);
  const __m512i sum1 = _mm512_add_epi32(even1, even2);
  const __m512i sum2 = _mm512_sub_epi32(even1, even2);
  const __m512i sum3 = _mm512_sub_epi32(even0, even3);

  const __m512i z = _mm512_add_epi16(in.p17, in.p53);
  const __m512i z3 = Sum(z, kZ3);
  const __m512i z4 = Sum(z, kZ4);
  const __m512i odd0 = Add(z3, in.p17, kOdd0);
  const __m512i odd1 = Add(z4, in.p53, kOdd1);
  const __m512i odd2 = Add(z3, in.p53, kOdd2);
  const __m512i odd3 = Add(z4, in.p17, kOdd3);

  return {Last<kShift>(_mm512_add_epi32(sum0, odd3)),
          Last<kShift>(_mm512_add_epi32(sum1, odd2)),
          Last<kShift>(_mm512_add_epi32(sum2, odd1)),
          Last<kShift>(_mm512_add_epi32(sum3, odd0)),
          Last<kShift>(_mm512_sub_epi32(sum3, odd0)),
          Last<kShift>(_mm512_sub_epi32(sum2, odd1)),
          Last<kShift>(_mm512_sub_epi32(sum1, odd2)),
          Last<kShift>(_mm512_sub_epi32(sum0, odd3))};
}

// ---- Between and behind the passes

// Lane i of each block of 16 bytes: of a for i < 2.
template <int kEvenOrOdd>
SHARDINE_VNNI_INLINE __m512i PickLanes(__m512i a, __m512i b) {
  return _mm512_castps_si512(_mm512_shuffle_ps(_mm512_castsi512_ps(a),
                                               _mm512_castsi512_ps(b),
                                               kEvenOrOdd == 0 ? 0x88 : 0xDD));
}
// The same of blocks of 16 bytes.
template <int kEvenOrOdd>
SHARDINE_VNNI_INLINE __m512i PickBlocks(__m512i a, __m512i b) {
  return _mm512_shuffle_i32x4(a, b, kEvenOrOdd == 0 ? 0x88 : 0xDD);
}

// Lanes become rows 0 to 3 of the first block, of the second, then rows 4 to 7.
SHARDINE_VNNI_INLINE PairLines Transpose(const WideLines& rows) {
  const __m512i r01 = _mm512_packs_epi32(rows.v0, rows.v1);
  const __m512i r23 = _mm512_packs_epi32(rows.v2, rows.v3);
  const __m512i r45 = _mm512_packs_epi32(rows.v4, rows.v5);
  const __m512i r67 = _mm512_packs_epi32(rows.v6, rows.v7);
  const __m512i upper0 = PickLanes<0>(r01, r23);  // pairs 04 and 17
  const __m512i lower0 = PickLanes<0>(r45, r67);
  const __m512i upper1 = PickLanes<1>(r01, r23);  // pairs 26 and 53
  const __m512i lower1 = PickLanes<1>(r45, r67);
  return {PickBlocks<0>(upper0, lower0), PickBlocks<0>(upper1, lower1),
          PickBlocks<1>(upper0, lower0), PickBlocks<1>(upper1, lower1)};
}

// Four columns of four rows in each block of 16 bytes, turned.
SHARDINE_VNNI_INLINE __m512i Turned(__m512i a, __m512i b, __m512i c,
                                    __m512i d) {
  const __m512i bytes =
      _mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
  const __m512i order = _mm512_broadcast_i32x4(
      _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  return _mm512_shuffle_epi8(_mm512_xor_si512(bytes, _mm512_set1_epi8(-128)),
                             order);
}

// Where rows go; a copy, which no store of samples can change.
struct Target {
  explicit Target(const DctBlock& block)
      : samples(block.samples), stride(block.stride) {}
  std::uint8_t* samples;
  std::size_t stride;
};

SHARDINE_VNNI_INLINE void StorePair(__m128i rows, const Target& target,
                                    std::size_t row) {
  std::uint8_t* out = target.samples + row * target.stride;
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), rows);
  _mm_storeh_pi(reinterpret_cast<__m64*>(out + target.stride),
                _mm_castsi128_ps(rows));
}

SHARDINE_VNNI_INLINE void StoreRows(__m512i rows, const Target& a,
                                    const Target& b, std::size_t row) {
  StorePair(_mm512_castsi512_si128(rows), a, row);
  StorePair(_mm512_extracti32x4_epi32(rows, 1), b, row);
  StorePair(_mm512_extracti32x4_epi32(rows, 2), a, row + 4);
  StorePair(_mm512_extracti32x4_epi32(rows, 3), b, row + 4);
}

SHARDINE_VNNI_INLINE void TransformTwo(const DctBlock& a, const DctBlock& b,
                                       const Places& places) {
  const BlockPairs pairs_a = LoadBlock(a, places);
  const BlockPairs pairs_b = LoadBlock(b, places);
  const PairLines columns = {
      _mm512_shuffle_i32x4(pairs_a.even, pairs_b.even, 0x44),
      _mm512_shuffle_i32x4(pairs_a.even, pairs_b.even, 0xEE),
      _mm512_shuffle_i32x4(pairs_a.odd, pairs_b.odd, 0x44),
      _mm512_shuffle_i32x4(pairs_a.odd, pairs_b.odd, 0xEE)};
  const WideLines made =
      Pass<kSecondShift>(Transpose(Pass<kFirstShift>(columns)));
  const __m512i left = Turned(made.v0, made.v1, made.v2, made.v3);
  const __m512i right = Turned(made.v4, made.v5, made.v6, made.v7);
  const Target to_a(a);
  const Target to_b(b);
  StoreRows(_mm512_unpacklo_epi32(left, right), to_a, to_b, 0);
  StoreRows(_mm512_unpackhi_epi32(left, right), to_a, to_b, 2);
}

SHARDINE_VNNI void Transform(std::span<const DctBlock* const> blocks) {
  const Places& places = ZigzagPlaces();
  std::size_t i = 0;
  for (; i + 2 <= blocks.size(); i += 2) {
    TransformTwo(*blocks[i], *blocks[i + 1], places);
  }
  if (i < blocks.size()) TransformTwo(*blocks[i], *blocks[i], places);
}

}  // namespace

DctKernels VnniDctKernels() {
  return {VectorDctKernels(SimdLevel::kAvx512).sort, &Transform};
}

}  // namespace shardine

#else

namespace shardine {

DctKernels VnniDctKernels() { return PortableDctKernels(); }

}  // namespace shardine

#endif

// Two blocks at a time: each lane of 32 bits has a pair of rows of one column,
// then a pair of columns of one row, so that VNNI adds the products of a pair
// to a sum, and VBMI brings the zigzag order into pairs.
#include <algorithm>

#include "jpeg/idct_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// GCC 12 sees uninitialised vectors in its own header (its bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Each function that uses the instructions needs this; a lambda would not have
// it.
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

// The columns in the order in which their values make the pairs of the second
// pass, which have to lie side by side then.
constexpr std::array<std::uint8_t, 8> kColumns = {0, 4, 2, 6, 1, 7, 5, 3};

constexpr std::size_t ZigzagPlaceOf(std::size_t natural) {
  return static_cast<std::size_t>(std::ranges::find(kNaturalOrder, natural) -
                                  kNaturalOrder.begin());
}

constexpr PairPlaces PlacesOf(const std::array<std::uint8_t, 4>& rows) {
  PairPlaces places{};
  for (std::size_t byte = 0; byte < 64; ++byte) {
    const std::size_t pair = byte / 4;
    const std::size_t row = rows[pair / 8 * 2 + byte / 2 % 2];
    const std::size_t k = ZigzagPlaceOf(row * kBlockSide + kColumns[pair % 8]);
    places.place[byte] = static_cast<std::uint8_t>(k % 32 * 2 + byte % 2);
    if (k >= 32) places.second |= std::uint64_t{1} << byte;
  }
  return places;
}

constexpr Places kZigzagPlaces = {PlacesOf({0, 4, 2, 6}),
                                  PlacesOf({1, 7, 5, 3})};

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

// The first half in zigzag order, dequantised.
SHARDINE_VNNI_INLINE __m512i LoadHalf(const DctBlock& block) {
  return _mm512_mullo_epi16(
      _mm512_mask_set1_epi16(_mm512_load_si512(block.coefficients), 1,
                             block.dc),
      _mm512_load_si512(block.steps->step.data()));
}

SHARDINE_VNNI_INLINE BlockPairs LoadBlock(const DctBlock& block,
                                          const Places& places) {
  const __m512i first = LoadHalf(block);
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

struct EvenSums {
  __m512i v0_plus_4, v0_minus_4;
};

// Sums of 16 bits that wrap, times 2^13, and half of the last place of the
// result: which in the second pass has no room below the sums.
template <int kShift>
SHARDINE_VNNI_INLINE EvenSums SumEven(__m512i p04) {
  constexpr bool kRoundsBelow = kShift == kFirstShift;
  const __m512i below =
      _mm512_set1_epi32(kRoundsBelow ? 1 << (kShift + 2 + 16) : 0);
  const __m512i v0 = _mm512_shldi_epi32(p04, below, 16);
  const __m512i v4 = _mm512_and_si512(p04, _mm512_set1_epi32(-0x10000));
  const __m512i plus = _mm512_srai_epi32(_mm512_add_epi32(v0, v4), 3);
  const __m512i minus = _mm512_srai_epi32(_mm512_sub_epi32(v0, v4), 3);
  if constexpr (kRoundsBelow) return {plus, minus};
  const __m512i half = _mm512_set1_epi32(1 << (kShift - 1));
  return {_mm512_add_epi32(plus, half), _mm512_add_epi32(minus, half)};
}

// The terms whose sums and differences are lines 0 to 3 and their mirror
// images.
struct Parts {
  __m512i even[4];
  __m512i odd[4];
};

template <int kShift>
SHARDINE_VNNI_INLINE WideLines Finish(const Parts& parts) {
  const __m512i* e = parts.even;
  const __m512i* o = parts.odd;
  return {_mm512_srai_epi32(_mm512_add_epi32(e[0], o[0]), kShift),
          _mm512_srai_epi32(_mm512_add_epi32(e[1], o[1]), kShift),
          _mm512_srai_epi32(_mm512_add_epi32(e[2], o[2]), kShift),
          _mm512_srai_epi32(_mm512_add_epi32(e[3], o[3]), kShift),
          _mm512_srai_epi32(_mm512_sub_epi32(e[3], o[3]), kShift),
          _mm512_srai_epi32(_mm512_sub_epi32(e[2], o[2]), kShift),
          _mm512_srai_epi32(_mm512_sub_epi32(e[1], o[1]), kShift),
          _mm512_srai_epi32(_mm512_sub_epi32(e[0], o[0]), kShift)};
}

template <int kShift>
SHARDINE_VNNI_INLINE WideLines Pass(const PairLines& in) {
  const EvenSums sums = SumEven<kShift>(in.p04);
  const __m512i even2 = Sum(in.p26, kEven2);
  const __m512i even3 = Sum(in.p26, kEven3);
  const __m512i z = _mm512_add_epi16(in.p17, in.p53);
  const __m512i z3 = Sum(z, kZ3);
  const __m512i z4 = Sum(z, kZ4);
  return Finish<kShift>({{_mm512_add_epi32(sums.v0_plus_4, even3),
                          _mm512_add_epi32(sums.v0_minus_4, even2),
                          _mm512_sub_epi32(sums.v0_minus_4, even2),
                          _mm512_sub_epi32(sums.v0_plus_4, even3)},
                         {Add(z4, in.p17, kOdd3), Add(z3, in.p53, kOdd2),
                          Add(z4, in.p53, kOdd1), Add(z3, in.p17, kOdd0)}});
}

// ---- Between and after the passes

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

// Rows of eight samples: the first and the second of four in each block of 16
// bytes, and the other two.
struct SampleRows {
  __m512i v01, v23;
};

SHARDINE_VNNI_INLINE SampleRows ToSamples(const WideLines& columns) {
  const __m512i left = Turned(columns.v0, columns.v1, columns.v2, columns.v3);
  const __m512i right = Turned(columns.v4, columns.v5, columns.v6, columns.v7);
  return {_mm512_unpacklo_epi32(left, right),
          _mm512_unpackhi_epi32(left, right)};
}

// The place where rows go: a copy, which no store of samples can change.
struct Target {
  explicit Target(const DctBlock& block)
      : samples(block.samples), stride(block.stride) {}
  std::uint8_t* samples;
  std::size_t stride;
};

SHARDINE_VNNI_INLINE void StorePair(__m128i rows, const Target& target,
                                    std::size_t row) {
  std::uint8_t* out = target.samples + row * target.stride;
  const __m128 floats = _mm_castsi128_ps(rows);
  _mm_storel_pi(reinterpret_cast<__m64*>(out), floats);
  _mm_storeh_pi(reinterpret_cast<__m64*>(out + target.stride), floats);
}

// ---- Full blocks

SHARDINE_VNNI_INLINE PairLines FirstPass(const DctBlock& a, const DctBlock& b,
                                         const Places& places) {
  const BlockPairs pairs_a = LoadBlock(a, places);
  const BlockPairs pairs_b = LoadBlock(b, places);
  return Transpose(Pass<kFirstShift>(
      {_mm512_shuffle_i32x4(pairs_a.even, pairs_b.even, 0x44),
       _mm512_shuffle_i32x4(pairs_a.even, pairs_b.even, 0xEE),
       _mm512_shuffle_i32x4(pairs_a.odd, pairs_b.odd, 0x44),
       _mm512_shuffle_i32x4(pairs_a.odd, pairs_b.odd, 0xEE)}));
}

SHARDINE_VNNI_INLINE void SecondPass(const PairLines& rows, const DctBlock& a,
                                     const DctBlock& b) {
  const SampleRows made = ToSamples(Pass<kSecondShift>(rows));
  const Target to_a(a);
  const Target to_b(b);
  StorePair(_mm512_castsi512_si128(made.v01), to_a, 0);
  StorePair(_mm512_castsi512_si128(made.v23), to_a, 2);
  StorePair(_mm512_extracti32x4_epi32(made.v01, 2), to_a, 4);
  StorePair(_mm512_extracti32x4_epi32(made.v23, 2), to_a, 6);
  StorePair(_mm512_extracti32x4_epi32(made.v01, 1), to_b, 0);
  StorePair(_mm512_extracti32x4_epi32(made.v23, 1), to_b, 2);
  StorePair(_mm512_extracti32x4_epi32(made.v01, 3), to_b, 4);
  StorePair(_mm512_extracti32x4_epi32(made.v23, 3), to_b, 6);
}

// Both passes at once are too long a chain for a processor to begin the next
// blocks before these are done.
constexpr std::size_t kPairs = 8;

SHARDINE_VNNI void TransformFull(std::span<const DctBlock* const> blocks) {
  const Places places = kZigzagPlaces;
  const DctBlock* const* const block = blocks.data();
  for (std::size_t begin = 0; begin < blocks.size(); begin += 2 * kPairs) {
    const std::size_t last = std::min(begin + 2 * kPairs, blocks.size()) - 1;
    PairLines rows[kPairs];
    for (std::size_t i = begin; i <= last; i += 2) {
      rows[(i - begin) / 2] =
          FirstPass(*block[i], *block[std::min(i + 1, last)], places);
    }
    for (std::size_t i = begin; i <= last; i += 2) {
      SecondPass(rows[(i - begin) / 2], *block[i],
                 *block[std::min(i + 1, last)]);
    }
  }
}

// ---- Blocks with nothing but the upper left 4 x 4: four at a time

// Rows 0 and 2 of columns 0, 2, 1 and 3, then rows 1 and 3; all in the first
// half of the zigzag order. Twice, for two blocks.
constexpr PairPlaces kQuarterPlaces = [] {
  constexpr std::array<std::uint8_t, 4> kColumnsOfQuarter = {0, 2, 1, 3};
  PairPlaces made{};
  for (std::size_t byte = 0; byte < 64; ++byte) {
    const std::size_t pair = byte / 4 % 8;
    const std::size_t row = pair / 4 + 2 * (byte / 2 % 2);
    const std::size_t k =
        ZigzagPlaceOf(row * kBlockSide + kColumnsOfQuarter[pair % 4]);
    made.place[byte] = static_cast<std::uint8_t>(k * 2 + byte % 2);
  }
  made.second = 0xFFFFFFFF00000000;
  return made;
}();

struct QuarterLines {
  __m512i p02, p13;
};

template <int kShift>
SHARDINE_VNNI_INLINE WideLines QuarterPass(const QuarterLines& in) {
  constexpr std::int16_t kOne = 1 << 13;
  const __m512i half = _mm512_set1_epi32(1 << (kShift - 1));
  constexpr auto sum = [](int a, int b) {
    return static_cast<std::int16_t>(a + b);
  };
  constexpr std::int16_t kMinusEven3 = -kEven3.first;
  constexpr std::int16_t kMinusEven2 = -kEven2.first;
  return Finish<kShift>(
      {{Add(half, in.p02, {kOne, kEven3.first}),
        Add(half, in.p02, {kOne, kEven2.first}),
        Add(half, in.p02, {kOne, kMinusEven2}),
        Add(half, in.p02, {kOne, kMinusEven3})},
       {Sum(in.p13, {sum(kZ4.first, kOdd3.first), kZ4.second}),
        Sum(in.p13, {kZ3.first, sum(kZ3.second, kOdd2.second)}),
        Sum(in.p13, {kZ4.first, sum(kZ4.second, kOdd1.second)}),
        Sum(in.p13, {sum(kZ3.first, kOdd0.first), kZ3.second})}});
}

// Rows 0 to 3 and rows 4 to 7 of four blocks.
struct QuarterRows {
  QuarterLines upper, lower;
};

SHARDINE_VNNI_INLINE QuarterRows FirstQuarterPass(const DctBlock* const* four,
                                                  const PairPlaces& places) {
  const __m512i ab = Pick(LoadHalf(*four[0]), LoadHalf(*four[1]), places);
  const __m512i cd = Pick(LoadHalf(*four[2]), LoadHalf(*four[3]), places);
  const WideLines rows =
      QuarterPass<kFirstShift>({PickBlocks<0>(ab, cd), PickBlocks<1>(ab, cd)});
  const __m512i r01 = _mm512_packs_epi32(rows.v0, rows.v1);
  const __m512i r23 = _mm512_packs_epi32(rows.v2, rows.v3);
  const __m512i r45 = _mm512_packs_epi32(rows.v4, rows.v5);
  const __m512i r67 = _mm512_packs_epi32(rows.v6, rows.v7);
  return {{PickLanes<0>(r01, r23), PickLanes<1>(r01, r23)},
          {PickLanes<0>(r45, r67), PickLanes<1>(r45, r67)}};
}

SHARDINE_VNNI_INLINE void StoreFour(__m512i rows, const Target* targets,
                                    std::size_t row) {
  StorePair(_mm512_castsi512_si128(rows), targets[0], row);
  StorePair(_mm512_extracti32x4_epi32(rows, 1), targets[1], row);
  StorePair(_mm512_extracti32x4_epi32(rows, 2), targets[2], row);
  StorePair(_mm512_extracti32x4_epi32(rows, 3), targets[3], row);
}

SHARDINE_VNNI_INLINE void SecondQuarterPass(const QuarterLines& rows,
                                            const Target* targets,
                                            std::size_t row) {
  const SampleRows made = ToSamples(QuarterPass<kSecondShift>(rows));
  StoreFour(made.v01, targets, row);
  StoreFour(made.v23, targets, row + 2);
}

SHARDINE_VNNI void TransformQuarters(std::span<const DctBlock* const> blocks) {
  const PairPlaces places = kQuarterPlaces;
  for (std::size_t i = 0; i < blocks.size(); i += 4) {
    const DctBlock* four[4];
    for (std::size_t k = 0; k < 4; ++k) {
      four[k] = blocks[std::min(i + k, blocks.size() - 1)];
    }
    const QuarterRows rows = FirstQuarterPass(four, places);
    const Target targets[4] = {Target(*four[0]), Target(*four[1]),
                               Target(*four[2]), Target(*four[3])};
    SecondQuarterPass(rows.upper, targets, 0);
    SecondQuarterPass(rows.lower, targets, 4);
  }
}

// ---- All blocks

// Bits of places in zigzag order.
struct ZigzagBits {
  std::uint64_t below_first_row = 0;
  std::uint64_t outside_quarter = 0;
};

constexpr ZigzagBits MakeBits() {
  ZigzagBits bits;
  for (std::size_t k = 0; k < kBlockSize; ++k) {
    const std::uint64_t bit = std::uint64_t{1} << k;
    const std::size_t row = kNaturalOrder[k] / kBlockSide;
    const std::size_t column = kNaturalOrder[k] % kBlockSide;
    if (row > 0) bits.below_first_row |= bit;
    if (row >= 4 || column >= 4) bits.outside_quarter |= bit;
  }
  return bits;
}

SHARDINE_VNNI void Sort(std::span<const DctBlock> blocks,
                        SortedBlocks& sorted) {
  constexpr ZigzagBits bits = MakeBits();
  for (const DctBlock& block : blocks) {
    const __m512i first = _mm512_load_si512(block.coefficients);
    const __m512i second = _mm512_load_si512(block.coefficients + 32);
    const std::uint64_t set =
        _mm512_test_epi16_mask(first, first) |
        std::uint64_t{_mm512_test_epi16_mask(second, second)} << 32;
    const bool flat = (set & bits.below_first_row) == 0;
    const bool quarter = (set & bits.outside_quarter) == 0;
    sorted.flat.Add(block, flat);
    sorted.quarter.Add(block, !flat && quarter);
    sorted.full.Add(block, !flat && !quarter);
  }
}

void Transform(const SortedBlocks& sorted) {
  TransformQuarters(sorted.quarter.blocks());
  TransformFull(sorted.full.blocks());
}

}  // namespace

DctKernels VnniDctKernels() { return {&Sort, &Transform}; }

}  // namespace shardine

#else

namespace shardine {

DctKernels VnniDctKernels() { return PortableDctKernels(); }

}  // namespace shardine

#endif

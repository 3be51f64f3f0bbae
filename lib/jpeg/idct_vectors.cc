// Compiled once for each instruction set, by foreach_target.h. Each block of 16
// bytes of a vector holds a row, or a column, of a DCT block of its own.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/idct_vectors.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <array>

#include "jpeg/idct_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_HAVE_SCALABLE

DctKernels Dct() { return PortableDctKernels(); }

#else

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::int16_t>;
using D8 = hn::Repartition<std::int8_t, D16>;
using D32 = hn::Repartition<std::int32_t, D16>;
using D64 = hn::Repartition<std::int64_t, D16>;
using V16 = hn::Vec<D16>;
using V8 = hn::Vec<D8>;
using V32 = hn::Vec<D32>;

constexpr std::size_t kLanes = hn::MaxLanes(D16());
constexpr std::size_t kBlocks = kLanes / kBlockSide;

// Eight rows or columns.
struct Lines {
  V16 v0, v1, v2, v3, v4, v5, v6, v7;
};

// ---- One pass

HWY_INLINE V32 Sum(V16 pairs, DctFactors factors) {
  const D16 d16;
  const D32 d32;
  const auto both = static_cast<std::int32_t>(
      static_cast<std::uint32_t>(static_cast<std::uint16_t>(factors.first)) |
      static_cast<std::uint32_t>(static_cast<std::uint16_t>(factors.second))
          << 16);
  V32 rest = hn::Zero(d32);  // of targets that add halves, not neighbours
  const V32 sums = hn::ReorderWidenMulAccumulate(
      d32, pairs, hn::BitCast(d16, hn::Set(d32, both)), hn::Zero(d32), rest);
  return hn::RearrangeToOddPlusEven(sums, rest);
}

// Half of each line, in pairs.
struct PairLines {
  V16 v0_plus_4, v0_minus_4;  // in the high halves, above Rounding()
  V16 v26, v17, v53;
};

// Half of each line, in 32 bits.
struct WideLines {
  V32 v0, v1, v2, v3, v4, v5, v6, v7;
};

// Half of the last place of a pass's result, before a shift by 3. The second
// pass's half has no room there.
template <int kShift>
HWY_INLINE V16 Rounding() {
  return hn::Set(D16(), kShift == kFirstShift ? 1 << (kShift + 2) : 0);
}

// Times 2^13, and half of the last place of the result.
template <int kShift>
HWY_INLINE V32 Scaled(V16 above_rounding) {
  const D32 d;
  const V32 scaled = hn::ShiftRight<3>(hn::BitCast(d, above_rounding));
  if constexpr (kShift == kFirstShift) return scaled;
  return hn::Add(scaled, hn::Set(d, 1 << (kShift - 1)));
}

template <int kShift>
HWY_INLINE WideLines HalfPass(const PairLines& in) {
  const V32 even0 = Scaled<kShift>(in.v0_plus_4);
  const V32 even1 = Scaled<kShift>(in.v0_minus_4);
  const V32 even2 = Sum(in.v26, kEven2);
  const V32 even3 = Sum(in.v26, kEven3);
  const V32 sum0 = hn::Add(even0, even3);
  const V32 sum3 = hn::Sub(even0, even3);
  const V32 sum1 = hn::Add(even1, even2);
  const V32 sum2 = hn::Sub(even1, even2);

  const V16 z = hn::Add(in.v17, in.v53);
  const V32 z3 = Sum(z, kZ3);
  const V32 z4 = Sum(z, kZ4);
  const V32 odd0 = hn::Add(Sum(in.v17, kOdd0), z3);
  const V32 odd1 = hn::Add(Sum(in.v53, kOdd1), z4);
  const V32 odd2 = hn::Add(Sum(in.v53, kOdd2), z3);
  const V32 odd3 = hn::Add(Sum(in.v17, kOdd3), z4);

  return {hn::ShiftRight<kShift>(hn::Add(sum0, odd3)),
          hn::ShiftRight<kShift>(hn::Add(sum1, odd2)),
          hn::ShiftRight<kShift>(hn::Add(sum2, odd1)),
          hn::ShiftRight<kShift>(hn::Add(sum3, odd0)),
          hn::ShiftRight<kShift>(hn::Sub(sum3, odd0)),
          hn::ShiftRight<kShift>(hn::Sub(sum2, odd1)),
          hn::ShiftRight<kShift>(hn::Sub(sum1, odd2)),
          hn::ShiftRight<kShift>(hn::Sub(sum0, odd3))};
}

HWY_INLINE V16 Narrowed(V32 low, V32 high) {
  return hn::ReorderDemote2To(D16(), low, high);
}

template <int kShift>
HWY_INLINE Lines Pass(const Lines& in) {
  const D16 d;
  const V16 rounding = Rounding<kShift>();
  const V16 plus = hn::Add(in.v0, in.v4);
  const V16 minus = hn::Sub(in.v0, in.v4);
  const WideLines low =
      HalfPass<kShift>({hn::InterleaveLower(d, rounding, plus),
                        hn::InterleaveLower(d, rounding, minus),
                        hn::InterleaveLower(d, in.v2, in.v6),
                        hn::InterleaveLower(d, in.v1, in.v7),
                        hn::InterleaveLower(d, in.v5, in.v3)});
  const WideLines high =
      HalfPass<kShift>({hn::InterleaveUpper(d, rounding, plus),
                        hn::InterleaveUpper(d, rounding, minus),
                        hn::InterleaveUpper(d, in.v2, in.v6),
                        hn::InterleaveUpper(d, in.v1, in.v7),
                        hn::InterleaveUpper(d, in.v5, in.v3)});
  return {Narrowed(low.v0, high.v0), Narrowed(low.v1, high.v1),
          Narrowed(low.v2, high.v2), Narrowed(low.v3, high.v3),
          Narrowed(low.v4, high.v4), Narrowed(low.v5, high.v5),
          Narrowed(low.v6, high.v6), Narrowed(low.v7, high.v7)};
}

// ---- Between and after the passes

struct Pairs {
  V16 low, high;
};

HWY_INLINE Pairs Interleave(V16 a, V16 b) {
  const D16 d;
  return {hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)};
}

template <class D>
HWY_INLINE hn::Vec<D> Lower(D d, V16 a, V16 b) {
  return hn::InterleaveLower(d, hn::BitCast(d, a), hn::BitCast(d, b));
}
template <class D>
HWY_INLINE hn::Vec<D> Upper(D d, V16 a, V16 b) {
  return hn::InterleaveUpper(d, hn::BitCast(d, a), hn::BitCast(d, b));
}

// Four rows of four pairs become four columns of four pairs.
HWY_INLINE void TransposePairs(V16& a, V16& b, V16& c, V16& d) {
  const D16 d16;
  const D32 d32;
  const D64 d64;
  const V16 ab_low = hn::BitCast(d16, Lower(d32, a, b));
  const V16 ab_high = hn::BitCast(d16, Upper(d32, a, b));
  const V16 cd_low = hn::BitCast(d16, Lower(d32, c, d));
  const V16 cd_high = hn::BitCast(d16, Upper(d32, c, d));
  a = hn::BitCast(d16, Lower(d64, ab_low, cd_low));
  b = hn::BitCast(d16, Upper(d64, ab_low, cd_low));
  c = hn::BitCast(d16, Lower(d64, ab_high, cd_high));
  d = hn::BitCast(d16, Upper(d64, ab_high, cd_high));
}

HWY_INLINE Lines Transpose(const Lines& in) {
  Pairs p01 = Interleave(in.v0, in.v1);
  Pairs p23 = Interleave(in.v2, in.v3);
  Pairs p45 = Interleave(in.v4, in.v5);
  Pairs p67 = Interleave(in.v6, in.v7);
  TransposePairs(p01.low, p23.low, p45.low, p67.low);
  TransposePairs(p01.high, p23.high, p45.high, p67.high);
  return {p01.low,  p23.low,  p45.low,  p67.low,
          p01.high, p23.high, p45.high, p67.high};
}

// Saturated; in each block of 16 those of `a` first.
HWY_INLINE V8 PackBytes(V16 a, V16 b) {
#if HWY_TARGET == HWY_AVX3
  return V8{_mm512_packs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V8{_mm256_packs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_SSE4
  return V8{_mm_packs_epi16(a.raw, b.raw)};
#else
  const hn::Half<D8> half;
  return hn::Combine(D8(), hn::DemoteTo(half, b), hn::DemoteTo(half, a));
#endif
}

// Two rows of eight samples in each block of 16: 0 and 1, 2 and 3, ...
struct SampleRows {
  V8 rows[4];
};

HWY_INLINE SampleRows ToSamples(const Lines& columns) {
  const D8 d8;
  const D16 d16;
  const D32 d32;
  const V8 center = hn::Set(d8, -128);
  const V8 c04 = hn::Xor(PackBytes(columns.v0, columns.v4), center);
  const V8 c15 = hn::Xor(PackBytes(columns.v1, columns.v5), center);
  const V8 c26 = hn::Xor(PackBytes(columns.v2, columns.v6), center);
  const V8 c37 = hn::Xor(PackBytes(columns.v3, columns.v7), center);
  const Pairs c0123 =
      Interleave(hn::BitCast(d16, hn::InterleaveLower(d8, c04, c15)),
                 hn::BitCast(d16, hn::InterleaveLower(d8, c26, c37)));
  const Pairs c4567 =
      Interleave(hn::BitCast(d16, hn::InterleaveUpper(d8, c04, c15)),
                 hn::BitCast(d16, hn::InterleaveUpper(d8, c26, c37)));
  return {{hn::BitCast(d8, Lower(d32, c0123.low, c4567.low)),
           hn::BitCast(d8, Upper(d32, c0123.low, c4567.low)),
           hn::BitCast(d8, Lower(d32, c0123.high, c4567.high)),
           hn::BitCast(d8, Upper(d32, c0123.high, c4567.high))}};
}

// ---- Memory

using Block8 = hn::CappedTag<std::int8_t, 16>;

// The place where rows go: a copy, which no store of samples can change.
struct Target {
  std::uint8_t* samples;
  std::size_t stride;
};

HWY_INLINE Target TargetOf(const DctBlock* block) {
  return {block->samples, block->stride};
}

HWY_INLINE void StoreRowPair(hn::Vec<Block8> pair, const Target& target,
                             std::size_t row) {
  std::uint8_t* out = target.samples + row * target.stride;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), pair.raw);
  _mm_storeh_pi(reinterpret_cast<__m64*>(out + target.stride),
                _mm_castsi128_ps(pair.raw));
#else
  const hn::Half<Block8> half;
  hn::StoreU(hn::LowerHalf(half, pair), half,
             reinterpret_cast<std::int8_t*>(out));
  hn::StoreU(hn::UpperHalf(half, pair), half,
             reinterpret_cast<std::int8_t*>(out + target.stride));
#endif
}

HWY_INLINE void StoreSamples(const SampleRows& samples, const Target* targets) {
  for (std::size_t i = 0; i < 4; ++i) {
    const V8 pairs = samples.rows[i];
#if HWY_TARGET == HWY_AVX3
    StoreRowPair({_mm512_castsi512_si128(pairs.raw)}, targets[0], 2 * i);
    StoreRowPair({_mm512_extracti32x4_epi32(pairs.raw, 1)}, targets[1], 2 * i);
    StoreRowPair({_mm512_extracti32x4_epi32(pairs.raw, 2)}, targets[2], 2 * i);
    StoreRowPair({_mm512_extracti32x4_epi32(pairs.raw, 3)}, targets[3], 2 * i);
#elif HWY_TARGET == HWY_AVX2
    StoreRowPair(hn::LowerHalf(Block8(), pairs), targets[0], 2 * i);
    StoreRowPair(hn::UpperHalf(Block8(), pairs), targets[1], 2 * i);
#else
    StoreRowPair(pairs, targets[0], 2 * i);
#endif
  }
}

HWY_INLINE V16 WithDc(V16 first, std::int16_t dc) {
  const D16 d;
  return hn::IfThenElse(hn::FirstN(d, 1), hn::Set(d, dc), first);
}

// The part `i` of a block, as many values as a vector has, dequantised.
HWY_INLINE V16 LoadPart(const DctBlock& block, std::size_t i) {
  const D16 d;
  V16 values = hn::Load(d, block.coefficients + i * kLanes);
  if (i == 0) values = WithDc(values, block.dc);
  return hn::Mul(values, hn::Load(d, block.steps->step.data() + i * kLanes));
}

#if HWY_TARGET == HWY_AVX3

// Where in zigzag order a half of the natural order lies.
struct ZigzagHalves {
  alignas(64) std::array<std::uint16_t, 32> upper;
  alignas(64) std::array<std::uint16_t, 32> lower;
};

constexpr ZigzagHalves kZigzagHalves = [] {
  ZigzagHalves made{};
  for (std::uint16_t k = 0; k < kBlockSize; ++k) {
    const std::size_t n = kNaturalOrder[k];
    (n < 32 ? made.upper : made.lower)[n % 32] = k;
  }
  return made;
}();

struct BlockRows {
  __m512i upper, lower;  // four rows each
};

HWY_INLINE BlockRows LoadRows(const DctBlock& block,
                              const ZigzagHalves& places) {
  const __m512i first = LoadPart(block, 0).raw;
  const __m512i second = LoadPart(block, 1).raw;
  return {_mm512_permutex2var_epi16(
              first, _mm512_load_si512(places.upper.data()), second),
          _mm512_permutex2var_epi16(
              first, _mm512_load_si512(places.lower.data()), second)};
}

struct FourRows {
  V16 v0, v1, v2, v3;
};

HWY_INLINE FourRows TransposeBlocks(__m512i a, __m512i b, __m512i c,
                                    __m512i d) {
  const __m512i ab_low = _mm512_shuffle_i32x4(a, b, 0x44);
  const __m512i ab_high = _mm512_shuffle_i32x4(a, b, 0xEE);
  const __m512i cd_low = _mm512_shuffle_i32x4(c, d, 0x44);
  const __m512i cd_high = _mm512_shuffle_i32x4(c, d, 0xEE);
  return {V16{_mm512_shuffle_i32x4(ab_low, cd_low, 0x88)},
          V16{_mm512_shuffle_i32x4(ab_low, cd_low, 0xDD)},
          V16{_mm512_shuffle_i32x4(ab_high, cd_high, 0x88)},
          V16{_mm512_shuffle_i32x4(ab_high, cd_high, 0xDD)}};
}

HWY_INLINE Lines LoadBlocks(const DctBlock* const* blocks) {
  const ZigzagHalves& places = kZigzagHalves;
  const BlockRows a = LoadRows(*blocks[0], places);
  const BlockRows b = LoadRows(*blocks[1], places);
  const BlockRows c = LoadRows(*blocks[2], places);
  const BlockRows d = LoadRows(*blocks[3], places);
  const FourRows u = TransposeBlocks(a.upper, b.upper, c.upper, d.upper);
  const FourRows l = TransposeBlocks(a.lower, b.lower, c.lower, d.lower);
  return {u.v0, u.v1, u.v2, u.v3, l.v0, l.v1, l.v2, l.v3};
}

#elif HWY_TARGET == HWY_AVX2

HWY_INLINE Pairs RowsOf(const DctBlock* const* blocks, std::size_t part) {
  const D16 d;
  const V16 a = LoadPart(*blocks[0], part);
  const V16 b = LoadPart(*blocks[1], part);
  return {hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a)};
}

HWY_INLINE Lines LoadBlocks(const DctBlock* const* blocks) {
  const Pairs r01 = RowsOf(blocks, 0);
  const Pairs r23 = RowsOf(blocks, 1);
  const Pairs r45 = RowsOf(blocks, 2);
  const Pairs r67 = RowsOf(blocks, 3);
  return {r01.low, r01.high, r23.low, r23.high,
          r45.low, r45.high, r67.low, r67.high};
}

#else

HWY_INLINE Lines LoadBlocks(const DctBlock* const* blocks) {
  const DctBlock& block = *blocks[0];
  return {LoadPart(block, 0), LoadPart(block, 1), LoadPart(block, 2),
          LoadPart(block, 3), LoadPart(block, 4), LoadPart(block, 5),
          LoadPart(block, 6), LoadPart(block, 7)};
}

#endif

// ---- The kernels

// The blocks that begin at `i`, the last one again for those that are not
// there.
struct Group {
  Group(std::span<const DctBlock* const> all, std::size_t i) {
    for (std::size_t k = 0; k < kBlocks; ++k) {
      blocks[k] = all[std::min(i + k, all.size() - 1)];
    }
  }
  const DctBlock* blocks[kBlocks];
};

HWY_INLINE void SecondPass(const Lines& rows, const Group& group) {
  const SampleRows samples = ToSamples(Pass<kSecondShift>(rows));
  Target targets[kBlocks];
  for (std::size_t k = 0; k < kBlocks; ++k) {
    targets[k] = TargetOf(group.blocks[k]);
  }
  StoreSamples(samples, targets);
}

// Both passes at once are too long a chain for a processor to begin the next
// blocks before these are done.
constexpr std::size_t kGroups = 8;

void Transform(const SortedBlocks& sorted) {
  const std::span<const DctBlock* const> blocks = sorted.full.blocks();
  constexpr std::size_t kStep = kGroups * kBlocks;
  for (std::size_t begin = 0; begin < blocks.size(); begin += kStep) {
    const std::size_t end = std::min(begin + kStep, blocks.size());
    Lines rows[kGroups];
    Lines* next = rows;
    for (std::size_t i = begin; i < end; i += kBlocks) {
      *next++ =
          Transpose(Pass<kFirstShift>(LoadBlocks(Group(blocks, i).blocks)));
    }
    next = rows;
    for (std::size_t i = begin; i < end; i += kBlocks) {
      SecondPass(*next++, Group(blocks, i));
    }
  }
}

// -1 where the first vector of coefficients is below the first row.
alignas(64) constexpr std::array<std::int16_t, kLanes> kBelowFirstRow = [] {
  std::array<std::int16_t, kLanes> below{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::size_t natural = HWY_TARGET == HWY_AVX3 ? kNaturalOrder[i] : i;
    below[i] = natural < kBlockSide ? 0 : -1;
  }
  return below;
}();

void Sort(std::span<const DctBlock> blocks, SortedBlocks& sorted) {
  const D16 d;
  const V16 below = hn::Load(d, kBelowFirstRow.data());
  for (const DctBlock& block : blocks) {
    V16 rest = hn::And(hn::Load(d, block.coefficients), below);
    for (std::size_t i = kLanes; i < kBlockSize; i += kLanes) {
      rest = hn::Or(rest, hn::Load(d, block.coefficients + i));
    }
    const bool flat = hn::AllTrue(d, hn::Eq(rest, hn::Zero(d)));
    sorted.flat.Add(block, flat);
    sorted.full.Add(block, !flat);
  }
}

DctKernels Dct() { return {&Sort, &Transform}; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardine {

DctKernels VectorDctKernels(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Dct);
}

}  // namespace shardine
#endif

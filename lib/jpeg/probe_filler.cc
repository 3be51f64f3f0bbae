// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/probe_filler.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <array>
#include <cstring>

#include "jpeg/probe_filler.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::uint32_t>;
using Vec = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;

constexpr std::uint32_t kLow16 = 0xFFFF;
constexpr std::uint32_t kMaxGap = 3;

HWY_INLINE Vec All(std::uint32_t value) { return hn::Set(Tag(), value); }

// Highway has no <= for unsigned numbers.
HWY_INLINE Mask AtMost(Vec values, std::uint32_t most) {
  return hn::Lt(values, All(most + 1));
}

// Symbols that are whole in a probe, with their values: length | run << 8 |
// kEnds | value << 16; 0 for others.
constexpr std::uint32_t kEnds = 1u << 15;
using Singles = std::array<std::uint32_t, kProbes>;

// What some probes begin with.
struct First {
  Vec bits;    // of the probe
  Vec code;    // length
  Vec run;     // 0 at the end of the block
  Vec extra;   // bits of the value
  Vec length;  // of both
  Mask whole;  // is in the probe
  Mask ends;   // the block
};

HWY_INLINE First Split(const ProbeCodes& codes, std::size_t at, bool is_dc) {
  const Tag d;
  const hn::Rebind<std::uint16_t, Tag> d16;
  const Vec code = hn::PromoteTo(d, hn::LoadU(d16, codes.data() + at));
  First first;
  first.bits = hn::Iota(d, static_cast<std::uint32_t>(at));
  first.code = hn::ShiftRight<8>(code);
  first.extra = hn::And(code, All(15));
  first.length = hn::Add(first.code, first.extra);
  first.whole =
      hn::And(hn::Ne(first.code, All(0)), AtMost(first.length, kProbeBits));
  const Vec run = hn::And(hn::ShiftRight<4>(code), All(is_dc ? 0 : 15));
  first.ends =
      hn::And(hn::And(first.whole, hn::Eq(first.extra, All(0))),
              hn::And(hn::Ne(run, All(15)), hn::Eq(All(is_dc), All(0))));
  first.run = hn::IfThenZeroElse(first.ends, run);
  return first;
}

// 2 to the power of `bits`.
HWY_INLINE Vec Power(Vec bits) { return hn::Shl(All(1), bits); }

// The probe's first bits, that many.
HWY_INLINE Vec Leading(Vec probe, Vec bits) {
  return hn::Shr(probe, hn::Sub(All(kProbeBits), bits));
}

HWY_INLINE Vec WholeValue(const First& first) {
  const Vec size = Power(first.extra);
  const Vec bits =
      hn::And(Leading(first.bits, hn::Min(first.length, All(kProbeBits))),
              hn::Sub(size, All(1)));
  const Mask negative = hn::Lt(bits, hn::ShiftRight<1>(size));
  return hn::Sub(bits, hn::IfThenElseZero(negative, hn::Sub(size, All(1))));
}

void FillSingles(const ProbeCodes& codes, Singles& singles) {
  const Tag d;
  for (std::size_t at = 0; at < kProbes; at += hn::Lanes(d)) {
    const First first = Split(codes, at, false);
    const Vec single = hn::Or(hn::Or(first.length, hn::ShiftLeft<8>(first.run)),
                              hn::Or(hn::IfThenElseZero(first.ends, All(kEnds)),
                                     hn::ShiftLeft<16>(WholeValue(first))));
    hn::Store(hn::IfThenElseZero(first.whole, single), d, singles.data() + at);
  }
}

// The symbol after the first `length` bits.
struct Next {
  Vec single;
  Vec length;
  Mask fits;
  Mask ends;
};

HWY_INLINE Next Follow(Vec bits, Vec length, const Singles& ac) {
  const Tag d;
  const Vec index = hn::And(hn::Shl(bits, length), All(kProbes - 1));
  Next next;
  next.single = hn::GatherIndex(d, ac.data(),
                                hn::BitCast(hn::RebindToSigned<Tag>(), index));
  next.length = hn::And(next.single, All(255));
  next.fits = hn::And(hn::Ne(next.length, All(0)),
                      AtMost(hn::Add(length, next.length), kProbeBits));
  next.ends = hn::And(next.fits, hn::TestBit(next.single, All(kEnds)));
  return next;
}

// The halves of a HuffmanProbe.
struct Halves {
  Vec places;
  Vec values;
};

HWY_INLINE Vec Places(Vec length, Vec first_gap, Vec step, Vec reach) {
  return hn::Or(hn::Or(length, hn::ShiftLeft<8>(first_gap)),
                hn::Or(hn::ShiftLeft<16>(step), hn::ShiftLeft<24>(reach)));
}

HWY_INLINE Vec Values(Vec value, Vec second) {
  return hn::Or(hn::And(value, All(kLow16)), hn::ShiftLeft<16>(second));
}

// The entries of symbols whose values are longer than a probe: the sign is
// known, or they go the slow way.
HWY_INLINE Halves Long(const First& first) {
  const Mask usable = hn::And(hn::Ne(first.code, All(0)),
                              hn::And(hn::Lt(first.code, All(kProbeBits)),
                                      AtMost(first.length, kMaxProbeLength)));
  const Vec code = Leading(first.bits, first.code);
  const Vec known = hn::Shl(code, first.extra);
  const Vec sign = Leading(
      first.bits, hn::Min(hn::Add(first.code, All(1)), All(kProbeBits)));
  const Mask positive = hn::TestBit(sign, All(1));
  const Vec value =
      hn::IfThenZeroElse(positive, hn::Sub(All(1), Power(first.extra)));
  const Vec places =
      Places(first.length, first.run, hn::Add(first.run, All(1)), first.run);
  return {hn::IfThenElse(usable, places, All(255u << 24)),
          hn::IfThenElseZero(
              usable, Values(hn::Sub(value, known),
                             hn::Sub(All(0), hn::ShiftRight<16>(known))))};
}

// The entries of symbols that are whole, with the symbols after them.
HWY_INLINE Halves Combined(const First& first, const Singles& ac) {
  const Vec alone = hn::Min(first.length, All(kProbeBits));
  const Next second = Follow(first.bits, alone, ac);
  const Vec gap =
      hn::Add(hn::And(hn::ShiftRight<8>(second.single), All(15)), All(1));
  const Mask open = hn::Not(first.ends);
  const Mask pair = hn::And(hn::And(open, hn::AndNot(second.ends, second.fits)),
                            AtMost(gap, kMaxGap));
  const Vec paired = hn::Add(alone, hn::IfThenElseZero(pair, second.length));
  const Next third = Follow(first.bits, paired, ac);
  // Where there is no pair the third is the second.
  const Mask end =
      hn::And(open, hn::And(third.ends, hn::Or(pair, second.ends)));
  const Vec length = hn::Add(paired, hn::IfThenElseZero(end, third.length));
  const Vec pair_gap = hn::IfThenElseZero(pair, gap);
  const Vec last = hn::Add(first.run, pair_gap);
  const Vec reach = hn::Add(last, hn::IfThenElseZero(end, All(1)));
  const Vec step = hn::IfThenElse(hn::Or(end, first.ends), All(kBlockSize),
                                  hn::Add(last, All(1)));
  const Vec second_value =
      hn::IfThenElseZero(pair, hn::ShiftRight<16>(second.single));
  return {Places(length, hn::Or(first.run, hn::ShiftLeft<4>(pair_gap)), step,
                 reach),
          Values(hn::Sub(WholeValue(first), Leading(first.bits, length)),
                 second_value)};
}

void FillTable(const ProbeCodes& codes, bool is_dc, const Singles& ac,
               std::array<HuffmanProbe, kProbes>& probes) {
  const Tag d;
  constexpr std::size_t kMaxLanes = hn::MaxLanes(Tag());
  alignas(64) std::array<std::uint32_t, 2 * kMaxLanes> halves;
  for (std::size_t at = 0; at < kProbes; at += hn::Lanes(d)) {
    const First first = Split(codes, at, is_dc);
    const Halves whole = Combined(first, ac);
    const Halves other = Long(first);
    hn::StoreInterleaved2(
        hn::IfThenElse(first.whole, whole.places, other.places),
        hn::IfThenElse(first.whole, whole.values, other.values), d,
        halves.data());
    std::memcpy(static_cast<void*>(&probes[at]), halves.data(),
                hn::Lanes(d) * sizeof(HuffmanProbe));
  }
}

void FillTables(const ProbeCodes& dc, const ProbeCodes& ac,
                ProbeTables& tables) {
  alignas(64) Singles singles;
  FillSingles(ac, singles);
  FillTable(dc, true, singles, tables.dc);
  FillTable(ac, false, singles, tables.ac);
}

using Filler = void (*)(const ProbeCodes&, const ProbeCodes&, ProbeTables&);
Filler FillerHere() { return &FillTables; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardine {

void FillProbes(SimdLevel level, const ProbeCodes& dc, const ProbeCodes& ac,
                ProbeTables& tables) {
  SHARDINE_AT_LEVEL(level, FillerHere)(dc, ac, tables);
}

}  // namespace shardine
#endif

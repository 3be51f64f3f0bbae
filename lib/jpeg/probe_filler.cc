// Compiled once for each instruction set, by foreach_target.h.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/probe_filler.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
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

// The first symbols of a vector of probes.
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

// The probe's first bits, that many; all of them where it has fewer.
HWY_INLINE Vec Leading(Vec probe, Vec bits) {
  return hn::Shr(probe,
                 hn::Sub(All(kProbeBits), hn::Min(bits, All(kProbeBits))));
}

HWY_INLINE Vec WholeValue(const First& first) {
  const Vec size = Power(first.extra);
  const Vec bits =
      hn::And(Leading(first.bits, first.length), hn::Sub(size, All(1)));
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

// The rest of a probe, r bits after its first symbol, at place 2^r + those
// bits: the length of all that is taken of them, kPair and the gap << 8, kEnds
// if the block ends, and << 16 the value of the second coefficient.
//
// Probes that begin with the same symbol lie side by side and have all its
// rests in turn; in a vector that has several such symbols, each leaves so few
// bits that its rests are among the first of all, as many as a vector has.
using Rests = std::array<std::uint32_t, kProbes>;
constexpr std::uint32_t kPair = 1u << 14;

HWY_INLINE Vec LengthOf(Vec word) { return hn::And(word, All(255)); }
HWY_INLINE Vec GapOf(Vec word) {
  return hn::And(hn::ShiftRight<8>(word), All(15));
}
HWY_INLINE Mask Ends(Vec word) { return hn::TestBit(word, All(kEnds)); }

HWY_INLINE Mask IsIn(Vec single, Vec bits) {
  return hn::AndNot(hn::Gt(LengthOf(single), bits),
                    hn::Ne(single, hn::Zero(Tag())));
}

// The rests of `left` bits, from place `at` on. `singles`: the symbols that
// begin them.
HWY_INLINE Vec RestsAt(std::size_t at, std::uint32_t left,
                       const Singles& singles) {
  const Tag d;
  const Vec second = hn::LoadU(d, singles.data() + at);
  const Vec gap = hn::Add(GapOf(second), All(1));
  const Mask pair = hn::And(hn::AndNot(Ends(second), IsIn(second, All(left))),
                            AtMost(gap, kMaxGap));
  const Vec paired = hn::IfThenElseZero(pair, LengthOf(second));
  const Vec bits =
      hn::And(hn::Shl(hn::Iota(d, static_cast<std::uint32_t>(at)), paired),
              All((1u << left) - 1));
  // Where there is no pair this is the second.
  const Vec third = hn::GatherIndex(
      d, singles.data(), hn::BitCast(hn::RebindToSigned<Tag>(), bits));
  const Mask end =
      hn::And(Ends(third), IsIn(third, hn::Sub(All(left), paired)));
  const Vec length = hn::Add(paired, hn::IfThenElseZero(end, LengthOf(third)));
  const Vec value_and_gap = hn::Or(hn::And(second, All(kLow16 << 16)),
                                   hn::Or(hn::ShiftLeft<8>(gap), All(kPair)));
  return hn::Or(hn::Or(length, hn::IfThenElseZero(end, All(kEnds))),
                hn::IfThenElseZero(pair, value_and_gap));
}

// The most bits that a symbol which does not end the block leaves.
std::uint32_t MostBitsLeft(const ProbeCodes& codes, bool is_dc) {
  std::uint32_t most = 0;
  for (std::size_t at = 0; at < kProbes;) {
    const std::uint32_t code = codes[at] >> 8;
    const std::uint32_t extra = codes[at] & 15u;
    const bool ends = !is_dc && extra == 0 && (codes[at] & 0xF0u) != 0xF0u;
    if (code > 0 && !ends && code + extra < kProbeBits) {
      most = std::max(most, kProbeBits - code - extra);
    }
    at += code > 0 ? kProbes >> code : 1;
  }
  return most;
}

// Fills the rests of up to `most` bits. Uses up `singles`.
void FillRests(std::uint32_t most, Singles& singles, Rests& rests) {
  const Tag d;
  for (std::uint32_t left = kProbeBits; left-- > 0;) {
    const std::size_t count = std::size_t{1} << left;
    // A bit less to know a symbol by.
    for (std::size_t i = 0; i < count; ++i) singles[i] = singles[2 * i];
    if (left > most) continue;
    for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
      const Vec made = RestsAt(at, left, singles);
      if (count >= hn::Lanes(d)) {
        hn::StoreU(made, d, rests.data() + count + at);
      } else {
        alignas(64) std::array<std::uint32_t, hn::MaxLanes(Tag())> few;
        hn::Store(made, d, few.data());
        std::memcpy(rests.data() + count, few.data(), count * sizeof(few[0]));
      }
    }
  }
}

// The rests of probes with less than a vector for each symbol; undefined for
// probes that are not whole.
HWY_INLINE Vec RestsOf(const First& first, const Rests& rests) {
  const Tag d;
  const Vec left = Power(
      hn::IfThenElseZero(first.whole, hn::Sub(All(kProbeBits), first.length)));
  const Vec place = hn::Or(left, hn::And(first.bits, hn::Sub(left, All(1))));
  return hn::TableLookupLanes(hn::LoadU(d, rests.data()),
                              hn::IndicesFromVec(d, place));
}

// The halves of HuffmanProbes.
struct Halves {
  Vec low;   // step, length, value
  Vec high;  // second value, first and gap, reach
};

HWY_INLINE Vec LowHalf(Vec step, Vec length, Vec value) {
  return hn::Or(hn::Or(step, hn::ShiftLeft<8>(length)),
                hn::ShiftLeft<16>(value));
}

HWY_INLINE Vec HighHalf(Vec second, Vec first_gap, Vec reach) {
  return hn::Or(hn::And(second, All(kLow16)),
                hn::Or(hn::ShiftLeft<16>(first_gap), hn::ShiftLeft<24>(reach)));
}

// The entries of symbols whose values are longer than a probe: the sign is
// known, or they go the slow way.
HWY_INLINE Halves Long(const First& first) {
  const Mask usable = hn::And(hn::Ne(first.code, All(0)),
                              hn::And(hn::Lt(first.code, All(kProbeBits)),
                                      AtMost(first.length, kMaxProbeLength)));
  const Vec code = Leading(first.bits, first.code);
  const Vec known = hn::Shl(code, first.extra);
  const Vec sign = Leading(first.bits, hn::Add(first.code, All(1)));
  const Mask positive = hn::TestBit(sign, All(1));
  const Vec value =
      hn::IfThenZeroElse(positive, hn::Sub(All(1), Power(first.extra)));
  const Vec low =
      LowHalf(hn::Add(first.run, All(1)), first.length, hn::Sub(value, known));
  const Vec high = HighHalf(hn::Sub(All(0), hn::ShiftRight<16>(known)),
                            first.run, first.run);
  return {hn::IfThenElseZero(usable, low),
          hn::IfThenElse(usable, high, All(255u << 24))};
}

// The entries of whole symbols with that value, joined with their rests.
HWY_INLINE Halves Combined(const First& first, Vec value, Vec rest) {
  rest = hn::IfThenZeroElse(first.ends, rest);
  const Vec length = hn::Add(first.length, LengthOf(rest));
  const Vec gap = GapOf(rest);
  const Vec last = hn::Add(first.run, gap);
  const Vec reach = hn::Add(last, hn::IfThenElseZero(Ends(rest), All(1)));
  const Vec step = hn::IfThenElse(hn::Or(first.ends, Ends(rest)),
                                  All(kBlockSize), hn::Add(last, All(1)));
  return {LowHalf(step, length, hn::Sub(value, Leading(first.bits, length))),
          HighHalf(hn::ShiftRight<16>(rest),
                   hn::Or(first.run, hn::ShiftLeft<4>(gap)), reach)};
}

// The entries of a vector with several symbols.
HWY_INLINE Halves Mixed(const First& first, const Rests& rests) {
  const Halves other = Long(first);
  if (hn::AllFalse(Tag(), first.whole)) return other;
  const Halves whole =
      Combined(first, WholeValue(first), RestsOf(first, rests));
  return {hn::IfThenElse(first.whole, whole.low, other.low),
          hn::IfThenElse(first.whole, whole.high, other.high)};
}

HWY_INLINE void Store(const Halves& halves, HuffmanProbe* probes) {
  const Tag d;
  alignas(64) std::array<std::uint32_t, 2 * hn::MaxLanes(Tag())> stored;
  hn::StoreInterleaved2(halves.low, halves.high, d, stored.data());
  std::memcpy(static_cast<void*>(probes), stored.data(),
              hn::Lanes(d) * sizeof(HuffmanProbe));
}

void FillTable(const ProbeCodes& codes, bool is_dc, const Rests& rests,
               std::array<HuffmanProbe, kProbes>& probes) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < kProbes;) {
    First first = Split(codes, at, is_dc);
    const std::uint32_t code = codes[at] >> 8;
    // Probes that begin with the same symbol and value.
    const std::size_t alike = kProbes >> (code + (codes[at] & 15u));
    if (code == 0 || alike < lanes) {
      Store(Mixed(first, rests), &probes[at]);
      at += lanes;
      continue;
    }
    const Vec value = WholeValue(first);
    for (std::size_t i = 0; i < alike; i += lanes, at += lanes) {
      first.bits = hn::Iota(d, static_cast<std::uint32_t>(at));
      const Vec rest = hn::LoadU(d, rests.data() + alike + i);
      Store(Combined(first, value, rest), &probes[at]);
    }
  }
}

void FillTables(const ProbeCodes& dc, const ProbeCodes& ac,
                ProbeTables& tables) {
  alignas(64) Singles singles;
  alignas(64) Rests rests{};
  FillSingles(ac, singles);
  FillRests(std::max(MostBitsLeft(dc, true), MostBitsLeft(ac, false)), singles,
            rests);
  FillTable(dc, true, rests, tables.dc);
  FillTable(ac, false, rests, tables.ac);
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

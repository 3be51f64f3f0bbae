// Compiled once for each instruction set, by foreach_target.h: no vectors here,
// but shifts and masks that BMI2 makes shorter.
#include "base/simd_dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/scan_loops.cc"
#include <hwy/foreach_target.h>
// clang-format off: highway.h comes after foreach_target.h
#include <hwy/highway.h>
// clang-format on

#include <bit>
#include <cstring>

#include "jpeg/scan_loops.h"

HWY_BEFORE_NAMESPACE();
namespace shardine {
namespace HWY_NAMESPACE {

HWY_INLINE BitWindow Refill(BitWindow window, const ScanState& scan) {
  if (HWY_LIKELY(window.next < scan.wide_end)) {
    std::uint64_t raw;
    std::memcpy(&raw, window.next, sizeof(raw));
    // A byte of FF is zero in ~raw, and only with one a borrow gets to a top
    // bit that was clear.
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    if (HWY_LIKELY(((~raw - kOnes) & raw & (kOnes << 7)) == 0)) {
      // Only whole bytes count as taken. The bits of the next byte that also
      // fit come again with the next refill, at the same place and with the
      // same bits.
      window.bits |= __builtin_bswap64(raw) >> window.count;
      window.next += (63 - window.count) >> 3;
      window.count |= kWindowBits;
      return window;
    }
  }
  return RefillBytewise(window, scan.end);
}

HWY_INLINE void Drop(BitWindow& window, std::uint32_t bits) {
  window.bits <<= bits;
  window.count -= bits;
}

// A symbol that no table knows; the next position. Out of line, and out of the
// registers of the loops.
struct SlowSymbol {
  BitWindow window;
  DecodedSymbol symbol;
};
HWY_NOINLINE SlowSymbol TakeSlowly(BitWindow window, const ScanState& scan,
                                   std::uint32_t slot, std::uint32_t position) {
  window = RefillBytewise(window, scan.end);
  const DecodedSymbol symbol =
      scan.tables->DecodeSymbol(slot, window.bits, position);
  Drop(window, symbol.length);
  if (!symbol.valid) window.Invalidate();
  return {window, symbol};
}

HWY_INLINE BitWindow SkipAc(BitWindow window, const ScanState& scan,
                            const BlockCoding& coding, std::uint32_t position) {
  for (;;) {
    window = Refill(window, scan);
    for (std::uint32_t i = 0; i < kSkipsPerRefill; ++i) {
      const SkipStep step = coding.skip[window.bits >> (64 - kSkipBits)];
      const std::uint32_t next = position + step.advance;
      if (HWY_UNLIKELY(next >= kBlockSize)) {
        const bool ends = (step.advance & 64) != 0 && next < 2 * kBlockSize;
        if (HWY_LIKELY(ends || next == kBlockSize)) {
          Drop(window, step.length);
          return window;
        }
        const SlowSymbol slow = TakeSlowly(window, scan, coding.slot, position);
        window = slow.window;
        position = slow.symbol.next;
        if (position >= kBlockSize) return window;
        break;
      }
      position = next;
      Drop(window, step.length);
    }
  }
}

HWY_INLINE BitWindow SkipBlock(BitWindow window, const ScanState& scan,
                               const BlockCoding& coding,
                               std::int32_t& difference) {
  window = Refill(window, scan);
  const HuffmanProbe& probe =
      coding.probes->dc[window.bits >> (64 - kProbeBits)];
  std::uint32_t position;
  if (HWY_LIKELY(probe.reach < kBlockSize)) {
    difference = FirstValue(probe, window.bits);
    position = probe.step;
    Drop(window, probe.length);
  } else {
    const SlowSymbol slow = TakeSlowly(window, scan, coding.slot, 0);
    window = slow.window;
    difference = slow.symbol.value;
    position = slow.symbol.next;
  }
  if (position >= kBlockSize) return window;
  return SkipAc(window, scan, coding, position);
}

// Adds to the predictor; false if it leaves 16 bits.
HWY_INLINE bool Predict(std::int32_t& dc, std::int32_t difference) {
  dc += difference;
  return dc == static_cast<std::int16_t>(dc);
}

bool Skip(ScanState& scan, std::uint32_t mcus) {
  BitWindow window = scan.window;
  bool good = true;
  for (std::uint32_t mcu = 0; good && mcu < mcus; ++mcu) {
    for (std::uint32_t i = 0; i < scan.blocks_per_mcu; ++i) {
      const BlockCoding& coding = scan.coding[i];
      std::int32_t difference = 0;
      window = SkipBlock(window, scan, coding, difference);
      good &= Predict(scan.dc[coding.component], difference);
    }
    good &= window.valid();
  }
  scan.window = window;
  return good;
}

template <CoefficientOrder kOrder>
HWY_INLINE std::size_t PlaceOfCoefficient(std::uint32_t position) {
  return kOrder == CoefficientOrder::kZigzag ? position
                                             : kNaturalOrder[position];
}

// One probe; false where it cannot be told from the table.
template <CoefficientOrder kOrder>
HWY_INLINE bool TakeProbe(const HuffmanProbe& probe, BitWindow& window,
                          std::uint32_t& position, std::int16_t* block) {
  if (HWY_UNLIKELY(position + probe.reach >= kBlockSize)) return false;
  const std::uint32_t first = position + probe.first();
  // Without a second value this is the first one's place, too.
  block[PlaceOfCoefficient<kOrder>(first + probe.gap())] = probe.second_value;
  block[PlaceOfCoefficient<kOrder>(first)] = FirstValue(probe, window.bits);
  position += probe.step;
  Drop(window, probe.length);
  return true;
}

template <CoefficientOrder kOrder>
HWY_INLINE void TakeSymbol(const ScanState& scan, std::uint32_t slot,
                           BitWindow& window, std::uint32_t& position,
                           std::int16_t* block) {
  const SlowSymbol slow = TakeSlowly(window, scan, slot, position);
  window = slow.window;
  position = slow.symbol.next;
  if (slow.symbol.value != 0) {
    block[PlaceOfCoefficient<kOrder>(slow.symbol.position)] =
        static_cast<std::int16_t>(slow.symbol.value);
  }
}

// Each refill gives bits for two probes. A symbol taken the slow way may leave
// fewer, so that a refill follows it.
template <CoefficientOrder kOrder>
HWY_INLINE BitWindow DecodeBlock(BitWindow window, const ScanState& scan,
                                 const BlockCoding& coding,
                                 std::int16_t* block) {
  constexpr std::uint32_t kShift = 64 - kProbeBits;
  std::uint32_t position = 0;
  window = Refill(window, scan);
  if (!TakeProbe<kOrder>(coding.probes->dc[window.bits >> kShift], window,
                         position, block)) {
    TakeSymbol<kOrder>(scan, coding.slot, window, position, block);
    if (position < kBlockSize) window = Refill(window, scan);
  }
  const auto& ac = coding.probes->ac;
  while (position < kBlockSize) {
    if (!TakeProbe<kOrder>(ac[window.bits >> kShift], window, position,
                           block)) {
      TakeSymbol<kOrder>(scan, coding.slot, window, position, block);
    }
    if (position >= kBlockSize) break;
    window = Refill(window, scan);
    if (!TakeProbe<kOrder>(ac[window.bits >> kShift], window, position,
                           block)) {
      TakeSymbol<kOrder>(scan, coding.slot, window, position, block);
      if (position < kBlockSize) window = Refill(window, scan);
    }
  }
  return window;
}

template <CoefficientOrder kOrder>
bool Decode(ScanState& scan, std::uint32_t mcus, std::int16_t* coefficients) {
  BitWindow window = scan.window;
  bool good = true;
  for (std::uint32_t mcu = 0; good && mcu < mcus; ++mcu) {
    for (std::uint32_t i = 0; i < scan.blocks_per_mcu; ++i) {
      const BlockCoding& coding = scan.coding[i];
      window = DecodeBlock<kOrder>(window, scan, coding, coefficients);
      good &= Predict(scan.dc[coding.component], coefficients[0]);
      coefficients += kBlockSize;
    }
    good &= window.valid();
  }
  scan.window = window;
  return good;
}

ScanLoops Loops() {
#if HWY_TARGET == HWY_AVX3
  return {&Skip, &Decode<CoefficientOrder::kZigzag>};
#else
  return {&Skip, &Decode<CoefficientOrder::kNatural>};
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace shardine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardine {

ScanLoops ScanLoopsAt(SimdLevel level) {
  return SHARDINE_AT_LEVEL(level, Loops);
}

}  // namespace shardine
#endif

#include "jpeg/entropy_tables.h"

#include <algorithm>
#include <memory>
#include <span>

namespace shardine {
namespace {

constexpr std::uint8_t kMaxGap = 3;

struct Symbol {
  std::uint8_t run = 0;
  std::uint8_t extra = 0;  // bits of its value
  bool ends = false;       // the block
};

Symbol Split(std::uint8_t symbol, bool is_dc) {
  if (is_dc) return {0, static_cast<std::uint8_t>(symbol & 15)};
  const auto run = static_cast<std::uint8_t>(symbol >> 4);
  const auto extra = static_cast<std::uint8_t>(symbol & 15);
  return {run, extra, extra == 0 && run != 15};
}

// The number that `extra` bits stand for (T.81, F.2.2.1, EXTEND).
std::int32_t Extend(std::uint32_t bits, std::uint32_t extra) {
  const auto value = static_cast<std::int32_t>(bits);
  const bool negative = extra > 0 && bits >> (extra - 1) == 0;
  return negative ? value - (std::int32_t{1} << extra) + 1 : value;
}

// Tables of single symbols hold values as they are, and `known`: of values that
// are longer than a probe the bits in front of them.
struct Single {
  std::uint8_t length = 0;
  std::uint8_t run = 0;
  bool ends = false;
  bool whole = false;  // all of its bits are in the probe
  std::int32_t value = 0;
  std::uint32_t known = 0;
};
using Singles = std::array<Single, kProbes>;

// All probes that begin with `code`, of `length` bits.
void FillCode(std::span<Single> probes, std::uint32_t code,
              std::uint32_t length, Symbol symbol) {
  const std::uint32_t extra = symbol.extra;
  Single single{.length = static_cast<std::uint8_t>(length + extra),
                .run = symbol.run,
                .ends = symbol.ends,
                .whole = length + extra <= kProbeBits,
                .known = code << extra};
  if (single.whole) {
    const std::size_t each = probes.size() >> extra;
    for (std::uint32_t bits = 0; bits < 1u << extra; ++bits) {
      single.value = Extend(bits, extra);
      std::ranges::fill(probes.subspan(bits * each, each), single);
    }
  } else if (length < kProbeBits && single.length <= kMaxProbeLength) {
    const std::size_t half = probes.size() / 2;
    std::ranges::fill(probes.subspan(half), single);
    single.value = 1 - (1 << extra);  // the sign is in the probe
    std::ranges::fill(probes.first(half), single);
  }
}

void FillSingles(const HuffmanSpec& spec, bool is_dc, Singles& singles) {
  singles.fill(Single{});
  std::size_t at = 0;
  std::size_t number = 0;
  for (std::uint32_t length = 1; length <= kProbeBits; ++length) {
    const std::size_t each = kProbes >> length;
    for (std::uint32_t i = 0; i < spec.counts[length]; ++i) {
      if (at + each > kProbes || number == spec.symbols.size()) return;
      FillCode(std::span(singles).subspan(at, each),
               static_cast<std::uint32_t>(at / each), length,
               Split(spec.symbols[number++], is_dc));
      at += each;
    }
  }
}

HuffmanProbe Alone(const Single& single) {
  if (single.length == 0) return {};
  const std::uint32_t value =
      static_cast<std::uint32_t>(single.value) - single.known;
  return {.length = single.length,
          .first_gap = single.run,
          .step = static_cast<std::uint8_t>(single.run + 1),
          .reach = single.run,
          .value = static_cast<std::int16_t>(value),
          .second_value = static_cast<std::int16_t>(0u - (single.known >> 16))};
}

// What can be done with `bits`, `single` being the first symbol in them.
HuffmanProbe Combine(const Single& single, std::uint32_t bits,
                     const Singles& ac) {
  HuffmanProbe probe = Alone(single);
  if (!single.whole) return probe;
  const auto next = [&] {
    const Single& found = ac[(bits << probe.length) % kProbes];
    const bool fits = found.whole && probe.length + found.length <= kProbeBits;
    return fits ? found : Single{};
  };
  const auto end = [&](std::uint32_t length) {
    probe.length = static_cast<std::uint8_t>(probe.length + length);
    probe.reach = probe.step;
    probe.step = kBlockSize;
  };
  if (single.ends) {
    probe.first_gap = probe.reach = 0;
    probe.step = kBlockSize;
  } else if (const Single second = next(); second.ends) {
    end(second.length);
  } else if (second.whole && second.run < kMaxGap) {
    probe.length = static_cast<std::uint8_t>(probe.length + second.length);
    probe.first_gap =
        static_cast<std::uint8_t>(single.run | (second.run + 1) << 4);
    probe.reach = static_cast<std::uint8_t>(single.run + 1 + second.run);
    probe.step = static_cast<std::uint8_t>(probe.reach + 1);
    probe.second_value = static_cast<std::int16_t>(second.value);
    if (const Single third = next(); third.ends) end(third.length);
  }
  const std::uint32_t known = bits >> (kProbeBits - probe.length);
  probe.value = static_cast<std::int16_t>(
      static_cast<std::uint32_t>(single.value) - known);
  return probe;
}

void FillProbes(const Singles& first, const Singles& ac,
                std::array<HuffmanProbe, kProbes>& probes) {
  for (std::uint32_t bits = 0; bits < kProbes; ++bits) {
    probes[bits] = Combine(first[bits], bits, ac);
  }
}

}  // namespace

EntropyTables::EntropyTables() : probes_(kMaxComponents) {}

EntropyTables::Codes EntropyTables::MakeCodes(const HuffmanSpec& spec) {
  Codes codes{.spec = spec};
  std::uint32_t code = 0;
  std::uint32_t number = 0;
  for (std::uint32_t length = 1; length <= 16; ++length) {
    codes.offset[length - 1] =
        static_cast<std::int32_t>(number) - static_cast<std::int32_t>(code);
    code += spec.counts[length];
    number += spec.counts[length];
    codes.limit[length - 1] = code << (16 - length);
    code *= 2;
  }
  return codes;
}

void EntropyTables::BuildSlot(std::uint32_t slot, const HuffmanSpec& dc,
                              const HuffmanSpec& ac) {
  Slot& built = slots_[slot];
  if (built.built && built.dc.spec == dc && built.ac.spec == ac) return;
  built = {MakeCodes(dc), MakeCodes(ac), true};
  const auto singles = std::make_unique<std::array<Singles, 2>>();
  FillSingles(dc, true, (*singles)[0]);
  FillSingles(ac, false, (*singles)[1]);
  FillProbes((*singles)[0], (*singles)[1], probes_[slot].dc);
  FillProbes((*singles)[1], (*singles)[1], probes_[slot].ac);
}

void EntropyTables::Build(const JpegFrame& frame) {
  std::uint32_t slots = 0;
  for (std::uint32_t i = 0; i < frame.components; ++i) {
    const FrameComponent& component = frame.component[i];
    const auto same = [&](const FrameComponent& other) {
      return other.dc_table == component.dc_table &&
             other.ac_table == component.ac_table;
    };
    const auto first = static_cast<std::uint32_t>(
        std::find_if(frame.component.begin(), frame.component.begin() + i,
                     same) -
        frame.component.begin());
    if (first < i) {
      slot_[i] = slot_[first];
      continue;
    }
    BuildSlot(slots, frame.dc[component.dc_table],
              frame.ac[component.ac_table]);
    slot_[i] = slots++;
  }
}

DecodedSymbol EntropyTables::DecodeSymbol(std::uint32_t slot,
                                          std::uint64_t bits,
                                          std::uint32_t position) const {
  constexpr std::uint32_t kLast = kBlockSize - 1;
  const bool is_dc = position == 0;
  const Codes& codes = is_dc ? slots_[slot].dc : slots_[slot].ac;
  const auto code = static_cast<std::uint32_t>(bits >> 48);
  std::uint32_t shorter = 0;  // lengths that the code exceeds
  for (const std::uint32_t limit : codes.limit) shorter += code >= limit;
  if (shorter == 16) {
    return {
        .length = 16, .position = kLast, .next = kBlockSize, .valid = false};
  }
  const std::uint32_t length = shorter + 1;
  const auto number = static_cast<std::uint32_t>(
      static_cast<std::int32_t>(code >> (16 - length)) + codes.offset[shorter]);
  const Symbol symbol = Split(codes.spec.symbols[number % 256], is_dc);
  DecodedSymbol decoded;
  decoded.length = length + symbol.extra;
  decoded.position = std::min(position + symbol.run, kLast);
  decoded.next = symbol.ends ? kBlockSize
                             : std::min(position + symbol.run + 1, kBlockSize);
  if (symbol.extra != 0) {
    decoded.value = Extend(
        static_cast<std::uint32_t>((bits << length) >> (64 - symbol.extra)),
        symbol.extra);
  }
  return decoded;
}

}  // namespace shardine

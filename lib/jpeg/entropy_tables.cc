#include "jpeg/entropy_tables.h"

#include <algorithm>
#include <memory>
#include <span>

namespace shardine {
namespace {

using Table = std::array<HuffmanProbe, kProbes>;

// How far apart two values can be that one store of 64 bits writes.
constexpr std::uint8_t kMaxStoreRun = 2;

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

HuffmanProbe Plain(std::uint32_t length, std::uint8_t run, std::int32_t value) {
  return {.length = static_cast<std::uint8_t>(length),
          .first_extra = run,
          .second = run,
          .reach = run,
          .value = static_cast<std::int16_t>(value)};
}

// All probes that begin with one code of `length` bits.
void FillCode(std::span<HuffmanProbe> probes, std::uint32_t length,
              Symbol symbol) {
  const std::uint32_t extra = symbol.extra;
  if (extra == 0) {
    HuffmanProbe probe = Plain(length, symbol.ends ? 0 : symbol.run, 0);
    probe.last = symbol.ends ? kBlockSize - 1 : 0;
    std::ranges::fill(probes, probe);
  } else if (length + extra <= kProbeBits) {
    const std::size_t each = probes.size() >> extra;
    for (std::uint32_t bits = 0; bits < 1u << extra; ++bits) {
      std::ranges::fill(probes.subspan(bits * each, each),
                        Plain(length + extra, symbol.run, Extend(bits, extra)));
    }
  } else if (length < kProbeBits) {  // the sign is known
    HuffmanProbe probe = Plain(length + extra, symbol.run, 0);
    probe.first_extra = static_cast<std::uint8_t>(symbol.run | extra << 4);
    const std::size_t half = probes.size() / 2;
    std::ranges::fill(probes.subspan(half), probe);
    probe.value = static_cast<std::int16_t>(1 - (1 << extra));
    std::ranges::fill(probes.first(half), probe);
  }
}

// One value for each probe.
void FillSingles(const HuffmanSpec& spec, bool is_dc, Table& table) {
  table.fill(HuffmanProbe{});
  std::size_t at = 0;
  std::size_t number = 0;
  for (std::uint32_t length = 1; length <= kProbeBits; ++length) {
    const std::size_t each = kProbes >> length;
    for (std::uint32_t i = 0; i < spec.counts[length]; ++i) {
      if (at + each > kProbes || number == spec.symbols.size()) return;
      FillCode(std::span(table).subspan(at, each), length,
               Split(spec.symbols[number++], is_dc));
      at += each;
    }
  }
}

bool IsPlain(const HuffmanProbe& probe) {
  return probe.reach < kBlockSize && probe.first_extra < 16;
}

// `probe`, the table's entry for `bits`, with what follows it in them.
HuffmanProbe Pair(HuffmanProbe probe, std::uint32_t bits, const Table& ac) {
  if (!IsPlain(probe) || probe.last != 0) return probe;
  const auto following = [&]() -> const HuffmanProbe& {
    return ac[(bits << probe.length) % kProbes];
  };
  const auto fits = [&](const HuffmanProbe& next) {
    return IsPlain(next) && probe.length + next.length <= kProbeBits;
  };
  const auto end = [&](const HuffmanProbe& next) {
    probe.length = static_cast<std::uint8_t>(probe.length + next.length);
    probe.last = next.last;
    probe.reach = static_cast<std::uint8_t>(probe.second + 1);
  };
  const HuffmanProbe& second = following();
  if (!fits(second)) return probe;
  if (second.last != 0) {
    end(second);
    return probe;
  }
  const bool small = second.value >= -128 && second.value < 128;
  if (!small || second.first_extra > kMaxStoreRun) return probe;
  probe.length = static_cast<std::uint8_t>(probe.length + second.length);
  probe.second =
      static_cast<std::uint8_t>(probe.first_extra + 1 + second.first_extra);
  probe.second_value = static_cast<std::int8_t>(second.value);
  probe.reach = probe.second;
  const HuffmanProbe& third = following();
  if (fits(third) && third.last != 0) end(third);
  return probe;
}

void FillPairs(const Table& first, const Table& ac, Table& table) {
  for (std::uint32_t bits = 0; bits < kProbes; ++bits) {
    table[bits] = Pair(first[bits], bits, ac);
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
  const auto singles = std::make_unique<std::array<Table, 2>>();
  FillSingles(dc, true, (*singles)[0]);
  FillSingles(ac, false, (*singles)[1]);
  FillPairs((*singles)[0], (*singles)[1], probes_[slot].dc);
  FillPairs((*singles)[1], (*singles)[1], probes_[slot].ac);
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

#include "jpeg/entropy_tables.h"

#include <algorithm>

#include "jpeg/probe_filler.h"

namespace shardine {
namespace {

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

// REQUIRES: a valid table; of others, the codes that fit are spread.
void SpreadCodes(const HuffmanSpec& spec, ProbeCodes& codes) {
  std::size_t at = 0;
  std::size_t number = 0;
  for (std::uint32_t length = 1; length <= kProbeBits; ++length) {
    const std::size_t each = kProbes >> length;
    for (std::uint32_t i = 0; i < spec.counts[length]; ++i) {
      if (at + each > kProbes || number == spec.symbols.size()) return;
      std::fill_n(
          codes.begin() + at, each,
          static_cast<std::uint16_t>(length << 8 | spec.symbols[number++]));
      at += each;
    }
  }
  std::fill(codes.begin() + at, codes.end(), std::uint16_t{0});
}

}  // namespace

// On the heap, since the probes of one slot take 32 KiB.
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
  ProbeCodes dc_codes;
  ProbeCodes ac_codes;
  SpreadCodes(dc, dc_codes);
  SpreadCodes(ac, ac_codes);
  FillProbes(CurrentSimdLevel(), dc_codes, ac_codes, probes_[slot]);
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
  // The limits never fall from one length to the next, so the count of those
  // not above the code is the number of lengths that are too short.
  for (const std::uint32_t limit : codes.limit) shorter += code >= limit;
  if (shorter == 16) {
    return {
        .length = 16, .position = kLast, .next = kBlockSize, .valid = false};
  }
  const std::uint32_t length = shorter + 1;
  // The number of a valid table is below 256 anyway. The remainder keeps the
  // number of an invalid one inside the symbols.
  const auto number = static_cast<std::uint32_t>(
      static_cast<std::int32_t>(code >> (16 - length)) + codes.offset[shorter]);
  const Symbol symbol = Split(codes.spec.symbols[number % 256], is_dc);
  DecodedSymbol decoded;
  decoded.length = length + symbol.extra;
  // A hostile run may lead beyond the block. libjpeg stores such a value at the
  // last place, and its pixels are those to be had here.
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

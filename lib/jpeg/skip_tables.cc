#include "jpeg/skip_tables.h"

#include <algorithm>

namespace shardine {
namespace {

constexpr std::uint32_t kSteps = 1u << kSkipBits;
constexpr std::uint8_t kEnd = 64;
constexpr std::uint8_t kSlow = 128;

// By the bits that begin with its code; `code` is 0 where the bits do not hold
// a whole one.
struct Symbol {
  std::uint8_t code = 0;    // bits
  std::uint8_t length = 0;  // with the value's
  std::uint8_t advance = 0;
};
using Symbols = std::array<Symbol, kSteps>;

void FillSymbols(const HuffmanSpec& ac, Symbols& symbols) {
  symbols.fill({});
  std::size_t at = 0;
  std::size_t number = 0;
  for (std::uint32_t length = 1; length <= kSkipBits; ++length) {
    for (std::uint32_t i = 0; i < ac.counts[length]; ++i, ++number) {
      const std::uint32_t run = ac.symbols[number] >> 4;
      const std::uint32_t extra = ac.symbols[number] & 15u;
      const bool ends = extra == 0 && run != 15;
      const Symbol symbol{static_cast<std::uint8_t>(length),
                          static_cast<std::uint8_t>(length + extra),
                          static_cast<std::uint8_t>(ends ? kEnd : run + 1)};
      const std::size_t end = at + (kSteps >> length);
      std::fill(symbols.begin() + static_cast<std::ptrdiff_t>(at),
                symbols.begin() + static_cast<std::ptrdiff_t>(end), symbol);
      at = end;
    }
  }
}

SkipStep StepFrom(std::uint32_t bits, const Symbols& symbols) {
  std::uint32_t length = 0;
  std::uint32_t advance = 0;
  while (length < kSkipBits && advance < kEnd) {
    const Symbol& next = symbols[(bits << length) % kSteps];
    const bool known = next.code != 0 && length + next.code <= kSkipBits;
    if (!known || length + next.length > kMaxSkip) break;
    if (next.advance < kEnd && advance + next.advance >= kEnd) break;
    length += next.length;
    advance += next.advance;
  }
  if (length == 0) advance = kSlow;
  return {static_cast<std::uint8_t>(length),
          static_cast<std::uint8_t>(advance)};
}

}  // namespace

void SkipTable::Build(const HuffmanSpec& ac) {
  if (ac == spec_) return;
  spec_ = ac;
  Symbols symbols;
  FillSymbols(ac, symbols);
  for (std::uint32_t bits = 0; bits < kSteps; ++bits) {
    steps_[bits] = StepFrom(bits, symbols);
  }
}

}  // namespace shardine

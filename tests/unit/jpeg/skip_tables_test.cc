#include "jpeg/skip_tables.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <random>

#include "jpeg/entropy_tables.h"
#include "unit/jpeg/huffman_codes.h"

namespace shardine::skip_tables_test {
namespace {

// The position behind all symbols of the next `length` bits; nothing if they
// are not whole symbols of one block.
std::optional<std::uint32_t> PositionAfter(const EntropyTables& tables,
                                           std::uint64_t bits,
                                           std::uint32_t position,
                                           std::uint32_t length) {
  std::uint32_t taken = 0;
  while (taken < length) {
    const DecodedSymbol symbol =
        tables.DecodeSymbol(0, bits << taken, position);
    if (!symbol.valid || position == kBlockSize) return std::nullopt;
    position = symbol.next;
    taken += symbol.length;
  }
  if (taken > length) return std::nullopt;
  return position;
}

// Checks a step by the comment on SkipStep.
bool IsRight(const EntropyTables& tables, const SkipStep& step,
             std::uint64_t bits, std::uint32_t position) {
  const std::uint32_t next = position + step.advance;
  const bool ends = (step.advance & 64) != 0;
  if (next > kBlockSize && !(ends && next < 2 * kBlockSize)) return true;
  return PositionAfter(tables, bits, position, step.length) ==
         std::min(next, kBlockSize);
}

}  // namespace

TEST_CASE("a skip is where its symbols lead one by one", "[jpeg]") {
  std::mt19937 random(1);
  const HuffmanSpec dc = SpecsOfAllShapes(true).front();
  const auto table = std::make_unique<SkipTable>();
  std::size_t several = 0;
  for (const HuffmanSpec& ac : SpecsOfAllShapes(false)) {
    JpegFrame frame;
    frame.components = 1;
    frame.dc[0] = dc;
    frame.ac[0] = ac;
    EntropyTables tables;
    tables.Build(frame);
    table->Build(ac);
    std::size_t wrong = 0;
    for (std::uint64_t i = 0; i < 1u << kSkipBits; ++i) {
      const SkipStep& step = table->steps()[i];
      const bool slow = step.length == 0 && step.advance >= 128;
      if (step.length > kMaxSkip || (step.length == 0 && !slow)) ++wrong;
      if (step.length > kSkipBits) ++several;
      const std::uint64_t bits =
          i << (64 - kSkipBits) |
          (std::uint64_t{random()} << 32 | random()) >> kSkipBits;
      for (const std::uint32_t position : {1u, 2u, 40u, 50u, 62u, 63u}) {
        if (!IsRight(tables, step, bits, position)) ++wrong;
      }
    }
    REQUIRE(wrong == 0);
  }
  CHECK(several > 100);
}

}  // namespace shardine::skip_tables_test

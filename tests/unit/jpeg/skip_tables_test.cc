#include "jpeg/skip_tables.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>

#include "jpeg/entropy_tables.h"
#include "unit/jpeg/huffman_codes.h"

namespace shardine {
namespace {

// The position behind all symbols of the next `length` bits.
std::uint32_t PositionAfter(const EntropyTables& tables, std::uint64_t bits,
                            std::uint32_t position, std::uint32_t length) {
  std::uint32_t taken = 0;
  while (taken < length) {
    const DecodedSymbol symbol =
        tables.DecodeSymbol(0, bits << taken, position);
    REQUIRE(symbol.valid);
    REQUIRE(position < kBlockSize);
    position = symbol.next;
    taken += symbol.length;
  }
  REQUIRE(taken == length);
  return position;
}

// By the comment on SkipStep.
void CheckStep(const EntropyTables& tables, const SkipStep& step,
               std::uint64_t bits, std::uint32_t position) {
  CAPTURE(bits, position);
  const std::uint32_t next = position + step.advance;
  const bool ends = (step.advance & 64) != 0;
  if (next < kBlockSize) {
    REQUIRE(PositionAfter(tables, bits, position, step.length) == next);
  } else if (next == kBlockSize || (ends && next < 2 * kBlockSize)) {
    REQUIRE(PositionAfter(tables, bits, position, step.length) == kBlockSize);
  }
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
    for (std::uint64_t i = 0; i < 1u << kSkipBits; ++i) {
      const SkipStep& step = table->steps()[i];
      REQUIRE(step.length <= kMaxSkip);
      REQUIRE((step.length > 0 || step.advance >= 128));
      if (step.length > 12) ++several;
      const std::uint64_t bits =
          i << (64 - kSkipBits) |
          (std::uint64_t{random()} << 32 | random()) >> kSkipBits;
      for (const std::uint32_t position : {1u, 2u, 40u, 50u, 62u, 63u}) {
        CheckStep(tables, step, bits, position);
      }
    }
  }
  CHECK(several > 100);
}

}  // namespace shardine

#include "jpeg/probe_filler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <random>

#include "support/simd_levels.h"
#include "unit/jpeg/huffman_codes.h"

namespace shardine::probe_filler_test {
namespace {

// The code at the beginning of each probe: length << 8 | symbol.
ProbeCodes CodesOf(const HuffmanSpec& spec) {
  ProbeCodes codes{};
  std::size_t at = 0;
  std::size_t number = 0;
  for (std::size_t length = 1; length <= kProbeBits; ++length) {
    for (std::size_t i = 0; i < spec.counts[length]; ++i, ++number) {
      for (std::size_t end = at + (kProbes >> length); at < end; ++at) {
        codes[at] =
            static_cast<std::uint16_t>(length << 8 | spec.symbols[number]);
      }
    }
  }
  return codes;
}

// Codes in any order, of any symbols, some of them none at all.
void FillAnyCodes(std::mt19937& random, std::size_t length,
                  std::uint32_t symbols, ProbeCodes& codes, std::size_t at) {
  const bool splits = length < 3 || random() % 3 != 0;
  if (length < kProbeBits && splits) {
    FillAnyCodes(random, length + 1, symbols, codes, at);
    FillAnyCodes(random, length + 1, symbols, codes,
                 at + (kProbes >> (length + 1)));
  } else if (random() % 8 != 0) {
    std::fill_n(codes.begin() + static_cast<std::ptrdiff_t>(at),
                kProbes >> length,
                static_cast<std::uint16_t>(length << 8 | random() % symbols));
  }
}

void CheckSame(const ProbeCodes& dc, const ProbeCodes& ac) {
  const auto expected = std::make_unique<ProbeTables>();
  FillProbes(SimdLevel::kPortable, dc, ac, *expected);
  for (const SimdLevel level : SimdLevels()) {
    INFO(ToString(level));
    const auto tables = std::make_unique<ProbeTables>();
    std::memset(static_cast<void*>(tables.get()), 0x5A, sizeof(ProbeTables));
    FillProbes(level, dc, ac, *tables);
    REQUIRE(std::memcmp(tables.get(), expected.get(), sizeof(ProbeTables)) ==
            0);
  }
}

}  // namespace

TEST_CASE("probes are filled the same at every level", "[jpeg]") {
  const auto dc = SpecsOfAllShapes(true);
  const auto ac = SpecsOfAllShapes(false);
  for (std::size_t i = 0; i < ac.size(); ++i) {
    CAPTURE(i);
    CheckSame(CodesOf(dc[i]), CodesOf(ac[i]));
  }
}

TEST_CASE("probes of any codes are filled the same at every level", "[jpeg]") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    ProbeCodes dc{};
    ProbeCodes ac{};
    FillAnyCodes(random, 0, 16, dc, 0);
    FillAnyCodes(random, 0, 256, ac, 0);
    CAPTURE(round);
    CheckSame(dc, ac);
  }
}

}  // namespace shardine::probe_filler_test

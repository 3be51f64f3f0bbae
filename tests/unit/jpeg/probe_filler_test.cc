#include "jpeg/probe_filler.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <random>

#include "support/simd_levels.h"
#include "unit/jpeg/huffman_codes.h"

namespace shardine {
namespace {

// What each probe begins with: length << 8 | symbol.
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
    ProbeCodes dc;
    ProbeCodes ac;
    for (std::size_t i = 0; i < kProbes; ++i) {
      dc[i] = static_cast<std::uint16_t>((random() % 12) << 8 | random() % 16);
      ac[i] = static_cast<std::uint16_t>((random() % 12) << 8 | random() % 256);
    }
    CAPTURE(round);
    CheckSame(dc, ac);
  }
}

}  // namespace shardine

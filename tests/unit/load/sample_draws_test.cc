#include "load/sample_draws.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/philox.h"

namespace shardine::sample_draws_test {
namespace {

TEST_CASE("SampleDraws are Philox words of id, epoch and draw keyed by seed",
          "[sample_draws]") {
  const std::uint64_t seed = 0x0123456789abcdef;
  const std::uint64_t id = 0xfedcba9876543210;
  const std::array<std::uint32_t, 4> words =
      Philox4x32({0x76543210, 0xfedcba98, 7, 3}, {0x89abcdef, 0x01234567});
  const Draw draw = SampleDraws(seed, id, 7)(3);
  for (std::size_t word = 0; word < 4; ++word) {
    CHECK(draw.Uniform(word) == words[word] / 4294967296.0);
    CHECK(draw.Below(word, 1000) == words[word] * std::uint64_t{1000} >> 32);
  }
}

TEST_CASE("SampleDraws keep their outputs for ever", "[sample_draws]") {
  CHECK(SampleDraws(0, 0, 0)(0).Below(0, 1'000'000) == 399046);
  CHECK(SampleDraws(42, 14'197'086, 89)(10).Below(3, 1'000'000) == 662699);
  CHECK(SampleDraws(~0ULL, ~0ULL, ~0ULL)(9).Below(2, 1'000'000) == 747151);
}

TEST_CASE("SampleDraws of a repetition have a key of its own",
          "[sample_draws]") {
  const std::uint64_t seed = 0x0123456789abcdef;
  std::set<double> values;
  for (std::uint64_t repetition = 0; repetition < 100; ++repetition) {
    std::byte number[8];
    StoreLe(repetition, number);
    const std::uint64_t key = repetition == 0 ? seed : Xxh3_64(number, seed);
    const double value = SampleDraws(seed, 7, 3, 2, repetition)(5).Uniform(1);
    CHECK(value == SampleDraws(key, 7, 3, 2)(5).Uniform(1));
    values.insert(value);
  }
  CHECK(values.size() == 100);
  CHECK(SampleDraws(42, 14'197'086, 89, 0, 1)(10).Below(3, 1'000'000) ==
        210040);
}

TEST_CASE("SampleDraws of other seeds, ids, epochs and draws are others",
          "[sample_draws]") {
  std::set<double> values;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint64_t id = 0; id < 8; ++id) {
      for (std::uint64_t epoch = 0; epoch < 8; ++epoch) {
        const SampleDraws low(seed, id, epoch);
        const SampleDraws high(seed << 32, id << 32, epoch);
        for (std::uint32_t draw = 0; draw < 4; ++draw) {
          values.insert(low(draw).Uniform(0));
          if (seed > 0 && id > 0) values.insert(high(draw).Uniform(1));
        }
      }
    }
  }
  // Among 3,616 numbers of 32 bits, two are equal once in 650 such sets.
  CHECK(values.size() == 8 * 8 * 8 * 4 + 7 * 7 * 8 * 4);
}

TEST_CASE("Draw stays in range at the ends of a word", "[sample_draws]") {
  const Draw draw({0, 0xffffffff, 0x80000000, 1});
  CHECK(draw.Uniform(0) == 0);
  CHECK(draw.Uniform(1) < 1);
  CHECK(draw.Uniform(2) == 0.5);
  CHECK(draw.Below(0, 65'500) == 0);
  CHECK(draw.Below(1, 65'500) == 65'499);
  CHECK(draw.Below(1, 1) == 0);
  CHECK(draw.Below(1, 0xffffffff) == 0xfffffffe);
}

}  // namespace
}  // namespace shardine::sample_draws_test

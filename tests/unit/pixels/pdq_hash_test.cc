// PDQ hashes against those of the reference implementation.

#include "pixels/pdq_hash.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "base/simd_level.h"
#include "support/draws.h"

namespace shardine::pdq_hash_test {
namespace {

using Gray = std::array<std::uint8_t, kPdqPixels>;

Gray Pattern(std::size_t k) {
  Gray gray;
  for (std::size_t y = 0; y < kPdqSide; ++y) {
    for (std::size_t x = 0; x < kPdqSide; ++x) {
      const std::size_t value = x * x * (k + 1) / 16 + y * y * (7 - k) / 32 +
                                x * y * k / 8 + x / 8 * y / (k + 3) * 17;
      gray[y * kPdqSide + x] =
          static_cast<std::uint8_t>(value % 256 / (k < 4 ? 1 : 16));
    }
  }
  return gray;
}

// The text as the reference writes it, the last bit first.
std::string Text(const PdqHash& hash) {
  std::string text;
  for (std::size_t i = hash.size(); i-- > 0;) {
    char word[17];
    std::snprintf(word, sizeof word, "%016llx",
                  static_cast<unsigned long long>(hash[i]));
    text += word;
  }
  return text;
}

PdqHash DrawnHash(Draws& draws) {
  PdqHash hash;
  for (std::uint64_t& word : hash) {
    word = std::uint64_t{draws.Below(1u << 31)} << 33 ^
           std::uint64_t{draws.Below(1u << 31)} << 16 ^ draws.Below(1u << 31);
  }
  return hash;
}

}  // namespace

// Recorded from pdqhash 0.2.8 of PyPI, which wraps the reference.
TEST_CASE("A PDQ hash and its quality are the reference's, bit for bit",
          "[pdq]") {
  struct Row {
    int quality;
    const char* hash;
  };
  const Row rows[] = {
      {100,
       "46cec8f0f991739e8f074e67bc7000fe"
       "85477f064f8680fea07e707cd520fe40"},
      {100,
       "6d23993e1b70730fc66c8e677c60c0e8"
       "03cf3f84cf0ce11ea07e4df85e78eb40"},
      {100,
       "b672908e26f966c2cc0e0cc17c9ff1f8"
       "019f5f8f7f00d03e44bec9f8f6a05d80"},
      {100,
       "4ccc6999cc3299c6981d31f17317f3fe"
       "87000f1fff38a03842fe7bf87bf03000"},
      {86,
       "b337a363398c338c363861c5e70ec61c"
       "87f02e077e7af878007d7ff8a7e0b600"},
      {95,
       "67cdc499638ee739ce3cc2878e3c8e3c"
       "0de13c23f87ef8f880700ff8ffe04800"},
  };
  for (std::size_t k = 0; k < std::size(rows); ++k) {
    CHECK(Text(PdqHashOf(Pattern(k))) == rows[k].hash);
    CHECK(PdqQualityOf(Pattern(k)) == rows[k].quality);
  }
}

TEST_CASE("A hash is turned as the image is, but for few bits", "[pdq]") {
  for (std::size_t k = 0; k < 6; ++k) {
    const Gray gray = Pattern(k);
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      Gray turned;
      TurnImage(gray, turn, turned);
      const PdqHash exact = PdqHashOf(turned);
      const PdqHash quick = Turned(PdqHashOf(gray), turn);
      CHECK(Distance(exact, quick) <= 24);
      if (turn == 0) CHECK(exact == quick);
    }
  }
}

TEST_CASE("A table finds the hashes that a comparison of each one finds",
          "[pdq]") {
  Draws draws(3);
  std::vector<PdqHash> hashes;
  for (int i = 0; i < 2503; ++i) hashes.push_back(DrawnHash(draws));
  const HashTable table(hashes);
  for (const std::uint32_t most : {0U, 100U, 118U, 256U}) {
    const std::size_t first = draws.Below(100);
    const std::size_t end = 2000 + draws.Below(504);
    const PdqHash& wanted = hashes[draws.Below(2503)];
    std::vector<std::size_t> expected;
    for (std::size_t i = first; i < end; ++i) {
      if (Distance(wanted, hashes[i]) <= most) expected.push_back(i);
    }
    std::vector<std::size_t> found;
    table.Search(wanted, first, end, most,
                 [&](std::size_t i) { found.push_back(i); });
    CHECK(found == expected);
  }
}

}  // namespace shardine::pdq_hash_test

#include "im2rec/mersenne_twister.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

namespace shardine::mersenne_twister_test {
namespace {

std::vector<std::uint32_t> Draw(MersenneTwister& twister, std::size_t count) {
  std::vector<std::uint32_t> drawn(count);
  for (std::uint32_t& word : drawn) word = twister.Next();
  return drawn;
}

TEST_CASE("MersenneTwister gives the authors' published sequence", "[im2rec]") {
  // mt19937ar.out: init_by_array({0x123, 0x234, 0x345, 0x456}).
  const std::vector<std::uint32_t> key = {0x123, 0x234, 0x345, 0x456};
  MersenneTwister twister(key);
  const std::vector<std::uint32_t> drawn = Draw(twister, 2000);
  CHECK(std::vector(drawn.begin(), drawn.begin() + 5) ==
        std::vector<std::uint32_t>{1067595299, 955945823, 477289528, 4107218783,
                                   4228976476});
  CHECK(drawn[999] == 3460025646);
  CHECK(drawn[1999] == 3099126062);
}

TEST_CASE("MersenneTwister gives Python's words for seed 100", "[im2rec]") {
  const std::vector<std::uint32_t> key = {100};
  MersenneTwister twister(key);
  const std::vector<std::uint32_t> drawn = Draw(twister, 2000);
  CHECK(std::vector(drawn.begin(), drawn.begin() + 4) ==
        std::vector<std::uint32_t>{625644691, 1973661107, 1953896601,
                                   4087596401});
  CHECK(drawn[1999] == 3321196663);
}

TEST_CASE("MersenneTwister takes a key longer than its state", "[im2rec]") {
  // random.seed(sum((i + 1) << (32 * i) for i in range(700)))
  std::vector<std::uint32_t> key(700);
  std::iota(key.begin(), key.end(), 1U);
  MersenneTwister twister(key);
  CHECK(Draw(twister, 3) ==
        std::vector<std::uint32_t>{1434167400, 83764642, 1980819017});
}

}  // namespace
}  // namespace shardine::mersenne_twister_test

#include "load/cycled_sampling.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "unit/load/sampled_epochs.h"

namespace shardine::cycled_sampling_test {
namespace {

constexpr OrderOptions kOrders[] = {{SampleOrder::kShuffle, 1024, 16},
                                    {SampleOrder::kSequential, 4, 16},
                                    {SampleOrder::kBlocks, 4, 2}};

TEST_CASE("Each sample once is the order of the epoch", "[cycled_sampling]") {
  for (const OrderOptions& order : kOrders) {
    const CycledSampling sampling(23, 1, 23, order, 5);
    CHECK(sampling.name().empty());
    CHECK(!sampling.dealing().in_turn);
    for (const std::uint64_t epoch :
         {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 63,
          ~std::uint64_t{0}}) {
      const EpochOrder expected(23, order, 5, epoch);
      const auto places = PlacesOf(sampling, epoch);
      for (std::uint64_t i = 0; i < 23; ++i) {
        CHECK(places[i] == SampledPlace{expected(i), 0});
      }
    }
  }
}

TEST_CASE("Copies of a sample are neighbours, each with its own number",
          "[cycled_sampling]") {
  for (const OrderOptions& order : kOrders) {
    const CycledSampling sampling(11, 3, 33, order, 5);
    const auto places = PlacesOf(sampling, 2);
    const EpochOrder expected(11, order, 5, 2);
    for (std::uint64_t i = 0; i < 33; ++i) {
      CHECK(places[i] == SampledPlace{expected(i / 3), i % 3});
    }
    CHECK(sampling.dealing().in_turn);
  }
}

// DeiT's epochs are such: three copies of a third of the samples.
TEST_CASE("Epochs of another size are cut from the cycles, without a seam",
          "[cycled_sampling][property]") {
  for (const OrderOptions& order : kOrders) {
    for (const std::uint32_t times : {1U, 2U, 3U}) {
      for (const std::uint64_t size : {1U, 4U, 10U, 11U, 30U, 47U}) {
        const CycledSampling sampling(11, times, size, order, 9);
        std::vector<std::uint64_t> stream;
        for (std::uint64_t epoch = 0; stream.size() < 11 * times * 4; ++epoch) {
          const auto places = PlacesOf(sampling, epoch);
          REQUIRE(RepetitionsDiffer(places));
          const auto numbers = NumbersOf(places);
          stream.insert(stream.end(), numbers.begin(), numbers.end());
        }
        for (std::uint64_t i = 0; i < 11 * times * 4; ++i) {
          const std::uint64_t cycle = i / (11 * times);
          REQUIRE(stream[i] ==
                  EpochOrder(11, order, 9, cycle)(i % (11 * times) / times));
        }
      }
    }
  }
}

TEST_CASE("Stretches of copies are those of their samples",
          "[cycled_sampling][property]") {
  for (const OrderOptions& order : {kOrders[1], kOrders[2]}) {
    for (const std::uint32_t times : {1U, 3U}) {
      for (const std::uint64_t size : {23U, 69U, 40U}) {
        const CycledSampling sampling(23, times, size, order, 9);
        for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
          const auto places = PlacesOf(sampling, epoch);
          std::uint64_t stretches = 0;
          for (std::uint64_t at = 0; at < size; ++stretches) {
            const auto stretch = sampling.StretchAt({epoch, at});
            REQUIRE(stretch.end > at);
            REQUIRE(stretch.end <= size);
            for (; at < stretch.end; ++at) {
              const std::uint64_t number = places[at].number;
              REQUIRE(std::ranges::any_of(
                  stretch.blocks, [&](const EpochOrder::Block& block) {
                    return number >= block.first &&
                           number - block.first < block.samples;
                  }));
            }
          }
          REQUIRE((stretches > 1 || size < 23 * times));
        }
      }
    }
  }
}

}  // namespace
}  // namespace shardine::cycled_sampling_test

#include "load/sample_choice.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "load/epoch_order.h"
#include "unit/load/loader_fixture.h"

namespace shardine::sample_choice_test {
namespace {

using Positions = std::vector<std::uint64_t>;

LoaderOptions Options(Positions positions) {
  LoaderOptions options;
  options.batch_size = 4;
  options.last_batch = LastBatch::kShort;
  options.seed = 5;
  options.transform = RandomResizedCrop{.width = 24, .height = 20};
  options.positions = std::make_shared<const Positions>(std::move(positions));
  return options;
}

// Ids of all samples, by their positions as stored.
std::vector<std::uint64_t> Ids(const LoaderFixture& fixture) {
  LoaderOptions options = Options({});
  options.positions = nullptr;
  options.order.order = SampleOrder::kSequential;
  return Drain(*fixture.Load(options)).ids;
}

TEST_CASE("Of a choice each order is that of as many samples",
          "[sample_choice][loader]") {
  const LoaderFixture fixture(31);
  const std::vector<std::uint64_t> ids = Ids(fixture);
  const Positions chosen = {30, 2, 17, 4, 5, 6, 29, 0, 11, 12, 13};
  for (const SampleOrder kind : {SampleOrder::kSequential,
                                 SampleOrder::kShuffle, SampleOrder::kBlocks}) {
    LoaderOptions options = Options(chosen);
    options.order = {.order = kind, .block = 3, .window = 2};
    const auto loader = fixture.Load(options);
    CHECK(loader->size() == 3);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      const EpochOrder order(chosen.size(), options.order, 5, epoch);
      std::vector<std::uint64_t> expected;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        expected.push_back(ids[chosen[order(i)]]);
      }
      CHECK(Drain(*loader).ids == expected);
    }
  }
}

TEST_CASE("A sample of a choice has the pixels that it has among all",
          "[sample_choice][loader]") {
  const LoaderFixture fixture(20);
  LoaderOptions options = Options({19, 3, 8});
  options.order.order = SampleOrder::kSequential;
  const Delivered chosen = Drain(*fixture.Load(options));
  options.positions = nullptr;
  const Delivered all = Drain(*fixture.Load(options));
  const std::size_t bytes = all.pixels.size() / 20;
  const std::string expected = all.pixels.substr(19 * bytes, bytes) +
                               all.pixels.substr(3 * bytes, bytes) +
                               all.pixels.substr(8 * bytes, bytes);
  CHECK((chosen.pixels == expected));
}

TEST_CASE("A choice goes on exactly, whatever the world",
          "[sample_choice][loader][property]") {
  const LoaderFixture fixture(31);
  const Positions chosen = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 30, 0};
  for (const SampleOrder kind : {SampleOrder::kShuffle, SampleOrder::kBlocks}) {
    LoaderOptions options = Options(chosen);
    options.order = {.order = kind, .block = 2, .window = 3};
    const Delivered whole = Drain(*fixture.Load(options));
    for (std::uint64_t steps = 1; steps < 4; ++steps) {
      options = Options(chosen);
      options.order = {.order = kind, .block = 2, .window = 3};
      const auto first = fixture.Load(options);
      std::vector<std::uint64_t> ids = Drain(*first, steps).ids;
      options.world = 2;
      options.batch_size = 3;
      for (options.rank = 0; options.rank < 2; ++options.rank) {
        const auto rest = fixture.Load(options);
        REQUIRE(rest->SetState(first->State()).ok());
        const Delivered delivered = Drain(*rest);
        ids.insert(ids.end(), delivered.ids.begin(), delivered.ids.end());
      }
      std::vector<std::uint64_t> expected = whole.ids;
      std::ranges::sort(expected);
      std::ranges::sort(ids);
      CHECK(ids == expected);
    }
  }
}

TEST_CASE("By ratio a choice has its own batches", "[sample_choice][loader]") {
  const LoaderFixture fixture(31);
  Positions chosen = {30, 2, 17, 4, 5, 6, 29, 0, 11};
  LoaderOptions options = Options(chosen);
  options.transform = CenterCrop{32, 32, 36};
  options.order.order = SampleOrder::kRatio;
  std::vector<std::uint64_t> ids = Drain(*fixture.Load(options)).ids;
  std::vector<std::uint64_t> expected;
  const std::vector<std::uint64_t> all = Ids(fixture);
  for (const std::uint64_t position : chosen) expected.push_back(all[position]);
  std::ranges::sort(ids);
  std::ranges::sort(expected);
  CHECK(ids == expected);
}

TEST_CASE("A state of another choice is refused", "[sample_choice][loader]") {
  const LoaderFixture fixture(10);
  const auto of = [&](Positions positions) {
    return fixture.Load(Options(std::move(positions)));
  };
  const LoaderState state = of({1, 2, 3, 4})->State();
  CHECK(of({1, 2, 3, 4})->SetState(state).ok());
  for (const Positions& other : {Positions{1, 2, 3, 5}, Positions{4, 3, 2, 1},
                                 Positions{1, 2, 3, 4, 5}}) {
    const Status status = of(other)->SetState(state);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("another choice of its samples") !=
          std::string::npos);
  }
  LoaderOptions all = Options({});
  all.positions = nullptr;
  CHECK(!fixture.Load(all)->SetState(state).ok());
  // Beyond the epoch of the choice, though not of the dataset.
  LoaderState beyond = state;
  beyond.position = 5;
  CHECK(of({1, 2, 3, 4})->SetState(beyond).message().find("damaged") !=
        std::string::npos);
}

TEST_CASE("Choices that make no sense are refused", "[sample_choice]") {
  const auto fault = [](Positions positions) {
    return std::string(
        SampleChoice::Check(
            std::make_shared<const Positions>(std::move(positions)), 10)
            .message());
  };
  CHECK(fault({0, 9}).empty());
  CHECK(fault({}) == "positions: no sample is chosen");
  CHECK(fault({3, 10}) ==
        "positions: 10 is none of the 10 samples' (0 is the first)");
  CHECK(fault({3, 4, 3}) == "positions: 3 comes twice");
  CHECK(SampleChoice::Check(nullptr, 0).ok());
}

}  // namespace
}  // namespace shardine::sample_choice_test

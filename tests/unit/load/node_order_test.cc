#include "load/node_order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "load/epoch_order.h"
#include "load/step_plan.h"
#include "unit/load/loader_fixture.h"
#include "unit/load/memory_dataset.h"

namespace shardine::node_order_test {
namespace {

using Positions = std::vector<std::uint64_t>;

// The positions in the dataset of an epoch in which each part is as stored.
Positions All(std::uint64_t samples, std::uint32_t nodes, std::uint64_t taken) {
  NodeOrder order(samples, {.order = SampleOrder::kSequential}, {nodes, taken},
                  1, 2);
  Positions all;
  for (std::uint64_t i = 0; i < samples; ++i) all.push_back(order(i));
  return all;
}

TEST_CASE("NodeOrder is a bijection for any nodes and steps",
          "[node_order][property][one_thread]") {
  for (std::uint64_t samples = 0; samples < 60; ++samples) {
    for (std::uint32_t nodes = 1; nodes < 9; ++nodes) {
      for (const std::uint64_t taken : {1, 2, 3, 7, 70}) {
        Positions all = All(samples, nodes, taken);
        std::ranges::sort(all);
        for (std::uint64_t i = 0; i < samples; ++i) REQUIRE(all[i] == i);
        NodeOrder mixed(samples, {SampleOrder::kBlocks, 4, 2}, {nodes, taken},
                        samples, taken);
        for (std::uint64_t i = 0; i < samples; ++i) all[i] = mixed(i);
        std::ranges::sort(all);
        for (std::uint64_t i = 0; i < samples; ++i) REQUIRE(all[i] == i);
      }
    }
  }
}

TEST_CASE("NodeOrder keeps its outputs for ever", "[node_order]") {
  CHECK(All(5, 1, 2) == Positions{0, 1, 2, 3, 4});
  CHECK(All(11, 2, 2) == Positions{0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10});
  CHECK(All(8, 3, 2) == Positions{0, 1, 3, 4, 6, 7, 2, 5});
  CHECK(All(4, 8, 3) == Positions{0, 1, 2, 3});
  NodeOrder mixed(12, {SampleOrder::kBlocks, 2, 2}, {2, 3}, 5, 6);
  Positions all;
  for (std::uint64_t i = 0; i < 12; ++i) all.push_back(mixed(i));
  CHECK(all == Positions{5, 2, 4, 7, 6, 9, 3, 0, 1, 8, 11, 10});
}

TEST_CASE("Of one node the order is EpochOrder's", "[node_order]") {
  for (const SampleOrder kind : {SampleOrder::kShuffle, SampleOrder::kBlocks,
                                 SampleOrder::kSequential}) {
    const OrderOptions options{kind, 7, 3};
    const EpochOrder plain(100, options, 8, 9);
    NodeOrder order(100, options, {}, 8, 9);
    for (std::uint64_t i = 0; i < 100; ++i) REQUIRE(order(i) == plain(i));
  }
}

TEST_CASE("What is read together ends with as much of each node's part",
          "[node_order]") {
  NodeOrder order(100, {SampleOrder::kBlocks, 5, 2}, {2, 4}, 1, 2);
  CHECK(order.EndOfStretch(0) == 20);
  // Two of the step before it are of the stretch's ten.
  CHECK(order.EndOfStretch(16) == 20);
  CHECK(order.EndOfStretch(96) == 100);
}

TEST_CASE("Ten thousand ranks take each sample once",
          "[node_order][one_thread]") {
  constexpr std::uint64_t kSamples = 1'000'003;
  for (const std::uint32_t nodes : {1, 1250}) {
    std::vector<bool> taken(kSamples);
    const NodeSharing sharing{nodes, 10'000 / nodes * 8};
    NodeOrder order(kSamples, {SampleOrder::kBlocks, 64, 4}, sharing, 1, 2);
    std::uint64_t twice = 0;
    for (std::uint32_t rank = 0; rank < 10'000; ++rank) {
      const StepPlan steps(kSamples, 8, rank, 10'000, LastBatch::kShort);
      StreamPosition at = steps.Begin(0);
      for (; steps.StepsLeft(at) > 0; at = steps.Behind(at)) {
        const RankSlice slice = steps.Slice(at);
        for (std::uint32_t i = 0; i < slice.count; ++i) {
          auto&& seen = taken[order(steps.At(slice, i).position)];
          twice += seen;
          seen = true;
        }
      }
    }
    CHECK(twice == 0);
    CHECK(std::ranges::count(taken, true) == kSamples);
  }
}

LoaderOptions Options(std::uint32_t nodes, std::uint32_t world,
                      std::uint32_t batch_size) {
  LoaderOptions options;
  options.batch_size = batch_size;
  options.world = world;
  options.order = {
      .order = SampleOrder::kBlocks, .block = 5, .window = 2, .nodes = nodes};
  options.last_batch = LastBatch::kShort;
  options.seed = 3;
  return options;
}

// The samples of each rank in an epoch.
std::vector<Positions> Ranks(MemoryDataset& dataset, LoaderOptions options,
                             std::uint64_t epoch = 0) {
  std::vector<Positions> ids;
  for (options.rank = 0; options.rank < options.world; ++options.rank) {
    auto loader = Loader::Create(dataset.Open(), options);
    REQUIRE(loader.status().ToString() == "OK");
    (*loader)->SetEpoch(epoch);
    ids.push_back(Drain(**loader).ids);
  }
  return ids;
}

TEST_CASE("Machines read parts of their own, in each epoch the same",
          "[node_order][loader]") {
  MemoryDataset dataset(242, 5);
  const LoaderOptions options = Options(3, 6, 4);
  LoaderOptions as_stored = Options(1, 1, 4);
  as_stored.order.order = SampleOrder::kSequential;
  const Positions stored = Ranks(dataset, as_stored).front();
  std::set<std::vector<Positions>> epochs;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    const std::vector<Positions> ranks = Ranks(dataset, options, epoch);
    epochs.insert(ranks);
    std::vector<std::set<std::uint64_t>> nodes(3);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      // Steps of 24 are full until 240; the rest goes to anybody.
      nodes[rank / 2].insert(ranks[rank].begin(), ranks[rank].begin() + 40);
    }
    // 81, 81 and 80 samples.
    for (std::size_t node = 0; node < 3; ++node) {
      CHECK(nodes[node].size() == 80);
      const std::set<std::uint64_t> part(
          stored.begin() + 81 * static_cast<std::ptrdiff_t>(node),
          stored.begin() +
              std::min<std::ptrdiff_t>(
                  81 * static_cast<std::ptrdiff_t>(node + 1), 242));
      CHECK(std::ranges::includes(part, nodes[node]));
    }
  }
  CHECK(epochs.size() == 3);
}

TEST_CASE("An epoch that machines share goes on exactly in any other world",
          "[node_order][loader][property]") {
  MemoryDataset dataset(97, 4);
  const LoaderOptions begun = Options(2, 4, 3);
  std::vector<Positions> whole = Ranks(dataset, begun);
  for (std::uint64_t steps = 1; steps < 9; ++steps) {
    Positions seen;
    LoaderState state;
    LoaderOptions options = begun;
    for (options.rank = 0; options.rank < 4; ++options.rank) {
      auto loader = Loader::Create(dataset.Open(), options);
      const Positions ids = Drain(**loader, steps).ids;
      seen.insert(seen.end(), ids.begin(), ids.end());
      state = (*loader)->State();
    }
    CHECK(state.nodes == 2);
    CHECK(state.node_samples == 6);
    for (const LoaderOptions& other :
         {Options(1, 1, 10), Options(3, 3, 2), Options(2, 4, 3)}) {
      Positions ids = seen;
      options = other;
      for (options.rank = 0; options.rank < other.world; ++options.rank) {
        auto loader = Loader::Create(dataset.Open(), options);
        // A pipeline that is at work elsewhere is left for it.
        REQUIRE((*loader)->Next().ok());
        REQUIRE((*loader)->SetState(state).ok());
        const Delivered rest = Drain(**loader);
        ids.insert(ids.end(), rest.ids.begin(), rest.ids.end());
        // The next epoch is this loader's own.
        CHECK(Drain(**loader).ids == Ranks(dataset, other, 1)[options.rank]);
      }
      std::ranges::sort(ids);
      for (std::uint64_t i = 0; i < 97; ++i) REQUIRE(ids.at(i) == i);
      CHECK(ids.size() == 97);
    }
  }
}

TEST_CASE("Of two states of one place each has its own rest of the epoch",
          "[node_order][loader]") {
  MemoryDataset dataset(60, 3);
  auto loader = Loader::Create(dataset.Open(), Options(1, 1, 12));
  const LoaderState plain{(*loader)->State().order_digest, 3, 0, 12};
  LoaderState shared = plain;
  shared.nodes = 2;
  shared.node_samples = 6;
  REQUIRE((*loader)->SetState(plain).ok());
  const Positions first = Drain(**loader).ids;
  REQUIRE((*loader)->SetState(plain).ok());
  REQUIRE((*loader)->SetState(shared).ok());  // the same place
  const Positions second = Drain(**loader).ids;
  CHECK(first != second);
  (*loader)->SetEpoch(0);
  CHECK(Drain(**loader).ids.size() == 60);
  CHECK((*loader)->State().nodes == 1);
}

TEST_CASE("Nodes that there cannot be are refused", "[node_order][loader]") {
  MemoryDataset dataset(60, 3);
  const auto fault = [&](const LoaderOptions& options) {
    return std::string(
        Loader::Create(dataset.Open(), options).status().message());
  };
  CHECK(fault(Options(3, 4, 2)).find("nodes: 3; the world of 4 ranks") !=
        std::string::npos);
  CHECK(fault(Options(0, 4, 2)).find("nodes: 0") != std::string::npos);
  LoaderOptions options = Options(2, 4, 2);
  options.last_batch = LastBatch::kRoll;
  CHECK(fault(options).find("roll") != std::string::npos);
  options = Options(2, 4, 2);
  options.sampling = RepeatedSampling{.times = 2};
  CHECK(fault(options).find("each sample once") != std::string::npos);
  options = Options(2, 4, 2);
  options.order.order = SampleOrder::kShuffle;
  CHECK(fault(options).find("\"blocks\"") != std::string::npos);

  auto loader = Loader::Create(dataset.Open(), Options(1, 1, 2));
  LoaderState state = (*loader)->State();
  state.position = 4;
  const auto refuses = [&](std::uint32_t nodes, std::uint64_t samples) {
    state.nodes = nodes;
    state.node_samples = samples;
    return (*loader)->SetState(state).message().find("damaged") !=
           std::string::npos;
  };
  CHECK(refuses(0, 0));
  CHECK(refuses(0, 5));
  CHECK(refuses(1, 5));
  CHECK(refuses(2, 0));
  CHECK(refuses(2, std::uint64_t{1} << 61));
  CHECK(!refuses(2, 3));
}

}  // namespace
}  // namespace shardine::node_order_test

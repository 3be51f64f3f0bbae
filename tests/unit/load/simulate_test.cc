#include "shardine/simulate.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>

#include "unit/load/memory_dataset.h"

namespace shardine::simulate_test {
namespace {

constexpr std::uint64_t kSamples = 240;
constexpr std::uint64_t kShards = 6;

SimulateOptions Options() {
  SimulateOptions options;
  options.dataset = "out";
  options.batch_size = 4;
  options.order = {.order = SampleOrder::kBlocks, .block = 8, .window = 2};
  return options;
}

SimulateOptions Shuffled() {
  SimulateOptions options = Options();
  options.order.order = SampleOrder::kShuffle;
  return options;
}

SimulateResult Run(MemoryDataset& dataset, const SimulateOptions& options) {
  const auto result = Simulate(options, {.storage = &dataset.storage()});
  REQUIRE(result.status().ToString() == "OK");
  return *result;
}

// Bytes of samples that are all of one size in their shard.
bool IsNearly(std::uint64_t bytes, std::uint64_t expected) {
  return bytes <= expected && bytes + kSamples >= expected;
}

TEST_CASE("A shuffled epoch asks for each sample, and first for companions",
          "[simulate]") {
  MemoryDataset dataset(kSamples, kShards);
  const SimulateResult result = Run(dataset, Shuffled());
  CHECK(result.shards == kShards);
  REQUIRE(result.epochs.size() == 2);
  CHECK(result.epochs[0].steps == kSamples / 4);
  CHECK(result.epochs[0].samples == kSamples);
  CHECK(result.epochs[0].requests == kSamples + 2 * kShards);
  CHECK(result.epochs[1].requests == kSamples);
  CHECK(IsNearly(result.epochs[1].bytes, result.shard_bytes));
  CHECK(result.epochs[0].bytes > result.epochs[1].bytes);
  CHECK(result.epochs[1].bound == "nothing");
  CHECK(result.epochs[1].seconds == 0);
}

TEST_CASE("In blocks a window's samples come in a request a block, at most",
          "[simulate]") {
  MemoryDataset dataset(kSamples, kShards);
  const SimulateResult result = Run(dataset, Options());
  // Blocks are of one shard each: 40 samples are five of them.
  CHECK(result.epochs[1].requests <= kSamples / 8);
  CHECK(result.epochs[1].requests >= kSamples / 16);
  CHECK(IsNearly(result.epochs[1].bytes, result.shard_bytes));
  SimulateOptions none = Options();
  none.fetch_bytes = 0;
  CHECK(Run(dataset, none).epochs[1].requests == kSamples);
  // A chunk that does not fit is read sample by sample.
  SimulateOptions little = Options();
  little.fetch_bytes = 3 * result.shard_bytes / kSamples * 2;
  const std::uint64_t requests = Run(dataset, little).epochs[1].requests;
  CHECK(requests > result.epochs[1].requests);
  CHECK(requests <= kSamples);
}

TEST_CASE("A cache that holds all has every sample in the second epoch",
          "[simulate]") {
  MemoryDataset dataset(kSamples, kShards);
  for (SimulateOptions options : {Options(), Shuffled()}) {
    options.cache = std::uint64_t{1} << 40;
    const SimulateResult result = Run(dataset, options);
    CHECK(result.epochs[0].cache_hits == 0);
    CHECK(result.epochs[1].cache_hits == kSamples);
    CHECK(result.epochs[1].requests == 0);
    CHECK(result.epochs[1].bytes == 0);
    CHECK(result.epochs[1].imbalance == 1);
    // One that holds a part, which comes round too late.
    options.cache = result.shard_bytes / 2;
    const SimulateResult half = Run(dataset, options);
    CHECK(half.epochs[1].cache_hits < kSamples);
    CHECK(half.epochs[1].bytes > 0);
  }
}

TEST_CASE("With parts of their own, caches of nodes are of use together",
          "[simulate]") {
  MemoryDataset dataset(kSamples, kShards);
  SimulateOptions options = Options();
  options.nodes = 2;
  options.ranks_per_node = 2;
  // Room for the half of all and the ends of blocks.
  const std::uint64_t bytes = Run(dataset, options).shard_bytes;
  options.cache = bytes * 6 / 10;
  const SimulatedEpoch mixed = Run(dataset, options).epochs[1];
  CHECK(mixed.cache_hits < kSamples * 3 / 4);
  options.order.nodes = 2;
  const SimulatedEpoch parts = Run(dataset, options).epochs[1];
  CHECK(parts.cache_hits == kSamples);
  CHECK(parts.bytes == 0);
}

TEST_CASE("What limits an epoch is the longest of four times", "[simulate]") {
  MemoryDataset dataset(kSamples, kShards);
  const auto last = [&](SimulateOptions options) {
    return Run(dataset, options).epochs[1];
  };
  SimulateOptions options = Shuffled();
  options.trainer = 100;
  CHECK(last(options).bound == "trainer");
  CHECK(last(options).seconds == Approx(2.4));
  options.decoding = 50;
  CHECK(last(options).bound == "decoding");
  CHECK(last(options).seconds == Approx(4.8));
  options.latency = 0.1;
  options.requests = 4;
  CHECK(last(options).bound == "latency");
  CHECK(last(options).seconds == Approx(kSamples * 0.1 / 4));
  options.link = 1000;
  CHECK(last(options).bound == "link");
  CHECK(last(options).seconds ==
        Approx(static_cast<double>(last(options).bytes) / 1000));
  // Two nodes have two links, and two processors.
  const double alone = last(options).seconds;
  options.nodes = 2;
  CHECK(last(options).seconds == Approx(alone / 2).epsilon(0.1));
  CHECK(last(options).imbalance == Approx(1).epsilon(0.1));
}

TEST_CASE("A step has samples of as many shards as its order mixes",
          "[simulate]") {
  MemoryDataset dataset(kSamples, kShards);
  SimulateOptions options = Shuffled();
  options.batch_size = 24;
  const SimulatedEpoch shuffled = Run(dataset, options).epochs[0];
  CHECK(shuffled.shards_a_step ==
        Approx(shuffled.shards_at_random).epsilon(0.05));
  options.order.order = SampleOrder::kSequential;
  CHECK(Run(dataset, options).epochs[0].shards_a_step < 2.1);
  options.order = {.order = SampleOrder::kBlocks, .block = 8, .window = 3};
  const SimulatedEpoch blocks = Run(dataset, options).epochs[0];
  CHECK(blocks.shards_a_step > 2);
  CHECK(blocks.shards_a_step <= 3.1);
}

TEST_CASE("Simulations of what cannot be are refused", "[simulate]") {
  MemoryDataset dataset(kSamples, kShards);
  const auto fault = [&](const SimulateOptions& options) {
    const auto result = Simulate(options, {.storage = &dataset.storage()});
    CHECK(result.status().code() == Code::kInvalidArgument);
    return std::string(result.status().message());
  };
  SimulateOptions options = Options();
  options.nodes = 0;
  CHECK(fault(options) == "nodes: 0");
  options = Options();
  options.requests = 0;
  CHECK(fault(options) == "requests: 0");
  options = Options();
  options.link = std::nan("");
  CHECK(fault(options).starts_with("link: "));
  options.link = -1;
  CHECK(fault(options).starts_with("link: "));
  options.link = std::numeric_limits<double>::infinity();
  CHECK(fault(options).starts_with("link: "));
  options = Options();
  options.nodes = 1 << 20;
  options.ranks_per_node = 1 << 20;
  CHECK(fault(options).find("2^32") != std::string::npos);
  options = Options();
  options.nodes = 61;
  CHECK(fault(options).find("244, there are 240") != std::string::npos);
  options = Options();
  options.split = "nowhere";
  CHECK(fault(options).find("no split \"nowhere\"") != std::string::npos);
  options = Options();
  options.order.order = SampleOrder::kRatio;
  CHECK(fault(options).starts_with("order: "));
  options = Shuffled();
  options.nodes = 2;
  options.order.nodes = 2;
  CHECK(fault(options).starts_with("order: "));
  options.order.nodes = 3;
  CHECK(fault(options).starts_with("order: "));
}

TEST_CASE("A simulation that is stopped says so", "[simulate]") {
  MemoryDataset dataset(kSamples, kShards);
  std::stop_source stop;
  stop.request_stop();
  const auto result = Simulate(
      Options(), {.stop = stop.get_token(), .storage = &dataset.storage()});
  CHECK(result.status().code() == Code::kCancelled);
}

}  // namespace
}  // namespace shardine::simulate_test

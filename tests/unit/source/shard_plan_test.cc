#include "source/shard_plan.h"

#include <catch2/catch.hpp>
#include <set>

#include "base/permutation.h"

namespace shardine::shard_plan_test {
namespace {

SourceSet MakeSource(std::uint64_t train, std::uint64_t val) {
  SourceSet source;
  source.roots = {"root"};
  source.splits = {"train", "val"};
  source.classes = {{"cat", 0, 0}, {"dog", 1, 0}};
  for (std::uint64_t i = 0; i < train + val; ++i) {
    const std::vector<Label> labels = {static_cast<std::int64_t>(i % 2)};
    const std::size_t index = source.samples.Add("key" + std::to_string(i), i,
                                                 labels, i < train ? 0 : 1);
    source.samples.SetFacts(index, {.size = 100 + i, .mtime_ns = 5});
  }
  return source;
}

ShardPlanOptions ThreeShards() {
  ShardPlanOptions options;
  options.shards = 3;
  options.suffix = ".rec";
  options.fingerprint = "test";
  return options;
}

ShardPlan PlanOf(SourceSet source, const ShardPlanOptions& options) {
  auto plan = ShardPlan::Make(std::move(source), options);
  REQUIRE(plan.status().ToString() == "OK");
  return *std::move(plan);
}

TEST_CASE("ShardPlan places every sample in exactly one shard", "[plan]") {
  for (const std::uint64_t n : {1u, 2u, 3u, 10u, 1000u}) {
    const ShardPlan plan = PlanOf(MakeSource(n, n / 2), ThreeShards());
    std::set<std::size_t> seen;
    for (const PlannedShard& shard : plan.shards()) {
      for (std::uint64_t i = 0; i < shard.count; ++i) {
        const std::size_t sample = plan.SampleAt(shard, i);
        CHECK(plan.source().samples.split(sample) == shard.split);
        CHECK(seen.insert(sample).second);
      }
    }
    CHECK(seen.size() == n + n / 2);
  }
}

TEST_CASE("ShardPlan gives shard k the positions k n / N to (k + 1) n / N",
          "[plan]") {
  const ShardPlan plan = PlanOf(MakeSource(10, 0), ThreeShards());
  REQUIRE(plan.shards().size() == 3);
  CHECK(plan.shards()[0].name == "train-00000-of-00003.rec");
  CHECK(plan.shards()[0].first == 0);
  CHECK(plan.shards()[1].first == 3);
  CHECK(plan.shards()[2].first == 6);
  CHECK(plan.shards()[2].count == 4);
}

TEST_CASE("ShardPlan without shuffle keeps the order of the source", "[plan]") {
  ShardPlanOptions options = ThreeShards();
  options.shuffle = false;
  const ShardPlan plan = PlanOf(MakeSource(9, 0), options);
  for (const PlannedShard& shard : plan.shards()) {
    for (std::uint64_t i = 0; i < shard.count; ++i) {
      CHECK(plan.SampleAt(shard, i) == shard.first + i);
    }
  }
}

TEST_CASE("ShardPlan order is pinned", "[plan]") {
  const ShardPlan plan = PlanOf(MakeSource(8, 0), ThreeShards());
  std::vector<std::size_t> order;
  for (const PlannedShard& shard : plan.shards()) {
    for (std::uint64_t i = 0; i < shard.count; ++i) {
      order.push_back(plan.SampleAt(shard, i));
    }
  }
  const Permutation expected(8, 0, "pack:train");
  for (std::size_t i = 0; i < 8; ++i) CHECK(order[i] == expected(i));
}

TEST_CASE("ShardPlan digest changes with whatever changes the bytes",
          "[plan]") {
  const Digest128 base = PlanOf(MakeSource(10, 4), ThreeShards()).digest();
  CHECK(PlanOf(MakeSource(10, 4), ThreeShards()).digest() == base);
  ShardPlanOptions options = ThreeShards();
  SECTION("seed") { options.seed = 1; }
  SECTION("shuffle") { options.shuffle = false; }
  SECTION("shards") { options.shards = 2; }
  SECTION("fingerprint") { options.fingerprint = "other"; }
  SECTION("suffix") { options.suffix = ".tar"; }
  CHECK(PlanOf(MakeSource(10, 4), options).digest() != base);
}

TEST_CASE("ShardPlan digest covers id, key, labels and size of each sample",
          "[plan]") {
  const Digest128 base = PlanOf(MakeSource(10, 0), ThreeShards()).digest();
  SourceSet source = MakeSource(10, 0);
  SECTION("id") { source.samples.SetId(3, 99); }
  SECTION("label") { source.samples.SetLabel(3, Label(7)); }
  SECTION("split") { source.samples.SetSplit(9, 1); }
  SECTION("size") { source.samples.SetFacts(3, {.size = 1, .mtime_ns = 5}); }
  SECTION("class name") { source.classes[0].name = "lion"; }
  SECTION("a bad file") { source.bad.push_back({"x.jpg", "not-a-file"}); }
  CHECK(PlanOf(std::move(source), ThreeShards()).digest() != base);
}

TEST_CASE("ShardPlan digest ignores roots and times", "[plan]") {
  const Digest128 base = PlanOf(MakeSource(10, 0), ThreeShards()).digest();
  SourceSet source = MakeSource(10, 0);
  source.roots = {"elsewhere"};
  source.samples.SetFacts(3, {.size = 103, .mtime_ns = 777});
  CHECK(PlanOf(std::move(source), ThreeShards()).digest() == base);
}

TEST_CASE("ShardPlan refuses more shards than can be numbered", "[plan]") {
  ShardPlanOptions options = ThreeShards();
  options.shards = 0;
  options.shard_bytes = 1;
  const auto refused = ShardPlan::Make(MakeSource(100'000, 0), options);
  CHECK(refused.status().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace shardine::shard_plan_test

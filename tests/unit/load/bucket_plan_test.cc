// BucketPlans of all ranks against a model that fills buckets one sample after
// another: for any buckets, ranks, batches and rests, from the beginning and
// resumed at any step by others.

#include "load/bucket_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "load/epoch_order.h"
#include "load/sample_draws.h"
#include "support/sanitized.h"

namespace shardine::bucket_plan_test {
namespace {

constexpr std::uint32_t kRounds = kSanitized ? 40 : 600;
constexpr LastBatch kPolicies[] = {LastBatch::kDrop, LastBatch::kShort,
                                   LastBatch::kPad, LastBatch::kRoll};

using Samples = std::vector<StreamPosition>;  // of an epoch, as numbers
using Counts = BucketPlan::Counts;

struct ModelStep {
  std::uint32_t bucket = 0;
  Samples samples;          // of all ranks, in their order
  std::uint64_t taken = 0;  // without padding
};

class Model {
 public:
  Model(LoaderOptions options, std::vector<std::uint8_t> bucket_of)
      : options_(std::move(options)), bucket_of_(std::move(bucket_of)) {}

  // Moves the counts to the beginning of the next epoch.
  std::vector<ModelStep> Epoch(std::uint64_t epoch, Counts& counts) {
    const std::uint64_t step =
        std::uint64_t{options_.world} * options_.batch_size;
    std::vector<ModelStep> steps;
    std::vector<Samples> pending(counts.size());
    Counts met(counts.size());
    const EpochOrder order(bucket_of_.size(), options_.order, options_.seed,
                           epoch);
    for (std::uint64_t i = 0; i < order.size(); ++i) {
      const std::uint64_t number = order(i);
      const std::uint8_t bucket = bucket_of_[number];
      if (met[bucket]++ < counts[bucket]) continue;
      pending[bucket].push_back({epoch, number});
      if (pending[bucket].size() < step) continue;
      steps.push_back({bucket, std::exchange(pending[bucket], {}), step});
    }
    for (std::uint32_t bucket = 0; bucket < counts.size(); ++bucket) {
      counts[bucket] -= std::min(counts[bucket], met[bucket]);
      Samples& rest = pending[bucket];
      if (rest.empty() || options_.last_batch == LastBatch::kDrop) continue;
      const std::uint64_t left = rest.size();
      const bool rolls = options_.last_batch == LastBatch::kRoll;
      if (options_.last_batch != LastBatch::kShort) {
        const Samples more = InBucket(bucket, rolls ? epoch + 1 : epoch);
        for (std::uint64_t i = 0; rest.size() < step; ++i) {
          rest.push_back(more[i % more.size()]);
        }
      }
      if (rolls) counts[bucket] = step - left;
      steps.push_back({bucket, rest, rolls ? step : left});
    }
    return steps;
  }

  Samples InBucket(std::uint32_t bucket, std::uint64_t epoch) const {
    Samples samples;
    const EpochOrder order(bucket_of_.size(), options_.order, options_.seed,
                           epoch);
    for (std::uint64_t i = 0; i < order.size(); ++i) {
      if (bucket_of_[order(i)] == bucket) samples.push_back({epoch, order(i)});
    }
    return samples;
  }

 private:
  const LoaderOptions options_;
  const std::vector<std::uint8_t> bucket_of_;
};

// The same options on each rank.
using Crew = std::vector<std::unique_ptr<BucketPlan>>;

Crew CrewOf(LoaderOptions options, const std::vector<std::uint8_t>& bucket_of) {
  Crew crew;
  for (options.rank = 0; options.rank < options.world; ++options.rank) {
    crew.push_back(std::make_unique<BucketPlan>(options, bucket_of));
  }
  return crew;
}

ModelStep StepOf(const Crew& crew, const StreamPosition& from) {
  ModelStep step;
  std::uint32_t least = UINT32_MAX;
  std::uint32_t most = 0;
  for (const auto& rank : crew) {
    const BucketPlan::Part part = rank->PartAt(from);
    if (rank != crew.front()) REQUIRE(part.bucket == step.bucket);
    step.bucket = part.bucket;
    Samples samples(part.slice.count);
    rank->SamplesOf(part, 0, samples);
    step.samples.insert(step.samples.end(), samples.begin(), samples.end());
    step.taken += samples.size() - part.slice.padding;
    least = std::min(least, part.slice.count);
    most = std::max(most, part.slice.count);
  }
  REQUIRE(most - least <= 1);
  return step;
}

// Walks `epochs` and compares each step; returns the counts before each.
std::vector<std::pair<StreamPosition, Counts>> Compare(const Crew& crew,
                                                       Model& model,
                                                       StreamPosition place,
                                                       Counts counts,
                                                       std::uint32_t epochs) {
  std::vector<std::pair<StreamPosition, Counts>> places;
  const BucketPlan& plan = *crew.front();
  for (std::uint64_t end = place.epoch + epochs; place.epoch < end;) {
    const auto steps = model.Epoch(place.epoch, counts);
    REQUIRE(plan.StepsLeft(place) == steps.size());
    if (!steps.empty()) {
      REQUIRE(plan.StepsLeft(plan.EndOf(place)) == 0);
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      REQUIRE(plan.StepsLeft(place) == steps.size() - i);
      places.emplace_back(place, plan.CountsAt(place));
      const ModelStep step = StepOf(crew, place);
      REQUIRE(step.bucket == steps[i].bucket);
      REQUIRE(step.samples == steps[i].samples);
      const StreamPosition behind = plan.Behind(place);
      REQUIRE(behind.position - place.position == steps[i].taken);
      if (plan.StepsLeft(behind) == 0) REQUIRE(behind == plan.EndOf(place));
      place = behind;
    }
    place = plan.Next(place);
    REQUIRE(plan.CountsAt(place) == counts);
  }
  return places;
}

struct Round {
  explicit Round(std::uint32_t number) : draws(11, number, 0) {
    options.seed = number;
    options.last_batch = kPolicies[number % 4];
    const std::uint32_t samples = Draw(120) + 1;
    const std::uint32_t buckets = Draw(5) + 1;
    for (std::uint32_t i = 1; i <= buckets; ++i) {
      options.buckets.push_back({1, i});
    }
    for (std::uint32_t i = 0; i < samples; ++i) {
      // Some buckets are rare, others empty.
      const std::uint32_t bucket = std::min(Draw(buckets), Draw(buckets));
      bucket_of.push_back(static_cast<std::uint8_t>(bucket));
    }
    const std::uint32_t order = Draw(3);
    if (order == 1) options.order.order = SampleOrder::kSequential;
    if (order == 2) {
      options.order = {SampleOrder::kBlocks, Draw(9) + 1, Draw(3) + 1};
    }
    Spread();
  }

  std::uint32_t Draw(std::uint32_t below) {
    return draws(next++).Below(0, below);
  }

  // Other ranks and batches.
  void Spread() {
    std::map<std::uint8_t, std::uint32_t> counts;
    for (const std::uint8_t bucket : bucket_of) ++counts[bucket];
    std::uint32_t least = 60;
    if (options.last_batch == LastBatch::kDrop ||
        options.last_batch == LastBatch::kRoll) {
      for (const auto& [bucket, count] : counts) {
        least = std::min(least, count);
      }
    }
    options.world = std::min(Draw(4) + 1, least);
    options.batch_size = Draw(least / options.world) + 1;
  }

  SampleDraws draws;
  std::uint32_t next = 0;
  LoaderOptions options;
  std::vector<std::uint8_t> bucket_of;
};

TEST_CASE("BucketPlan deals epochs out as a model fills buckets",
          "[bucket_plan]") {
  for (std::uint32_t number = 0; number < kRounds; ++number) {
    CAPTURE(number);
    Round round(number);
    const Crew crew = CrewOf(round.options, round.bucket_of);
    Model model(round.options, round.bucket_of);
    const Counts zero(round.options.buckets.size());
    const auto places = Compare(crew, model, {0, 0}, zero, 3);
    REQUIRE(
        crew.front()->StepsOf(0) ==
        static_cast<std::uint64_t>(std::ranges::count_if(
            places, [](const auto& place) { return place.first.epoch == 0; })));
    // Resumed at any step: by the same ranks the same steps, by others the
    // samples that are left.
    const auto& [place, counts] =
        places[round.Draw(static_cast<std::uint32_t>(places.size()))];
    for (const bool others : {false, true}) {
      if (others) round.Spread();
      Crew resumed = CrewOf(round.options, round.bucket_of);
      REQUIRE(resumed.front()->CheckCounts(counts).ok());
      StreamPosition begin;
      for (const auto& rank : resumed) {
        begin = rank->MoveTo(place.epoch, counts);
      }
      REQUIRE(resumed.front()->CountsAt(place) == counts);
      if (begin != place) continue;  // with kDrop the rest may be no step
      Model again(round.options, round.bucket_of);
      const auto rest = Compare(resumed, again, place, counts, 3);
      if (others) continue;
      const auto from = std::ranges::find(places, std::pair(place, counts));
      const std::size_t same = static_cast<std::size_t>(places.end() - from);
      REQUIRE(std::equal(from, places.end(), rest.begin(),
                         rest.begin() + static_cast<std::ptrdiff_t>(same)));
    }
  }
}

TEST_CASE("BucketPlan delivers each sample once an epoch, however resumed",
          "[bucket_plan]") {
  for (std::uint32_t number = 0; number < kRounds; ++number) {
    CAPTURE(number);
    Round round(number * 4 + 1);  // kShort
    Counts counts(round.options.buckets.size());
    std::vector<std::uint64_t> met;
    StreamPosition place;
    for (bool over = false; !over;) {
      round.Spread();
      const Crew crew = CrewOf(round.options, round.bucket_of);
      for (const auto& rank : crew) place = rank->MoveTo(0, counts);
      for (std::uint32_t step = round.Draw(4) + 1; step > 0 && !over; --step) {
        for (const StreamPosition& sample : StepOf(crew, place).samples) {
          met.push_back(sample.position);
        }
        place = crew.front()->Behind(place);
        over = crew.front()->StepsLeft(place) == 0;
      }
      counts = crew.front()->CountsAt(place);
    }
    std::ranges::sort(met);
    std::vector<std::uint64_t> all(round.bucket_of.size());
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    REQUIRE(met == all);
  }
}

TEST_CASE("BucketPlan finds the beginning of any epoch", "[bucket_plan]") {
  for (std::uint32_t number = 0; number < 100; ++number) {
    CAPTURE(number);
    Round round(number);
    const BucketPlan plan(round.options, round.bucket_of);
    BucketPlan moved(round.options, round.bucket_of);
    StreamPosition place = plan.Begin(0);
    for (std::uint64_t epoch = 0; epoch < 6; ++epoch) {
      REQUIRE(place == plan.Begin(epoch));
      REQUIRE(plan.StepsLeft(place) == plan.StepsOf(epoch));
      REQUIRE(plan.StepsOfEpochAt(place) == plan.StepsOf(epoch));
      REQUIRE(plan.CountsAt(place) == plan.CountsOfBegin(epoch));
      REQUIRE(moved.MoveTo(epoch, plan.CountsOfBegin(epoch)) == place);
      REQUIRE(moved.StepsLeft(place) == plan.StepsOf(epoch));
      place = plan.Next(plan.EndOf(place));
    }
  }
}

TEST_CASE("BucketPlan refuses counts that no place has", "[bucket_plan]") {
  LoaderOptions options;
  options.batch_size = 2;
  options.buckets = {{1, 1}, {1, 2}, {1, 3}};
  const BucketPlan plan(options, {0, 0, 1, 0});
  CHECK(plan.samples() == Counts{3, 1, 0});
  const auto fault = [&](const Counts& counts) {
    return plan.CheckCounts(counts).message();
  };
  CHECK(plan.CheckCounts({6, 2, 0}).ok());
  CHECK(fault({3, 1}) == "2 counts of 3 buckets");
  CHECK(fault({}) == "0 counts of 3 buckets");
  CHECK(fault({3, 3, 0}) == "3 samples of bucket 1, which has 1");
  CHECK(fault({3, 1, 1}) == "1 samples of bucket 2, which has 0");
  CHECK(fault({UINT64_MAX, 1, 0}) ==
        "18446744073709551615 samples of bucket 0, which has 3");
}

TEST_CASE("BucketPlan tells buckets apart by their digest", "[bucket_plan]") {
  LoaderOptions options;
  options.batch_size = 2;
  options.buckets = {{1, 1}, {1, 2}};
  const Digest128 digest = BucketPlan(options, {0, 1, 1}).digest();
  CHECK(BucketPlan(options, {0, 1, 1}).digest() == digest);
  CHECK(BucketPlan(options, {1, 1, 0}).digest() != digest);
  options.seed = 3;
  options.batch_size = 1;
  CHECK(BucketPlan(options, {0, 1, 1}).digest() == digest);
  options.buckets[1].height = 7;
  CHECK(BucketPlan(options, {0, 1, 1}).digest() != digest);
}

}  // namespace
}  // namespace shardine::bucket_plan_test

#include "load/step_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "load/sample_draws.h"

namespace shardine::step_plan_test {
namespace {

// How a job is spread: it may change at a resume.
struct Spread {
  std::uint32_t batch_size;
  std::uint32_t world;
};

struct Job {
  std::uint64_t samples;
  Spread spread;
  LastBatch last_batch;
};

std::vector<StepPlan> Ranks(const Job& job) {
  std::vector<StepPlan> plans;
  for (std::uint32_t rank = 0; rank < job.spread.world; ++rank) {
    plans.emplace_back(job.samples, job.spread.batch_size, rank,
                       job.spread.world, job.last_batch);
  }
  return plans;
}

struct Step {
  std::vector<StreamPosition> samples;  // of all ranks, padding left out
  std::uint64_t padding = 0;
};

// One step of all ranks, which must agree on the place behind it.
Step TakeStep(const std::vector<StepPlan>& ranks, const Job& job,
              StreamPosition& at) {
  Step step;
  std::uint32_t most = 0;
  std::uint32_t least = job.spread.batch_size;
  for (const StepPlan& rank : ranks) {
    REQUIRE(rank.StepsLeft(at) == ranks.front().StepsLeft(at));
    REQUIRE(rank.Behind(at) == ranks.front().Behind(at));
    const RankSlice slice = rank.Slice(at);
    REQUIRE(slice.padding <= slice.count);
    most = std::max(most, slice.count);
    least = std::min(least, slice.count);
    step.padding += slice.padding;
    for (std::uint32_t i = 0; i < slice.count; ++i) {
      const StreamPosition sample = rank.At(slice, i);
      REQUIRE(sample.position < job.samples);
      if (i < slice.count - slice.padding) step.samples.push_back(sample);
    }
  }
  REQUIRE(most <= job.spread.batch_size);
  REQUIRE(most - least <= 1);
  if (job.last_batch != LastBatch::kShort) {
    REQUIRE(least == job.spread.batch_size);
  }
  if (job.last_batch != LastBatch::kPad) REQUIRE(step.padding == 0);
  at = ranks.front().Behind(at);
  return step;
}

// Walks from `at` at most `steps` steps. StepsLeft must be right all along.
std::vector<StreamPosition> Walk(const Job& job, StreamPosition& at,
                                 std::uint64_t steps) {
  const std::vector<StepPlan> ranks = Ranks(job);
  std::vector<StreamPosition> samples;
  std::uint64_t left = ranks.front().StepsLeft(at);
  for (; left > 0 && steps > 0; --steps) {
    const Step step = TakeStep(ranks, job, at);
    samples.insert(samples.end(), step.samples.begin(), step.samples.end());
    --left;
    REQUIRE(ranks.front().StepsLeft(at) == left);
    // All but the last step are whole, so only that one is padded.
    if (left > 0) {
      REQUIRE(step.padding == 0);
      REQUIRE(step.samples.size() ==
              std::uint64_t{job.spread.batch_size} * job.spread.world);
    }
  }
  return samples;
}

constexpr std::uint64_t kToTheEnd = ~std::uint64_t{0};

// Neighbours of the stream, in order: nothing twice, nothing left out.
bool Continues(const std::vector<StreamPosition>& samples, StreamPosition next,
               std::uint64_t epoch_size) {
  for (const StreamPosition& sample : samples) {
    if (!(sample == next)) return false;
    if (++next.position == epoch_size) next = {next.epoch + 1, 0};
  }
  return true;
}

// Random choices of a test, the same in every run.
class Choice {
 public:
  explicit Choice(std::uint64_t number) : draws_(1234, number, 0) {}
  std::uint32_t Below(std::uint32_t count) {
    return draws_(next_++).Below(0, count);
  }

 private:
  SampleDraws draws_;
  std::uint32_t next_ = 0;
};

Spread RandomSpread(Choice& choice) {
  return {choice.Below(9) + 1, choice.Below(8) + 1};
}

// Walks an epoch from its beginning, handing over to another spread each few
// steps. Returns the samples of all, and the last spread.
std::vector<StreamPosition> WalkResumed(Job& job, StreamPosition& at,
                                        Choice& choice) {
  std::vector<StreamPosition> samples;
  for (int resumes = 0; resumes < 4; ++resumes) {
    const auto more = Walk(job, at, choice.Below(5));
    samples.insert(samples.end(), more.begin(), more.end());
    job.spread = RandomSpread(choice);
  }
  const auto rest = Walk(job, at, kToTheEnd);
  samples.insert(samples.end(), rest.begin(), rest.end());
  return samples;
}

void CheckEpoch(LastBatch last_batch, std::uint64_t number) {
  Choice choice(number);
  Job job{choice.Below(200), RandomSpread(choice), last_batch};
  const StreamPosition begin = Ranks(job).front().Begin(choice.Below(5));
  StreamPosition at = begin;
  const auto samples = WalkResumed(job, at, choice);
  INFO("case " << number << ": " << job.samples << " samples");
  REQUIRE(Continues(samples, begin, job.samples));
  const std::uint64_t step =
      std::uint64_t{job.spread.batch_size} * job.spread.world;
  REQUIRE(at.position == samples.size());
  if (last_batch == LastBatch::kDrop) {
    REQUIRE(job.samples - samples.size() < step);
  } else {
    REQUIRE(samples.size() == job.samples);
  }
}

TEST_CASE("StepPlan that drops delivers all but less than a step",
          "[step_plan][one_thread]") {
  for (std::uint64_t i = 0; i < 3000; ++i) CheckEpoch(LastBatch::kDrop, i);
}

TEST_CASE("StepPlan with short steps delivers each sample once",
          "[step_plan][one_thread]") {
  for (std::uint64_t i = 0; i < 3000; ++i) CheckEpoch(LastBatch::kShort, i);
}

TEST_CASE("StepPlan that pads delivers each sample once, beside the padding",
          "[step_plan][one_thread]") {
  for (std::uint64_t i = 0; i < 3000; ++i) CheckEpoch(LastBatch::kPad, i);
}

TEST_CASE("StepPlan that rolls delivers the stream of epochs without a gap",
          "[step_plan][one_thread]") {
  for (std::uint64_t number = 0; number < 3000; ++number) {
    Choice choice(number);
    Job job{choice.Below(60) + 1, RandomSpread(choice), LastBatch::kRoll};
    StreamPosition at;
    std::vector<StreamPosition> samples;
    std::uint64_t begun = 0;
    for (std::uint64_t epoch = 0; epoch < 6; ++epoch) {
      REQUIRE(at.epoch == epoch);
      const auto more = WalkResumed(job, at, choice);
      samples.insert(samples.end(), more.begin(), more.end());
      begun += job.samples;
      INFO("case " << number << ", epoch " << epoch);
      REQUIRE(samples.size() >= begun);
      at = Ranks(job).front().Next(at);
    }
    REQUIRE(Continues(samples, {0, 0}, job.samples));
  }
}

TEST_CASE("StepPlan resumed at each step of each spread goes on exactly",
          "[step_plan][one_thread]") {
  const LastBatch policies[] = {LastBatch::kDrop, LastBatch::kShort,
                                LastBatch::kPad, LastBatch::kRoll};
  for (const LastBatch policy : policies) {
    for (std::uint32_t world = 1; world <= 8; ++world) {
      const Job job{97, {3, world}, policy};
      StreamPosition at = Ranks(job).front().Begin(2);
      const auto undisturbed = [&] {
        StreamPosition from = at;
        return Walk(job, from, kToTheEnd);
      }();
      std::vector<StreamPosition> before;
      while (Ranks(job).front().StepsLeft(at) > 0) {
        StreamPosition same = at;
        auto rest = before;
        for (const StreamPosition& sample : Walk(job, same, kToTheEnd)) {
          rest.push_back(sample);
        }
        REQUIRE(rest == undisturbed);
        for (const Spread& other : {Spread{1, 1}, Spread{5, 3}, Spread{2, 8}}) {
          StreamPosition from = at;
          const Job resumed{97, other, policy};
          REQUIRE(Continues(Walk(resumed, from, kToTheEnd), at, 97));
        }
        for (const StreamPosition& sample : Walk(job, at, 1)) {
          before.push_back(sample);
        }
      }
      REQUIRE(before == undisturbed);
    }
  }
}

TEST_CASE("StepPlan that rolls finds the beginning of any epoch",
          "[step_plan][one_thread]") {
  for (const std::uint64_t samples : {1u, 2u, 5u, 10u, 16u, 24u, 97u}) {
    for (const std::uint32_t batch_size : {1u, 3u, 8u}) {
      const StepPlan plan(samples, batch_size, 0, 2, LastBatch::kRoll);
      StreamPosition at;
      for (std::uint64_t epoch = 0; epoch < 50; ++epoch) {
        INFO(samples << " samples, epoch " << epoch);
        REQUIRE(at == plan.Begin(epoch));
        while (plan.StepsLeft(at) > 0) at = plan.Behind(at);
        at = plan.Next(at);
      }
    }
  }
}

TEST_CASE("StepPlan that rolls skips epochs that steps run over",
          "[step_plan][one_thread]") {
  // Steps of 16 begin at 0, 16 and 32; epochs at 0, 10, 20, 30.
  const StepPlan plan(10, 16, 0, 1, LastBatch::kRoll);
  CHECK(plan.StepsLeft(plan.Begin(0)) == 1);
  CHECK(plan.StepsLeft(plan.Begin(1)) == 1);
  CHECK(plan.StepsLeft(plan.Begin(2)) == 0);
  CHECK(plan.StepsLeft(plan.Begin(3)) == 1);
  CHECK(plan.Begin(2) == StreamPosition{2, 12});
  const RankSlice slice = plan.Slice(plan.Begin(1));
  CHECK(plan.At(slice, 0) == StreamPosition{1, 6});
  CHECK(plan.At(slice, 4) == StreamPosition{2, 0});
  CHECK(plan.At(slice, 15) == StreamPosition{3, 1});
}

TEST_CASE("StepPlan pads with the epoch's beginning, however often",
          "[step_plan][one_thread]") {
  // Three samples for 2 ranks of 4: 0 1 2 0 | 1 2 0 1.
  const StepPlan first(3, 4, 0, 2, LastBatch::kPad);
  const StepPlan second(3, 4, 1, 2, LastBatch::kPad);
  const StreamPosition begin = first.Begin(7);
  CHECK(first.StepsLeft(begin) == 1);
  const RankSlice a = first.Slice(begin);
  const RankSlice b = second.Slice(begin);
  CHECK((a.count == 4 && a.padding == 1));
  CHECK((b.count == 4 && b.padding == 4));
  for (std::uint32_t i = 0; i < 4; ++i) {
    CHECK(first.At(a, i) == StreamPosition{7, i % 3});
    CHECK(second.At(b, i) == StreamPosition{7, (i + 1) % 3});
  }
  CHECK(first.Behind(begin) == StreamPosition{7, 3});
}

TEST_CASE("StepPlan deals the last samples out, the longer parts first",
          "[step_plan][one_thread]") {
  // 12 + 5 samples for 4 ranks of 3: the rest is 2 1 1 1.
  const std::uint64_t firsts[] = {12, 14, 15, 16};
  const std::uint32_t counts[] = {2, 1, 1, 1};
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const StepPlan plan(17, 3, rank, 4, LastBatch::kShort);
    CHECK(plan.StepsLeft({0, 0}) == 2);
    CHECK(plan.Slice({0, 0}).count == 3);
    const RankSlice slice = plan.Slice({0, 12});
    CHECK(slice.first == StreamPosition{0, firsts[rank]});
    CHECK(slice.count == counts[rank]);
  }
  // Fewer than ranks: the last ones get none.
  const StepPlan last(2, 3, 3, 4, LastBatch::kShort);
  CHECK(last.StepsLeft({0, 0}) == 1);
  CHECK(last.Slice({0, 0}).count == 0);
}

TEST_CASE("StepPlan of no samples has no steps", "[step_plan][one_thread]") {
  for (const LastBatch policy : {LastBatch::kDrop, LastBatch::kShort,
                                 LastBatch::kPad, LastBatch::kRoll}) {
    const StepPlan plan(0, 4, 1, 2, policy);
    CHECK(plan.StepsLeft(plan.Begin(3)) == 0);
    CHECK(plan.Next(plan.Begin(3)) == StreamPosition{4, 0});
  }
}

TEST_CASE("StepPlan takes a place of rolled steps under any policy",
          "[step_plan][one_thread]") {
  // Samples of epoch 6 in the last step are not delivered again.
  const StreamPosition rolled{5, 13};
  for (const LastBatch policy : {LastBatch::kDrop, LastBatch::kShort,
                                 LastBatch::kPad, LastBatch::kRoll}) {
    const StepPlan plan(10, 4, 0, 1, policy);
    CHECK(plan.StepsLeft(rolled) == 0);
    CHECK(plan.Next(rolled) == StreamPosition{6, 3});
  }
}

TEST_CASE("StepPlan counts the steps of huge sets", "[step_plan][one_thread]") {
  const std::uint64_t samples = (std::uint64_t{1} << 62) - 1;
  const StepPlan plan(samples, 0xffffffff, 6, 7, LastBatch::kRoll);
  const std::uint64_t step = std::uint64_t{0xffffffff} * 7;
  CHECK(plan.StepsLeft({0, 0}) == samples / step + 1);
  const StreamPosition begin = plan.Begin(3);
  CHECK((begin.position + samples % step * 3) % step == 0);
  CHECK(begin.position < step);
  CHECK(plan.Slice({0, 0}).first.position == std::uint64_t{0xffffffff} * 6);
}

}  // namespace
}  // namespace shardine::step_plan_test
